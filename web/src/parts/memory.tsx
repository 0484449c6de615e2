// Memory of one device against its capacity: parts in fixed order, copies hatched, what is over goes past the mark.
import type { Inspect, MemoryParts } from "../engine/types.ts";
import { bytes, count, percent } from "../format/format.ts";
import { memoryNames } from "../format/names.ts";
import { memoryBar } from "../layout/memory.ts";
import { Panel } from "./panel.tsx";

export const parts = memoryNames.map(([key]) => key);

export function MemoryBar({ values, capacity, hatched, label }: { values: Record<string, unknown>; capacity: number; hatched: ReadonlySet<string>; label: string }) {
  const drawn = memoryBar(parts.map((key) => [key, Number(values[key] ?? 0)] as const), capacity);
  return (
    <svg class="ch" viewBox="0 0 420 44" role="img" aria-label={label}>
      <defs>
        <pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <path class="hatchl" d="M0 0V6" />
        </pattern>
      </defs>
      <rect class="frame" x="0.5" y="2.5" width="419" height="25" rx="2" />
      {drawn.parts.map((part, i) => (
        <g key={part.key}>
          <rect class={`m${i}`} x={part.x} y="3" width={part.width} height="24" />
          {hatched.has(part.key) ? <rect fill="url(#hatch)" x={part.x} y="3" width={part.width} height="24" /> : null}
        </g>
      ))}
      <path class={drawn.isOver ? "mark over" : "mark"} d={`M${drawn.capacityX} 0V30`} />
      <text x="0" y="41">0</text>
      <text x={drawn.capacityX} y="41" text-anchor="end">{bytes(capacity)} per device</text>
    </svg>
  );
}

const heldElsewhere: Record<string, string[]> = {
  attn_weights: ["attn_weights_bytes"], ffn_weights: ["ffn_weights_bytes"], kv_cache: ["kv_cache_bytes"], embed_and_head: ["embedding_bytes", "head_bytes"],
};

function Key({ memory }: { memory: MemoryParts }) {
  return (
    <dl class="memkey">
      {memoryNames.map(([key, name], i) => (
        <div key={key}>
          <dt>
            <i class={`sw m${i}`} /> {name}
          </dt>
          <dd>{bytes(Number(memory[key] ?? 0))}</dd>
        </div>
      ))}
    </dl>
  );
}

export function Memory({ result, busy, unit }: { result: Inspect; busy: boolean; unit: string }) {
  const memory = result.memory;
  const hatched = new Set(result.replication.rows.flatMap((row) => heldElsewhere[row.tensor] ?? []));
  const stages = memory.stages ?? [];
  return (
    <Panel
      id="memory" class="drawn" title={`Memory per ${unit}`} busy={busy} note={stages.length > 1 ? `fullest stage: ${count(memory.stage)}` : "fullest stage"} json={() => memory}
      table={() => ({ columns: ["stage", ...parts, "total_bytes", "capacity_bytes"], rows: (stages.length > 0 ? stages : [memory]).map((stage) => [Number(stage.stage ?? 0), ...parts.map((key) => Number(stage[key] ?? 0)), stage.total_bytes, memory.capacity_bytes]) })}
    >
      <div class="pad">
        <MemoryBar values={memory} capacity={memory.capacity_bytes} hatched={hatched} label={`${bytes(memory.total_bytes)} of ${bytes(memory.capacity_bytes)}`} />
        {memory.over_bytes ? <p class="bad">Does not fit: {bytes(memory.over_bytes)} too much.</p> : null}
        <Key memory={memory} />
        {hatched.size > 0 ? <p class="fine">Hatched: the same bytes are held by other devices as well.</p> : null}
        {stages.length > 1 ? (
          <ul class="stagebars">
            {stages.map((stage) => (
              <li key={stage.stage}>
                <span>Stage {count(stage.stage)}, {count(stage.layers)} layers</span>
                <MemoryBar values={stage} capacity={memory.capacity_bytes} hatched={new Set()} label={`Stage ${stage.stage}: ${bytes(stage.total_bytes)}`} />
                <span class="num">{bytes(stage.total_bytes)}</span>
              </li>
            ))}
          </ul>
        ) : null}
        <p class="fine">{percent(memory.used_fraction)} used</p>
      </div>
    </Panel>
  );
}
