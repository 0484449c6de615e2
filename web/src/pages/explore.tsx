// Explore: machines and plans together. One answer feeds the scatter, the tornado, the heat map and the table.
import { effect } from "@preact/signals";
import { useState } from "preact/hooks";
import type { Explore, Point } from "../engine/types.ts";
import { bytes, byKey, compact, count, lowerFirst, none, percent, plain, time } from "../format/format.ts";
import { knobNames, objectiveNames, reasonNames } from "../format/names.ts";
import { inputs, page, setInput, setInputs, setView, view } from "../state/store.ts";
import { colours, shownPoints } from "../layout/scatter.ts";
import { compareOrder } from "../scale/best.ts";
import { counted } from "../scale/scale.ts";
import { save } from "../state/saved.ts";
import { copyCli, pageCommand, say } from "../parts/actions.ts";
import { Heat, Tornado } from "../parts/charts.tsx";
import { Group, Row, Segments, Select, Text } from "../parts/controls.tsx";
import { LegendBounds, Mark } from "../parts/icons.tsx";
import { Panel, Still, Trap, type TableData } from "../parts/panel.tsx";
import { Knobs, Model, Workload, type Filled } from "../parts/rail.tsx";
import { inBrush, planText, readBrush, Scatter } from "../parts/scatter.tsx";
import { Figure, Waiting } from "./inspect.tsx";
import { asInputs, choose, chosen, cliRequest, heatAxes, keyOf, letterOf, listed, objectives, openInInspect, parsePoint, pins, search, searchAgain, setKnob, shown, space, stopSearch, togglePin, xKey, yKey } from "./search.ts";

effect(() => {
  if (page.value === "explore") pageCommand.value = { command: "explore", request: cliRequest.value };
});
window.addEventListener("ridgeline-pin", () => {
  if (page.peek() === "explore" && chosen.peek()) togglePin(chosen.peek()!);
});

const short: Record<string, string> = { pe_hbm_gb: "HBM GB", bw_hbm_gbs: "HBM GB/s", peak_tflops_f16: "TFLOP/s", bw_intra_gbs: "In cube", bw_inter_gbs: "Cube", bw_intersip_gbs: "SIP" };

const axes: readonly (readonly [path: string, label: string])[] = [
  ...Object.entries(knobNames).map(([knob, name]) => [`machine.${knob}`, short[knob] ?? name] as const),
  ["plan.tp", "TP"], ["plan.cp", "CP"], ["plan.pp", "PP"], ["plan.dp", "DP"], ["plan.kv_shard_mode", "KV heads"],
];

export function ExploreRail() {
  const filled = (search.reply.value?.inputs ?? {}) as Filled;
  const depth = inputs.value["explore.depth"] ?? "coarse";
  const named = objectives.map((key) => ({ value: key, text: objectiveNames[key] ?? key }));
  return (
    <>
      <Model />
      <Workload filled={filled} />
      <Group title="Depth">
        <Segments path="explore.depth" label="Search depth" value={depth} choices={[{ value: "two_stage", text: "two-stage" }, { value: "balanced", text: "balanced" }, { value: "coarse", text: "coarse" }, { value: "full", text: "full" }]} />
        <p class="about">{search.reply.value ? `${count(search.reply.value.result.hardware_count)} machines × ${count(search.reply.value.result.parallelism_count)} plans` : ""}</p>
      </Group>
      <Group title="Machine the axes start from">
        <Knobs filled={filled} />
      </Group>
      <Group title="Axes" action={<button class="lnk" onClick={() => setInputs({}, "reset axes", false, (key) => key.startsWith("explore.axes."))}>Reset</button>}>
        <p class="about">Empty: the list of the depth. Else values, such as 256, 512.</p>
        {axes.map(([path, label]) => (
          <Row key={path} path={`explore.axes.${path}`} label={label}>
            <Text wide path={`explore.axes.${path}`} label={label} value={inputs.value[`explore.axes.${path}`] ?? ""} set={(value) => setInput(`explore.axes.${path}`, value)} />
          </Row>
        ))}
      </Group>
      <Group title="Objectives">
        <Row path="explore.x" label="Horizontal"><Select path="explore.x" label="Horizontal" value={xKey.value} choices={named} /></Row>
        <Row path="explore.y" label="Vertical"><Select path="explore.y" label="Vertical" value={yKey.value} choices={named} /></Row>
      </Group>
      <Group title="Keep only">
        <Row path="explore.pes_max" label="PEs at most"><Text path="explore.pes_max" label="PEs at most" value={inputs.value["explore.pes_max"] ?? ""} /></Row>
        <Row path="explore.latency_max_ms" label="Time at most"><Text path="explore.latency_max_ms" label="Time at most" unit="ms" value={inputs.value["explore.latency_max_ms"] ?? ""} /></Row>
      </Group>
    </>
  );
}

