// Tensor sharding and the roofline.
import type { Inspect, Shard } from "../engine/types.ts";
import { byKey, bytes, count, shape, tick, time } from "../format/format.ts";
import { tensorNames } from "../format/names.ts";
import { box, moved, roofline, symbolPath } from "../layout/roofline.ts";
import { cut } from "../layout/shards.ts";
import { hover, setView, view } from "../state/store.ts";
import { pick } from "./pipeline.tsx";
import { Panel } from "./panel.tsx";

function Tensor({ shard, names }: { shard: Shard; names: boolean }) {
  const drawn = cut(shard);
  return (
    <figure class="tensor">
      <figcaption>
        <b>{tensorNames[shard.tensor] ?? shard.tensor}</b> <span class="mute">{shape(shard.full_shape)}</span>
      </figcaption>
      <svg class="ch" viewBox={`0 0 ${drawn.width} ${drawn.height}`} width={drawn.width} height={drawn.height} role="img" aria-label={`${shard.tensor}: ${shard.rule ?? shard.sharded_over}`}>
        <rect class="shard" x="0" y="0" width={drawn.width} height={drawn.height} />
        <path class="cutl" d={drawn.lines} />
        <rect class="shard on" {...drawn.mine} />
      </svg>
      <p>{shard.rule ?? `over ${shard.sharded_over}`}</p>
      <p class="mute">
        {bytes(shard.per_pe_bytes)} each, {shard.copies === 1 ? "one copy" : `${count(shard.copies)} copies`}
      </p>
      {names && shard.owner ? <p class="mono">{shard.owner.replaceAll(".", ", ")}</p> : null}
    </figure>
  );
}

export function Sharding({ result, busy }: { result: Inspect; busy: boolean }) {
  const names = view.value.names === "on";
  const owner = result.shards[0]?.owner;
  return (
    <Panel
      id="sharding"
      class="drawn"
      title="Tensor sharding"
      busy={busy}
      note={owner ? `what ${owner.replaceAll(".", ", ")} holds, dark; the other pieces light` : "how each tensor is cut"}
      tools={
        <label class="check">
          <input type="checkbox" checked={names} onChange={(event) => setView("names", event.currentTarget.checked ? "on" : null)} /> device names
        </label>
      }
      json={() => result.shards}
      table={() => ({ columns: ["tensor", "full_shape", "sharded_over", "per_pe_shape", "per_pe_bytes", "copies", "owner"], rows: result.shards.map((s) => [s.tensor, s.full_shape.join(" x "), s.sharded_over, s.per_pe_shape.join(" x "), s.per_pe_bytes, s.copies, s.owner ?? ""]) })}
    >
      <div class="pad tensors">
        {result.shards.map((shard) => (
          <Tensor key={shard.tensor} shard={shard} names={names} />
        ))}
      </div>
    </Panel>
  );
}

export function Roof({ result, busy, kind }: { result: Inspect; busy: boolean; kind: number }) {
  const layer = result.layers[kind];
  if (!result.roofline || !layer) return null;
  const drawn = roofline(result.roofline, layer.stages);
  const lit = hover.value ?? view.value.sel;
  const focus = drawn.marks.find((mark) => mark.stage.name === lit);
  return (
    <Panel
      id="roofline"
      class="drawn"
      title="Roofline"
      note="reached against intensity, log scales"
      busy={busy}
      json={() => result.roofline}
      table={() => ({ columns: ["stage", "intensity_flop_per_byte", "flop_per_s", "bound"], rows: drawn.marks.map((m) => [m.stage.name, m.stage.intensity_flop_per_byte, m.stage.flop_per_s ?? null, m.stage.bound]) })}
    >
      <div class="pad">
        <svg class="ch" viewBox={`0 0 ${box.width} ${box.height}`} role="img" aria-label={`Roofline: peak ${drawn.peak}, memory ${drawn.slope}`}>
          {drawn.y.ticks.map((step) => (
            <g key={step}>
              <path class="gr" d={`M${box.left} ${drawn.y.at(step)}H${box.right}`} />
              <text x={moved(box.left, -6)} y={moved(drawn.y.at(step), 4)} text-anchor="end">{tick("_flop_per_s", step)}</text>
            </g>
          ))}
          {drawn.x.ticks.map((step) => (
            <text key={step} x={drawn.x.at(step)} y={moved(box.bottom, 15)} text-anchor="middle">{tick("", step)}</text>
          ))}
          <path class="ax" d={`M${box.left} ${box.bottom}H${box.right}`} />
          <path class="roof" d={drawn.roof} />
          <text class="s" x={box.right} y={moved(drawn.peakY, -5)} text-anchor="end">{drawn.peak}</text>
          {focus ? <path class="roof2" d={`M${focus.x} ${focus.y}V${focus.roof}`} /> : null}
          {drawn.marks.map((mark) => (
            <g key={mark.stage.name} class="pickable" onClick={() => pick(mark.stage.name)} onMouseEnter={() => (hover.value = mark.stage.name)} onMouseLeave={() => (hover.value = null)}>
              <path class={`c-${mark.stage.bound}${lit === mark.stage.name ? " strong" : ""}`} d={symbolPath(mark.stage.bound, mark.x, mark.y, lit === mark.stage.name ? 6 : 4)} />
              {mark.name || lit === mark.stage.name ? <text class="s" x={moved(mark.x, 8)} y={moved(mark.y, 13)}>{lit === mark.stage.name ? lit : mark.name}</text> : null}
            </g>
          ))}
          <text x={moved(box.right, 0)} y={moved(box.bottom, 32)} text-anchor="end">intensity, FLOP per byte of memory traffic</text>
        </svg>
        <p class="fine">
          {focus ? `${focus.stage.name} ${focus.stage.title}: ${byKey("_flop_per_byte", focus.stage.intensity_flop_per_byte)}, ${byKey("_flop_per_s", focus.stage.flop_per_s)}, ${time(focus.stage.total_s)}` : `Ridge at ${byKey("_flop_per_byte", result.roofline.ridge_flop_per_byte)}; memory ${drawn.slope}`}
        </p>
      </div>
    </Panel>
  );
}
