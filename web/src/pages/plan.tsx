// Plan: one plan through all solvers. A scorecard by level, what to change first, money, carbon, and what was asserted.
import { computed, effect, signal } from "@preact/signals";
import { live } from "../engine/live.ts";
import { byKey, lowerFirst, none, percent, signedPercent, words } from "../format/format.ts";
import { page, setView, view } from "../state/store.ts";
import type { Json } from "../state/request.ts";
import { copyCli, pageCommand } from "../parts/actions.ts";
import { Group, Select } from "../parts/controls.tsx";
import { failure } from "../parts/failure.ts";
import { Panel, type TableData } from "../parts/panel.tsx";
import { examplePlans } from "./examples.ts";
import { Figure, Waiting } from "./inspect.tsx";

type Numbers = Record<string, number | string | null>;

interface Evaluation {
  performance: Numbers;
  memory: Numbers;
  reliability: Numbers;
  cost: Numbers;
  energy: Numbers;
  carbon: Numbers;
  water: Numbers;
  feasible: boolean;
  reason: string;
  scorecard: { level: string; passes: boolean; binds: string | null; change_fraction: number | null; of: string | null }[];
  levers: { level: string; input: string; step_fraction: number; training_time_change_fraction: number | null; serving_time_change_fraction: number | null; cost_change_fraction: number | null; emissions_change_fraction: number | null }[];
  assertions: { metric: string; condition: string; key: string; value: number | null; passes: boolean | null }[];
  uncertainty?: { samples_count: number; values: Record<string, { p5: number; p50: number; p95: number; mean: number }>; drivers?: { output: string; input: string; share_fraction: number }[] } | null;
}

const example = computed(() => examplePlans[view.value.ex ?? ""] ?? examplePlans["capacity-planner"]!);
const pretty = (value: unknown): string => JSON.stringify(value, null, 2).replace(/\[\s+([^[\]{}]*?)\s+\]/g, (_, inner: string) => `[${inner.replace(/\s+/g, " ")}]`);
const text = computed(() => view.value.scenario ?? pretty(example.value.plan));
const broken = signal("");

const plan = computed<Json | null>(() => {
  try {
    return JSON.parse(text.value) as Json;
  } catch {
    return null;
  }
});

const evaluation = live<Evaluation>("evaluate", computed(() => (page.value === "plan" ? plan.value : null)));

effect(() => {
  if (page.value === "plan" && plan.value) pageCommand.value = { command: "evaluate", request: plan.value };
});
effect(() => {
  if (page.value === "plan") failure.value = evaluation.failure.value;
});

function edit(value: string): void {
  try {
    JSON.parse(value);
    broken.value = "";
    setView("scenario", value === pretty(example.peek().plan) ? null : value);
  } catch (error) {
    broken.value = (error as Error).message;
  }
}

export function PlanRail() {
  const choices = Object.entries(examplePlans).map(([name, entry]) => ({ value: name, text: entry.title }));
  return (
    <>
      <Group title="Start from">
        <Select path="ex" label="Example plan" value={view.value.ex ?? "capacity-planner"} choices={choices} set={(value) => { setView("scenario", null); setView("ex", value === "capacity-planner" ? null : String(value)); }} />
      </Group>
      <Group title="The plan" action={view.value.scenario ? <button class="lnk" onClick={() => setView("scenario", null)}>Reset</button> : null}>
        <textarea class="mono plan" aria-label="The plan, as JSON" spellcheck={false} rows={34} value={text.value} onChange={(event) => edit(event.currentTarget.value)} />
        {broken.value ? <p class="msg" role="alert">This is no JSON: {broken.value}</p> : null}
        <p class="about">Any field of `ridgeline evaluate`; a quantity may carry its unit, an uncertain one its distribution. Leave the field to evaluate.</p>
      </Group>
    </>
  );
}

const lineTitles: readonly (readonly [key: "performance" | "memory" | "reliability" | "cost" | "energy" | "carbon" | "water", title: string])[] = [
  ["performance", "Time and rate"], ["memory", "Memory"], ["reliability", "Failures and checkpoints"], ["cost", "Money"], ["energy", "Energy"], ["carbon", "Carbon"], ["water", "Water"],
];