function Headline({ result }: { result: Explore }) {
  const first = result.sensitivity[0];
  const best = result.best;
  const rejected = Object.entries(result.rejected ?? {}).sort((a, b) => compareOrder(b[1], a[1]));
  return (
    <dl class="kpis" aria-label="Search results" data-ready>
      <Figure isFirst label={`Best ${(objectiveNames[yKey.value] ?? yKey.value).toLowerCase()}`} note={best ? `${planText(best)}, ${count(best.pes_used as number)} PEs` : "nothing is feasible"} what={{ title: "Best", figure: best ? byKey(yKey.value, best[yKey.value], 6) : none, lines: best ? [...Object.entries(best.plan), ...Object.entries(best.hardware)].map(([key, value]) => [key, plain(value)]) : [] }}>
        <span data-figure="best">{best ? byKey(yKey.value, best[yKey.value]) : none}</span>
      </Figure>
      <Figure label="Pairs decided" note={`${count(result.hardware_count)} × ${count(result.parallelism_count)} plans`}>{compact(result.evaluated_count)}</Figure>
      <Figure label="Feasible" note={rejected[0] ? `${compact(rejected[0][1])} ${reasonNames[rejected[0][0]] ?? rejected[0][0]}` : ""} what={{ title: "Rejected, by reason", figure: count(result.feasible_count), lines: rejected.map(([reason, number]) => [reasonNames[reason] ?? reason, count(number)]) }}>{compact(result.feasible_count)}</Figure>
      <Figure label="On the front" note="2 objectives"><span data-figure="front">{count(result.pareto.length)}</span></Figure>
      <Figure label="First knob to raise" note={first ? `× 2 saves ${percent(first.speedup_fraction)}` : ""}>{first ? <span class="short">{knobNames[first.knob] ?? first.knob}</span> : none}</Figure>
      <Figure label="Searched in" note={`${compact(result.evaluations_per_s)} pairs/s`}>{time(result.elapsed_s)}</Figure>
    </dl>
  );
}

const columns: readonly (readonly [key: string, label: string])[] = [["tp", "TP"], ["cp", "CP"], ["pp", "PP"], ["dp", "DP"]];
function frontTable(result: Explore): TableData {
  return {
    columns: ["latency_s", "cost_score", "cost_x_pes", "pes_used", "bound", ...columns.map(([key]) => key), ...Object.keys(short)],
    rows: result.pareto.map((p) => [p.latency_s, p.cost_score as number, p.cost_x_pes as number, p.pes_used as number, p.bound ?? "", ...columns.map(([key]) => p.plan[key]!), ...Object.keys(short).map((key) => p.hardware[key]!)]),
  };
}

function FrontRow({ point, base }: { point: Point; base: Record<string, unknown> }) {
  const key = keyOf(point);
  const isChosen = chosen.value !== null && keyOf(chosen.value) === key;
  const letter = letterOf(key);
  return (
    <tr class={isChosen ? "on" : ""} data-front-row={key}>
      <th scope="row" class="pinc">
        <button class="pinb" aria-pressed={letter !== ""} aria-label={`Pin ${planText(point)}`} onClick={() => togglePin(point)}><i class={`pin${letter ? " y" : ""}`} /><span class="letter">{letter}</span></button>
      </th>
      <td class="num lead"><button class="rowb num" onClick={() => choose(point)} onDblClick={() => openInInspect(point)}>{byKey(yKey.value, point[yKey.value])}</button></td>
      <td class="num">{byKey(xKey.value, point[xKey.value])}</td>
      <td>{point.bound ? <><Mark bound={point.bound} /> {point.bound}</> : none}</td>
      {columns.map(([name]) => <td key={name} class="num">{plain(point.plan[name])}</td>)}
      {Object.keys(short).map((name) => <td key={name} class={`num${point.hardware[name] === base[name] ? " dim" : " diff"}`}>{plain(point.hardware[name])}</td>)}
      <td class="num">{count(point.pes_used as number)}</td>
      <td class="num">{bytes(point.memory_bytes)}</td>
    </tr>
  );
}

