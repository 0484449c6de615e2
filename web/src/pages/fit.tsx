// Fit: yes or no, the longest context, the largest batch, the smallest machine; each rank against its capacity.
import { computed, effect } from "@preact/signals";
import { live } from "../engine/live.ts";
import type { Change, Patch } from "../engine/types.ts";
import { byKey, bytes, count, none, numbered, words } from "../format/format.ts";
import { memoryBar } from "../layout/memory.ts";
import { inputs, page, setInput } from "../state/store.ts";
import type { Json } from "../state/request.ts";
import { copyCli, pageCommand } from "../parts/actions.ts";
import { Degree, Group, Knob, Row, Segments, Text } from "../parts/controls.tsx";
import { Mends } from "../parts/hints.tsx";
import { Panel } from "../parts/panel.tsx";
import { at, MachineChoice, Model, type Filled } from "../parts/rail.tsx";
import { Figure, Waiting } from "./inspect.tsx";

interface Rank extends Record<string, number | null> {
  stage: number;
  rank: number;
  total_bytes: number;
  capacity_bytes: number;
}

interface Fit {
  fits: boolean;
  reason: string;
  max_context_tokens: number | null;
  max_batch: number | null;
  limiting_rank: number;
  headroom_bytes: number;
  usable_bytes: number;
  kv_bytes_per_token: number;
  ranks: Rank[];
  speed?: Record<string, number | string | null> | null;
  smallest_machine?: Record<string, number | string> | null;
  mends?: { patch: Patch; effect?: Change | null }[];
}

const own = ["tp", "pp", "dp", "cp", "ep"];

export const request = computed<Json>(() => {
  const all = inputs.value;
  const result: Json = { model: all.model, machine: all.machine ?? "dgx-h100", context: all.context ?? 8192, batch: all.batch ?? 1 };
  if (all.machine === undefined) result.tp = 8;
  for (const axis of own) if (all[`fit.${axis}`] !== undefined) result[axis] = all[`fit.${axis}`];
  for (const key of ["precision", "kv_precision"]) if (all[key] !== undefined) result[key] = all[key];
  if (all["fit.engine"] !== undefined) result.engine = all["fit.engine"];
  return result;
});

const fit = live<Fit>("fit", computed(() => (page.value === "fit" ? request.value : null)));

effect(() => {
  if (page.value === "fit") pageCommand.value = { command: "fit", request: request.value };
});

export function FitRail() {
  const filled = (fit.reply.value?.inputs ?? {}) as Filled;
  const precisions = ["bf16", "fp8", "int4"].map((value) => ({ value, text: value }));
  return (
    <>
      <Model />
      <Group title="Machine">
        <MachineChoice filled={{ ...filled, machine: { name: request.value.machine } }} />
      </Group>
      <Group title="Sequence">
        <Knob path="context" label="Context" value={request.value.context} min={1024} max={1048576} unit="tok" whole />
        <Knob path="batch" label="Batch" value={request.value.batch} min={1} max={1024} whole />
        <Row path="precision" label="Weights"><Segments path="precision" label="Weight precision" value={at(filled, "precision") ?? "bf16"} choices={precisions} /></Row>
        <Row path="kv_precision" label="KV cache"><Segments path="kv_precision" label="KV cache precision" value={at(filled, "kv_precision")} choices={precisions} /></Row>
      </Group>
      <Group title="Plan">
        <div class="degs">
          {own.map((axis) => (
            <Degree key={axis} path={`fit.${axis}`} label={axis.toUpperCase()} value={inputs.value[`fit.${axis}`] ?? filled[axis]} />
          ))}
        </div>
        <Row path="fit.engine" label="Engine"><Text wide path="fit.engine" label="Serving engine" value={inputs.value["fit.engine"] ?? ""} set={(value) => setInput("fit.engine", value)} /></Row>
      </Group>
    </>
  );
}

const degrees = ["tp", "pp", "dp", "cp", "ep", "etp"];
const names: readonly (readonly [key: string, name: string])[] = [["weights_bytes", "Weights"], ["kv_cache_bytes", "KV cache"], ["activations_bytes", "Activations"], ["runtime_bytes", "Runtime"]];

function Bar({ rank, isLimiting }: { rank: Rank; isLimiting: boolean }) {
  const drawn = memoryBar(names.map(([key]) => [key, rank[key] ?? 0] as const), rank.capacity_bytes);
  return (
    <li>
      <span>Stage {count(rank.stage)}, rank {count(rank.rank)} {isLimiting ? <b>limits</b> : null}</span>
      <svg class="ch" viewBox="0 0 420 22" role="img" aria-label={`${bytes(rank.total_bytes)} of ${bytes(rank.capacity_bytes)}`}>
        <rect class="frame" x="0.5" y="1.5" width="419" height="19" rx="2" />
        {drawn.parts.map((part, i) => <rect key={part.key} class={`m${[0, 2, 4, 5][i]}`} x={part.x} y="2" width={part.width} height="18" />)}
        <path class={drawn.isOver ? "mark over" : "mark"} d={`M${drawn.capacityX} 0V22`} />
      </svg>
      <span class="num">{bytes(rank.total_bytes)}</span>
    </li>
  );
}

