// Explore: machines and plans together. One answer feeds the scatter, the tornado, the heat map and the table.
import { effect } from "@preact/signals";
import type { Explore, Point } from "../engine/types.ts";
import { byKey, compact, count, lowerFirst, none, percent, plain, time } from "../format/format.ts";
import { knobName } from "../format/knobs.ts";
import { reasonNames } from "../format/names.ts";
import { inputs, page, setInput, setInputs, setView, view } from "../state/store.ts";
import { colours, shownPoints } from "../layout/scatter.ts";
import { compareOrder } from "../scale/best.ts";
import { counted } from "../scale/scale.ts";
import { copyCli, pageCommand } from "../parts/actions.ts";
import { Heat, Tornado } from "../parts/charts.tsx";
import { Group, Row, Segments, Select, Text } from "../parts/controls.tsx";
import { LegendBounds } from "../parts/icons.tsx";
import { Panel, Still, Trap } from "../parts/panel.tsx";
import { MachineChoice, MachineKnobs, Model, Workload, type Filled } from "../parts/rail.tsx";
import { planText, Scatter } from "../parts/scatter.tsx";
import { Figure, Waiting } from "./inspect.tsx";
import { Front, frontTable } from "./front.tsx";
import { axes, choose, chosen, cliRequest, devices, heatAxes, isChiplet, keyOf, letterOf, listed, misfits, nameOf, objectives, openInInspect, pins, search, searchAgain, setKnob, shown, space, stopSearch, togglePin, xKey, yKey } from "./search.ts";

effect(() => {
  if (page.value === "explore") pageCommand.value = { command: "explore", request: cliRequest.value };
});
window.addEventListener("ridgeline-pin", () => {
  if (page.peek() === "explore" && chosen.peek()) togglePin(chosen.peek()!);
});