function Front({ result, base, busy }: { result: Explore; base: Record<string, unknown>; busy: boolean }) {
  const [by, setBy] = useState<string | null>(null);
  const brush = readBrush();
  const rowsShown = result.pareto.filter((point) => inBrush(point, brush, xKey.value, yKey.value));
  const rows = by ? [...rowsShown].sort((a, b) => (Number(a[by]) < Number(b[by]) ? -1 : 1)) : rowsShown;
  const pinnedFirst = [...rows.filter((point) => letterOf(keyOf(point))), ...rows.filter((point) => !letterOf(keyOf(point)))];
  return (
    <Panel id="front" title="Pareto front" note={`${count(rowsShown.length)} of ${count(result.pareto.length)}; bold knobs differ from the machine as set`} busy={busy} table={() => frontTable(result)} json={() => result.pareto}>
      <div class="scroll tall" tabIndex={0} role="region" aria-label="Pareto front, table">
        <table>
          <caption class="vh">Points of the Pareto front</caption>
          <thead>
            <tr>
              <th scope="col">Pin</th>
              {[yKey.value, xKey.value].map((key) => (
                <th key={key} scope="col" class="num sort" aria-sort={by === key ? "ascending" : "none"}><button onClick={() => setBy(by === key ? null : key)}>{objectiveNames[key] ?? key}{by === key ? " ↑" : ""}</button></th>
              ))}
              <th scope="col">Bound</th>
              {columns.map(([, label]) => <th key={label} scope="col" class="num">{label}</th>)}
              {Object.values(short).map((label) => <th key={label} scope="col" class="num">{label}</th>)}
              <th scope="col" class="num">PEs</th>
              <th scope="col" class="num">Memory</th>
            </tr>
          </thead>
          <tbody>{pinnedFirst.map((point, i) => <FrontRow key={i} point={point} base={base} />)}</tbody>
        </table>
      </div>
      <Tray />
    </Panel>
  );
}

function Tray() {
  const saveAll = (): void => {
    for (const pin of pins.peek()) {
      const point = parsePoint(pin);
      if (point) save({ ...inputs.peek(), ...asInputs(point) });
    }
    say("Pins saved; Compare shows them side by side");
  };
  return (
    <div class="tray">
      <b>{pins.value.length === 0 ? "P pins the selected point" : `${count(pins.value.length)} pinned`}</b>
      {pins.value.map((pin) => <span key={pin} class="chip">{letterOf(pin)}</span>)}
      <button class="btn sm" disabled={pins.value.length === 0} onClick={saveAll}>Save pins to compare</button>
      <button class="btn sm" disabled={!chosen.value} onClick={() => chosen.value && openInInspect(chosen.value)}>Open in Inspect</button>
      <span class="spring" />
      <button class="btn sm" onClick={copyCli}>Copy as CLI</button>
    </div>
  );
}