export function FitPage() {
  const reply = fit.reply.value;
  const refused = fit.failure.value;
  if (!reply) return <Waiting text={refused ? `${refused.message} ${refused.hint}` : ""} />;
  const { result } = reply;
  const limiting = result.ranks.find((rank) => rank.rank === result.limiting_rank) ?? result.ranks[0];
  const smallest = result.smallest_machine;
  return (
    <>
      <div class="head">
        <div>
          <h1>Does it fit, and how far does it go?</h1>
          <p class="crumb">{String(typeof reply.inputs.model === "string" ? reply.inputs.model : "your config.json")} on {String(request.value.machine)}, {count(Number(reply.inputs.context))} tokens, batch {count(Number(reply.inputs.batch))}</p>
        </div>
        <div class="acts"><button class="btn" onClick={copyCli}>Copy as CLI</button></div>
      </div>
      {refused ? <p class="banner" role="alert">{refused.message} {refused.hint} <i>Shown below: from before the change.</i></p> : null}
      {result.fits ? null : (
        <div class="banner" role="status" data-banner>
          <p>Does not fit: {limiting ? `${bytes(limiting.total_bytes)} needed on rank ${count(limiting.rank)}, ${bytes(limiting.capacity_bytes)} there` : result.reason.replaceAll("_", " ")}.</p>
          <Mends mends={result.mends ?? []} inputOf={(path) => (own.includes(path) ? `fit.${path}` : path.replace(/^plan\./, "fit."))} />
        </div>
      )}
      <dl class="kpis" aria-label="Fit" data-ready>
        <Figure isFirst label="Fits" note={result.reason === "none" ? "every rank" : result.reason.replaceAll("_", " ")}><b class={result.fits ? "good" : "bad"}>{result.fits ? "Yes" : "No"}</b></Figure>
        <Figure label="Longest context" note="at this batch"><span data-figure="context">{byKey("max_context_tokens", result.max_context_tokens)}</span></Figure>
        <Figure label="Largest batch" note="at this context">{count(result.max_batch)}</Figure>
        <Figure label="Left on the fullest" note={`of ${bytes(result.usable_bytes)} usable`}>{bytes(result.headroom_bytes)}</Figure>
        <Figure label="KV per token" note="all devices">{bytes(result.kv_bytes_per_token)}</Figure>
        <Figure label="Smallest machine" note={smallest ? `${numbered(Number(smallest.devices), "devices")}, TP ${smallest.tp}` : ""}><span class="short">{smallest ? String(smallest.name) : none}</span></Figure>
      </dl>
      <div class="cols table">
        <Panel id="ranks" class="drawn" title="Memory per rank" note="limiting rank marked" busy={fit.busy.value} json={() => result.ranks} table={() => ({ columns: ["stage", "rank", ...names.map(([key]) => key), "total_bytes", "capacity_bytes"], rows: result.ranks.map((rank) => [rank.stage, rank.rank, ...names.map(([key]) => rank[key] ?? null), rank.total_bytes, rank.capacity_bytes]) })}>
          <div class="pad">
            <ul class="fitbars">
              {result.ranks.slice(0, 64).map((rank) => <Bar key={`${rank.stage} ${rank.rank}`} rank={rank} isLimiting={rank === limiting} />)}
            </ul>
            <dl class="memkey">
              {names.map(([key, name], i) => (
                <div key={key}><dt><i class={`sw m${[0, 2, 4, 5][i]}`} /> {name}</dt><dd>{bytes(limiting?.[key])}</dd></div>
              ))}
            </dl>
          </div>
        </Panel>
        <div class="stack">
          <Panel id="speed" title="Speed on it" busy={fit.busy.value} json={() => result.speed}>
            <dl class="pad lines">
              {Object.entries(result.speed ?? {}).map(([key, value]) => (
                <div key={key}><dt>{words(key)}</dt><dd>{byKey(key, value)}</dd></div>
              ))}
              {result.speed ? null : <p class="sub">No speed is known for this machine.</p>}
            </dl>
          </Panel>
          <Panel id="smallest" title="Smallest machine that holds it" busy={fit.busy.value} json={() => smallest}>
            <dl class="pad lines">
              {smallest ? <div><dt>Plan</dt><dd>{degrees.filter((axis) => axis === "tp" || Number(smallest[axis] ?? 1) !== 1).map((axis) => `${axis.toUpperCase()} ${count(Number(smallest[axis]))}`).join(" · ")}</dd></div> : null}
              {Object.entries(smallest ?? {}).filter(([key]) => !degrees.includes(key)).map(([key, value]) => (
                <div key={key}><dt>{words(key)}</dt><dd>{byKey(key, value)}</dd></div>
              ))}
              {smallest ? null : <p class="sub">None of the registry's machines does.</p>}
            </dl>
            {smallest ? <p class="pad"><button class="btn sm" onClick={() => setInput("machine", String(smallest.name))}>Try {String(smallest.name)}</button></p> : null}
          </Panel>
        </div>
      </div>
    </>
  );
}