function filled(values: Numbers): [string, number | string][] {
  return Object.entries(values).flatMap(([key, value]) => (value === null ? [] : [[key, value] as [string, number | string]]));
}

function Headline({ result }: { result: Evaluation }) {
  const { performance, cost, carbon, energy, memory } = result;
  const isTraining = performance.step_s !== null;
  const kept = result.assertions.filter((item) => item.passes).length;
  return (
    <dl class="kpis" aria-label="Scorecard" data-ready>
      <Figure isFirst label="Does it work" note={result.feasible ? "everything fits" : result.reason.replaceAll("_", " ")}><b class={result.feasible ? "good" : "bad"} data-figure="verdict">{result.feasible ? "Yes" : "No"}</b></Figure>
      {isTraining
        ? <Figure label="Whole run" note={`${byKey("step_s", performance.step_s)} a step, MFU ${percent(performance.mfu_fraction as number)}`}>{byKey("_s", result.reliability.wall_time_s ?? performance.run_time_s)}</Figure>
        : <Figure label="First token, 99 of 100" note={`${byKey("itl_s", performance.itl_s)} a token after it`}>{byKey("_s", performance.ttft_p99_s)}</Figure>}
      <Figure label="Cost, owned" note={cost.cloud_usd === null ? "" : `rented ${byKey("_usd", cost.cloud_usd)}`}><span data-figure="tco">{byKey("_usd", cost.tco_usd)}</span></Figure>
      <Figure label="Per million tokens" note={byKey("j_per_token", energy.j_per_token)}>{byKey("_usd", cost.usd_per_million_tokens)}</Figure>
      <Figure label="Emissions" note={`${byKey("_l", result.water.water_l)} of water`}>{byKey("_kgco2e", carbon.emissions_kgco2e)}</Figure>
      <Figure label="Asserted" note={`memory ${percent(memory.utilization_fraction as number)} used`}>{kept} of {result.assertions.length} hold</Figure>
    </dl>
  );
}