export function ExplorePage() {
  const reply = search.reply.value;
  const refused = search.failure.value ?? space.failure.value;
  if (!reply) return <><Progress /><Waiting text={refused ? `${refused.message} ${refused.hint}` : ""} /></>;
  const result = shown.value ?? reply.result;
  const busy = search.busy.value;
  const isStale = space.busy.value;
  const colour = view.value.color ?? "bound";
  const base = (reply.inputs.machine ?? {}) as Record<string, unknown>;
  const every = [...result.pareto, ...shownPoints(result)];
  const pinned = pins.value.flatMap((pin) => {
    const point = every.find((item) => keyOf(item) === pin);
    return point ? [{ point, letter: letterOf(pin) }] : [];
  });
  const model = typeof reply.inputs.model === "string" ? reply.inputs.model : "your config.json";
  return (
    <>
      <div class="head">
        <div>
          <h1>Which machine, and which plan on it?</h1>
          <p class="crumb">{model}, {String(reply.inputs.phase)} at {count(Number(reply.inputs.context))} tokens <span class="mute">| drag on the chart to filter, click to select, P to pin</span></p>
        </div>
        <div class="acts">
          <button class="btn" onClick={copyCli}>Copy as CLI</button>
          <button class="btn pri" disabled={!chosen.value} onClick={() => chosen.value && openInInspect(chosen.value)}>Inspect selection</button>
        </div>
      </div>
      {refused ? <p class="banner" role="alert">{refused.message} {refused.hint} <i>Shown below: from before the change.</i> {refused.code === "aborted" ? <button class="btn sm" onClick={searchAgain}>Search again</button> : null}</p> : null}
      <Progress />
      <Headline result={result} />
      <div class="cols explore">
        <Panel
          id="scatter" class="drawn" title={`${objectiveNames[yKey.value]} against ${lowerFirst(objectiveNames[xKey.value] ?? "")}`} busy={busy || isStale} json={() => space.reply.value}
          note={result.points_total === undefined ? "" : `${compact(counted(shownPoints(result)))} of ${compact(result.points_total)} shown`} table={() => frontTable(result)}
          tools={<><Legend points={every} colour={colour} /><Select path="color" label="Colour by" value={colour} choices={[{ value: "bound", text: "by bound" }, ...axes.map(([path, label]) => ({ value: path, text: `by ${label}` }))]} set={(value) => setView("color", value === "bound" ? null : String(value))} />{view.value.brush ? <button class="lnk" onClick={() => setView("brush", null)}>Clear filter</button> : null}</>}
        >
          <div class="pad"><Scatter result={result} xKey={xKey.value} yKey={yKey.value} chosen={chosen.value} pinned={pinned} colour={colour} choose={choose} open={openInInspect} /></div>
        </Panel>
        <div class="stack">
          <Panel id="sensitivity" class="drawn" title="Sensitivity" note="one knob at a time, at the selection" busy={busy} json={() => result.sensitivity} table={() => ({ columns: ["knob", "baseline", "doubled", "speedup_fraction", "halved", "slowdown_fraction"], rows: result.sensitivity.map((s) => [s.knob, s.baseline, s.doubled, s.speedup_fraction, s.halved ?? null, s.slowdown_fraction ?? null]) })}>
            <div class="pad"><Tornado rows={result.sensitivity} set={setKnob} /></div>
          </Panel>
          {result.heat_map ? (
            <Panel id="heat" class="drawn" title="Heat map" note="best time, any machine of the space" busy={busy || isStale} json={() => result.heat_map} tools={<HeatAxes />} table={() => ({ columns: [result.heat_map!.x.path, result.heat_map!.y.path, "latency_s", "reason"], rows: result.heat_map!.cells.map((cell) => [result.heat_map!.x.values[cell.x]!, result.heat_map!.y.values[cell.y]!, cell.latency_s, cell.reason ?? ""]) })}>
              <div class="pad"><Still on={[result.heat_map, chosen.value && keyOf(chosen.value)]}><Heat map={result.heat_map} chosen={chosen.value} choose={choose} /></Still><p class="fine">Hatched: nothing feasible there. Strongest colour: fastest.</p></div>
            </Panel>
          ) : null}
        </div>
      </div>
      <Trap isWhole title="Pareto front"><Front result={listed.value ?? result} base={base} busy={busy} /></Trap>
    </>
  );
}

function Legend({ points, colour }: { points: readonly Point[]; colour: string }) {
  if (colour === "bound") return <LegendBounds />;
  return (
    <span class="key">
      {colours(points, colour).legend.map((entry) => <span key={entry.text}><svg class="mk" viewBox="0 0 10 10" aria-hidden="true" style={{ fill: `var(--${entry.style})` }}><circle cx="5" cy="5" r="4.7" /></svg> {entry.text}</span>)}
    </span>
  );
}

// Shown while a search runs longer than one can see; a stop keeps the last answer.
function Progress() {
  const share = space.progress.value;
  if (!search.busy.value && !space.busy.value) return null;
  return (
    <div class="progress" role="status">
      <progress max={1} aria-label="Search" {...(share === null ? {} : { value: share })} />
      <span>{share === null ? "Searching" : `${percent(share)} searched`}</span>
      <button class="btn sm" onClick={stopSearch}>Stop</button>
    </div>
  );
}

function HeatAxes() {
  const choices = axes.map(([path, label]) => ({ value: path, text: label }));
  return (
    <>
      <Select path="hx" label="Heat map, across" value={heatAxes.value[0]} choices={choices} set={(value) => setView("hx", String(value))} />
      <Select path="hy" label="Heat map, down" value={heatAxes.value[1]} choices={choices} set={(value) => setView("hy", String(value))} />
    </>
  );
}