export function ExploreRail() {
  const filled = (search.reply.value?.inputs ?? {}) as Filled;
  const depth = inputs.value["explore.depth"] ?? "coarse";
  const named = objectives.map((key) => ({ value: key, text: nameOf(key) }));
  return (
    <>
      <Model />
      <Workload filled={filled} />
      <Group title="Depth">
        <Segments path="explore.depth" label="Search depth" value={depth} choices={[{ value: "two_stage", text: "two-stage" }, { value: "balanced", text: "balanced" }, { value: "coarse", text: "coarse" }, { value: "full", text: "full" }]} />
        <p class="about">{search.reply.value ? `${count(search.reply.value.result.hardware_count)} machines × ${count(search.reply.value.result.parallelism_count)} plans` : ""}</p>
      </Group>
      <Group title="Machine the axes start from">
        <MachineChoice filled={filled} />
        <MachineKnobs filled={filled} />
      </Group>
      <Group title="Axes" action={<button class="lnk" onClick={() => setInputs({}, "reset axes", false, (key) => key.startsWith("explore.axes."))}>Reset</button>}>
        <p class="about">Empty: the list of the depth. Else values, such as {isChiplet.value ? "256, 512" : "3.35 TB/s, 6.7 TB/s"}.</p>
        {axes.value.map(([path, label]) => (
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
        <Row path="explore.pes_max" label={isChiplet.value ? "PEs at most" : "Devices at most"}><Text path="explore.pes_max" label="devices at most" value={inputs.value["explore.pes_max"] ?? ""} /></Row>
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
      <Figure isFirst label={`Best ${lowerFirst(nameOf(yKey.value))}`} note={best ? `${planText(best)}, ${count(best.pes_used as number)} ${devices.value}` : "nothing is feasible"} what={{ title: "Best", figure: best ? byKey(yKey.value, best[yKey.value], 6) : none, lines: best ? [...Object.entries(best.plan), ...Object.entries(best.hardware)].map(([key, value]) => [key, plain(value)]) : [] }}>
        <span data-figure="best">{best ? byKey(yKey.value, best[yKey.value]) : none}</span>
      </Figure>
      <Figure label="Pairs decided" note={`${count(result.hardware_count)} × ${count(result.parallelism_count)} plans`}>{compact(result.evaluated_count)}</Figure>
      <Figure label="Feasible" note={rejected[0] ? `${compact(rejected[0][1])} ${reasonNames[rejected[0][0]] ?? rejected[0][0]}` : ""} what={{ title: "Rejected, by reason", figure: count(result.feasible_count), lines: rejected.map(([reason, number]) => [reasonNames[reason] ?? reason, count(number)]) }}>{compact(result.feasible_count)}</Figure>
      <Figure label="On the front" note="2 objectives"><span data-figure="front">{count(result.pareto.length)}</span></Figure>
      <Figure label="First knob to raise" note={first ? `× 2 saves ${percent(first.speedup_fraction)}` : ""}>{first ? <span class="short">{knobName(first.knob)}</span> : none}</Figure>
      <Figure label="Searched in" note={`${compact(result.evaluations_per_s)} pairs/s`}>{time(result.elapsed_s)}</Figure>
    </dl>
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
  const every = [...result.pareto, ...shownPoints(result), ...misfits.value];
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
          id="scatter" class="drawn" title={`${nameOf(yKey.value)} against ${lowerFirst(nameOf(xKey.value))}`} busy={busy || isStale} json={() => space.reply.value}
          note={result.points_total === undefined ? "" : `${compact(counted(shownPoints(result)))} of ${compact(result.points_total)} shown${counted(misfits.value) > 0 ? "; hollow: does not fit" : ""}`} table={() => frontTable(result)}
          tools={<><Legend points={every} colour={colour} /><Select path="color" label="Colour by" value={colour} choices={[{ value: "bound", text: "by bound" }, ...axes.value.map(([path, label]) => ({ value: path, text: `by ${label}` }))]} set={(value) => setView("color", value === "bound" ? null : String(value))} /><label class="check"><input type="checkbox" checked={view.value.misfits === "on"} onChange={(event) => setView("misfits", event.currentTarget.checked ? "on" : null)} /> what does not fit</label>{view.value.brush ? <button class="lnk" onClick={() => setView("brush", null)}>Clear filter</button> : null}</>}
        >
          <div class="pad"><Scatter result={result} misfits={misfits.value} xKey={xKey.value} yKey={yKey.value} names={{ x: nameOf(xKey.value), y: nameOf(yKey.value) }} chosen={chosen.value} pinned={pinned} colour={colour} choose={choose} open={openInInspect} /></div>
        </Panel>
        <div class="stack">
          <Panel id="sensitivity" class="drawn" title="Sensitivity" note="one knob at a time, at the selection" busy={busy} json={() => result.sensitivity} table={() => ({ columns: ["knob", "baseline", "doubled", "speedup_fraction", "halved", "slowdown_fraction"], rows: result.sensitivity.map((s) => [s.knob, s.baseline, s.doubled, s.speedup_fraction, s.halved ?? null, s.slowdown_fraction ?? null]) })}>
            <div class="pad"><Tornado rows={result.sensitivity} set={setKnob} /></div>
          </Panel>
          {result.heat_map ? (
            <Panel id="heat" class="drawn" title="Heat map" busy={busy || isStale} json={() => result.heat_map} tools={<HeatAxes />} table={() => ({ columns: [result.heat_map!.x.path, result.heat_map!.y.path, "latency_s", "reason"], rows: result.heat_map!.cells.map((cell) => [result.heat_map!.x.values[cell.x]!, result.heat_map!.y.values[cell.y]!, cell.latency_s, cell.reason ?? ""]) })}>
              <div class="pad"><Still on={[result.heat_map, chosen.value && keyOf(chosen.value)]}><Heat map={result.heat_map} chosen={chosen.value} choose={choose} /></Still><p class="fine">Best time on any machine of the space. Hatched: nothing feasible there. Strongest colour: fastest.</p></div>
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
  const choices = axes.value.map(([path, label]) => ({ value: path, text: label }));
  return (
    <>
      <Select path="hx" label="Heat map, across" value={heatAxes.value[0]} choices={choices} set={(value) => setView("hx", String(value))} />
      <Select path="hy" label="Heat map, down" value={heatAxes.value[1]} choices={choices} set={(value) => setView("hy", String(value))} />
    </>
  );
}
