// Inspect: one configuration in full. Every panel reads the same answer.
import { computed, effect, signal } from "@preact/signals";
import type { Inspect } from "../engine/types.ts";
import type { Reply } from "../engine/engine.ts";
import { live } from "../engine/live.ts";
import { byKey, bytes, count, none, numbered, percent, time } from "../format/format.ts";
import { invalidNames, levelNames } from "../format/names.ts";
import { neighbour } from "../scale/scale.ts";
import { inspectRequest } from "../state/request.ts";
import { inputs, page, view } from "../state/store.ts";
import { cliText, copyCli, explain, saveLabel, saveNow, type Explained } from "../parts/actions.ts";
import { Roof, Sharding } from "../parts/drawings.tsx";
import { Banner, Hints } from "../parts/hints.tsx";
import { Mark } from "../parts/icons.tsx";
import { Machine } from "../parts/machine.tsx";
import { Memory } from "../parts/memory.tsx";
import { Trap } from "../parts/panel.tsx";
import { Pipeline } from "../parts/pipeline.tsx";
import { MachineGroup, Model, Plan, Workload, type Filled } from "../parts/rail.tsx";
import { Stages } from "../parts/stages.tsx";
import { Replication, Symbols } from "../parts/tables.tsx";

// A rank of another plan may be none of this one: then the first is described, and the link keeps it.
const strangeRank = signal("");
const rankNow = computed(() => (view.value.rank ? `${view.value.rank} ${JSON.stringify(inputs.value)}` : ""));
const rank = computed(() => (view.value.rank && rankNow.value !== strangeRank.value ? { rank: Number(view.value.rank) } : {}));
const request = computed(() => (page.value === "inspect" || page.value === "glossary" ? { ...inspectRequest(inputs.value), topology: true, ...rank.value } : null));
export const inspect = live<Inspect>("inspect", request);

effect(() => {
  if (inspect.failure.value?.where === "/rank") strangeRank.value = rankNow.peek();
});

export function Figure({ label, children, note, what, isFirst }: { label: string; children: preact.ComponentChildren; note?: preact.ComponentChildren; what?: Explained; isFirst?: boolean }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd class={isFirst ? "big" : ""}>{what ? <button class="open" aria-haspopup="dialog" onClick={() => explain(what)}>{children}</button> : children}</dd>
      <dd class="note">{note}</dd>
    </div>
  );
}

function usedOf(result: Inspect): readonly [first: string, rest: string] {
  const used = Object.entries(result.layout).filter(([key]) => key.endsWith("_used")).map(([key, value]) => [key.replace("_used", ""), count(Number(value)), Number(value)] as const);
  const devices = used.find(([key]) => key === "pes" || key === "devices");
  return [devices?.[1] ?? none, used.filter((item) => item !== devices).map(([key, , number]) => numbered(number, levelNames[`${key}_used`] ?? key)).join(", ")];
}

function latencyLines(reply: Reply<Inspect>): Explained {
  const { result } = reply;
  return {
    title: "Latency of one pass", figure: time(result.latency_s, 6),
    lines: [
      ["Formula", "sum over layers of their stages + EMB + HEAD + P2P", true],
      ["A stage", "max(compute, memory) + network", true],
      ...result.layers.map((layer): [string, string] => [numbered(layer.count, "layers"), `${time(layer.layer_s, 4)} each${layer.total_s === undefined ? "" : `, ${time(layer.total_s, 4)} together`}`]),
      ...result.edges.map((edge): [string, string] => [edge.name, time(edge.total_s, 4)]),
      ["Value", `${String(result.latency_s)} s`],
      ["Basis", `${reply.basis?.level ?? none}: ${(reply.basis?.why ?? []).join("; ")}`],
    ],
  };
}

function trustLines(reply: Reply<Inspect>): Explained {
  return {
    title: "How far to trust this", figure: reply.basis?.level ?? none,
    lines: [...(reply.basis?.why ?? []).map((why, i): [string, string] => [`Why ${i === 0 ? "" : i}`, why]), ...(reply.basis?.sources ?? []).map((source): [string, string] => [source.field, source.source]), ...(reply.notes ?? []).map((note): [string, string] => [note.code, note.message])],
  };
}