function Grid({ id, title, note, data, cells, lead = 1, tail = Infinity }: { id: string; title: string; note: string; data: TableData; cells: readonly (readonly preact.ComponentChildren[])[]; lead?: number; tail?: number }) {
  const isText = (column: number): boolean => column <= lead || column >= tail;
  return (
    <Panel id={id} title={title} note={note} busy={evaluation.busy.value} table={() => data} json={() => evaluation.reply.peek()}>
      <div class="scroll" tabIndex={0} role="region" aria-label={title}>
        <table>
          <caption class="vh">{title}</caption>
          <thead><tr>{data.columns.map((name, i) => <th key={name} scope="col" class={isText(i) ? "" : "num"}>{name}</th>)}</tr></thead>
          <tbody>
            {cells.map((row, i) => (
              <tr key={i}>{row.map((cell, j) => (j === 0 ? <th key={j} scope="row">{cell}</th> : <td key={j} class={isText(j) ? "wrap" : "num"}>{cell}</td>))}</tr>
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  );
}

function Scorecard({ result }: { result: Evaluation }) {
  const { scorecard, levers, assertions } = result;
  const verdictOf = (passes: boolean | null): preact.ComponentChildren => (passes === null ? none : <b class={passes ? "good" : "bad"}>{passes ? "pass" : "fail"}</b>);
  return (
    <>
      <Grid id="scorecard" lead={3} title="What binds at each level" note="and what a tenth more of it would bring" data={{ columns: ["Level", "Verdict", "Binds", "A tenth better"], rows: scorecard.map((row) => [row.level, String(row.passes), row.binds, row.change_fraction]) }}
        cells={scorecard.map((row) => [row.level, verdictOf(row.passes), row.binds ?? "nothing", row.change_fraction === null ? none : `${signedPercent(row.change_fraction)} ${row.of ?? ""}`])} />
      <Grid id="levers" title="What to change first" note="strongest first" data={{ columns: ["Input", "Level", "By", "Training time", "Time per request", "Cost", "Emissions"], rows: levers.map((row) => [row.input, row.level, row.step_fraction, row.training_time_change_fraction, row.serving_time_change_fraction, row.cost_change_fraction, row.emissions_change_fraction]) }}
        cells={levers.map((row) => [row.input, row.level, signedPercent(row.step_fraction), signedPercent(row.training_time_change_fraction), signedPercent(row.serving_time_change_fraction), signedPercent(row.cost_change_fraction), signedPercent(row.emissions_change_fraction)])} />
      {assertions.length > 0 ? (
        <Grid id="assertions" title="What was asserted" note="" data={{ columns: ["Figure", "Condition", "Is", "Verdict"], rows: assertions.map((row) => [row.metric, row.condition, row.value, String(row.passes)]) }}
          cells={assertions.map((row) => [words(row.metric), row.condition, byKey(row.key, row.value, 4), verdictOf(row.passes)])} />
      ) : null}
    </>
  );
}

// Figures that an uncertain input spreads, with what drives each.
function Spread({ result }: { result: Evaluation }) {
  const { uncertainty } = result;
  const spread = Object.entries(uncertainty?.values ?? {}).filter(([key, v]) => key.includes(".") && v.p5 !== v.p95);
  if (!uncertainty || spread.length === 0) return null;
  const drivers = (key: string): string => (uncertainty.drivers ?? []).filter((row) => row.output === key).map((row) => `${lowerFirst(words(row.input.split(".").at(-1)!))} ${percent(row.share_fraction)}`).join(", ");
  return (
    <Grid id="uncertainty" tail={6} title="How sure" note={`${byKey("", uncertainty.samples_count)} drawn; shares are squared rank correlations`} data={{ columns: ["Figure", "Of", "5 %", "Median", "95 %", "Mean", "Driven by"], rows: spread.map(([key, v]) => [key, key.split(".")[0]!, v.p5, v.p50, v.p95, v.mean, drivers(key)]) }}
      cells={spread.map(([key, v]) => [words(key.split(".").at(-1)!), key.split(".")[0], ...[v.p5, v.p50, v.p95, v.mean].map((value) => byKey(`_${key}`, value, 3)), <span class="drivers">{drivers(key)}</span>])} />
  );
}

function Lines({ result, keys }: { result: Evaluation; keys: readonly string[] }) {
  return (
    <>
      {lineTitles.filter(([key]) => keys.includes(key) && filled(result[key]).length > 0).map(([key, title]) => (
        <Panel key={key} id={key} title={title} busy={evaluation.busy.value} json={() => result[key]} table={() => ({ columns: ["figure", "value"], rows: filled(result[key]) })}>
          <dl class="pad lines">
            {filled(result[key]).map(([name, value]) => <div key={name}><dt>{words(name)}</dt><dd class="num">{byKey(`_${name}`, value, 4)}</dd></div>)}
          </dl>
        </Panel>
      ))}
    </>
  );
}

export function PlanPage() {
  const reply = evaluation.reply.value;
  const refused = evaluation.failure.value;
  if (!reply) return <Waiting text={refused ? `${refused.where} ${refused.message} ${refused.hint}` : ""} />;
  const { result } = reply;
  return (
    <>
      <div class="head">
        <div>
          <h1>What does this plan come to?</h1>
          <p class="crumb">{String(plan.value?.name ?? "")} <span class="mute">| one plan through all solvers: time, memory, failures, money, energy, carbon, water</span></p>
        </div>
        <div class="acts"><button class="btn" onClick={copyCli}>Copy as CLI</button></div>
      </div>
      {refused ? <p class="banner" role="alert">{refused.where}: {refused.message} {refused.hint} <i>Shown below: from before the change.</i></p> : null}
      <Headline result={result} />
      <div class="cols table">
        <div class="stack left"><Scorecard result={result} /></div>
        <div class="stack one"><Lines result={result} keys={["performance"]} /></div>
      </div>
      <div class="sums"><Lines result={result} keys={["memory", "reliability", "cost", "energy", "carbon", "water"]} /></div>
      <Spread result={result} />
    </>
  );
}