function Headline({ reply }: { reply: Reply<Inspect> }) {
  const { result, basis } = reply;
  const bound = result.bound;
  const [devices, groups] = usedOf(result);
  const own = result.shares?.find((share) => share.bound === bound);
  const others = result.shares?.filter((share) => share.bound !== bound && share.share_fraction > 0).map((share) => `${share.bound} ${percent(share.share_fraction)}`).join(", ");
  const first = result.layers[0];
  const isDecode = reply.inputs.phase === "decode";
  return (
    <dl class="kpis" aria-label="Headline results" data-ready>
      <Figure isFirst label={isDecode ? "Time per token" : "Time to first token"} what={latencyLines(reply)} note={first ? `${count(first.count)} × ${time(first.layer_s)}${result.layers.length > 1 ? " and other layers" : " + embedding and head"}` : "cannot be placed"}>
        <span data-figure="latency">{time(result.latency_s)}</span>
      </Figure>
      <Figure label="Bound by" note={others || "nothing else"} what={{ title: "What binds the pass", figure: bound ?? none, lines: (result.shares ?? []).map((share) => [share.bound, `${time(share.seconds, 4)}, ${percent(share.share_fraction)}`]) }}>
        {bound && own ? <><Mark bound={bound} label /> {bound} <small>{percent(own.share_fraction)}</small></> : none}
      </Figure>
      <Figure
        label="Memory per device"
        note={<><b class={result.fits_memory ? "good" : "bad"}>{result.fits_memory ? "Fits" : "Does not fit"}</b>{result.memory.used_fraction === undefined ? "" : `, ${percent(result.memory.used_fraction)} used`}</>}
        what={{ title: "Memory of the fullest stage", figure: bytes(result.memory.total_bytes, 6), lines: Object.entries(result.memory).filter(([, value]) => typeof value === "number").map(([key, value]) => [key, byKey(key, value, 6)]) }}
      >
        <span data-figure="memory">{bytes(result.memory.total_bytes)}</span> <small>of {bytes(result.memory.capacity_bytes)}</small>
      </Figure>
      <Figure label="Throughput" note={result.objectives ? `${byKey("tokens_per_s_per_pe", result.objectives.tokens_per_s_per_pe)} per device` : ""} what={{ title: "Objectives", figure: byKey("tokens_per_s", result.objectives?.tokens_per_s, 6), lines: Object.entries(result.objectives ?? {}).map(([key, value]) => [key, byKey(key, value, 6)]) }}>
        {byKey("tokens_per_s", result.objectives?.tokens_per_s)}
      </Figure>
      <Figure label="Devices" note={groups} what={{ title: "Layout", figure: devices, lines: Object.entries(result.layout).map(([key, value]) => [key, JSON.stringify(value)]) }}>
        <span data-figure="devices">{devices}</span>
      </Figure>
      <Figure label="Trust" note={basis?.interval ? `${time(basis.interval.low)} to ${time(basis.interval.high)}, ${count(basis.interval.rows)} rows` : (basis?.why[0] ?? "")} what={trustLines(reply)}>
        {basis?.level ?? none}
      </Figure>
    </dl>
  );
}

export function InspectRail() {
  const filled = (inspect.reply.value?.inputs ?? {}) as Filled;
  return (
    <>
      <Model />
      <Workload filled={filled} />
      <Plan filled={filled} />
      <MachineGroup filled={filled} />
    </>
  );
}

function title(filled: Filled): string {
  return `${filled.phase === "decode" ? "One token after" : "Prefill of"} ${count(Number(filled.context))} tokens`;
}

function subtitle(filled: Filled): string {
  const plan = (filled.plan ?? {}) as Record<string, unknown>;
  const machine = (filled.machine ?? {}) as Record<string, unknown>;
  const model = typeof filled.model === "string" ? filled.model : "your config.json";
  return `${model}, TP ${plan.tp} · CP ${plan.cp} · PP ${plan.pp} · DP ${plan.dp}, ${machine.base ?? machine.name ?? ""}`;
}

export function InspectPage() {
  const reply = inspect.reply.value;
  if (!reply) return <Waiting text={inspect.failure.value ? `${inspect.failure.value.message} ${inspect.failure.value.hint}` : ""} />;
  const { result } = reply;
  const busy = inspect.busy.value;
  const kind = neighbour(Number(view.value.kind ?? 0), 0, result.layers.length);
  const layer = result.layers[kind];
  return (
    <>
      <div class="head">
        <div>
          <h1>{title(reply.inputs)}</h1>
          <p class="crumb">
            {subtitle(reply.inputs)} <span class="mute">| {count(Object.keys(inputs.value).length)} inputs set | answered in {time(inspect.elapsed.value)}</span>
          </p>
        </div>
        <div class="acts">
          <button class="btn" title={cliText.value} onClick={copyCli}>Copy as CLI</button>
          <button class="btn pri" onClick={saveNow}>{saveLabel.value}</button>
        </div>
      </div>
      {inspect.failure.value ? <p class="banner" role="alert">{inspect.failure.value.message} {inspect.failure.value.hint} <i>Shown below: from before the change.</i></p> : null}
      <Banner result={result} reasons={invalidNames} />
      <Headline reply={reply} />
      {layer ? <Trap isWhole title="Pipeline"><Pipeline layers={result.layers} layer={layer} busy={busy} /></Trap> : null}
      <div class="cols table">
        <div class="stack left">
          {layer ? <Trap isWhole title="Latency per stage"><Stages result={result} layer={layer} busy={busy} /></Trap> : null}
          <Trap isWhole title="Tensor sharding"><Sharding result={result} busy={busy} /></Trap>
          <Trap isWhole title="Replication"><Replication result={result} busy={busy} /></Trap>
        </div>
        <div class="stack">
          <Trap isWhole title="Memory"><Memory result={result} busy={busy} unit={result.layout.pes_used === undefined ? "GPU" : "PE"} /></Trap>
          <Trap isWhole title="Hints"><Hints result={result} busy={busy} /></Trap>
          <Trap isWhole title="Machine"><Machine result={result} plan={(reply.inputs.plan ?? {}) as Record<string, unknown>} busy={busy} /></Trap>
          <Trap isWhole title="Roofline"><Roof result={result} busy={busy} kind={kind} /></Trap>
        </div>
      </div>
      {result.symbols ? <Trap isWhole title="Symbols"><Symbols rows={result.symbols} busy={busy} /></Trap> : null}
    </>
  );
}

export function Waiting({ text }: { text: string }) {
  return text ? <p class="banner" role="alert">{text}</p> : <div class="skeleton" aria-label="Waiting for the engine" role="status" />;
}
