// The layer as blocks S1-S10 and F1-F6, the ring loop over S5-S8, and the layer to scale.
import type { LayerKind, Stage } from "../engine/types.ts";
import { byKey, count, time } from "../format/format.ts";
import { stageNames } from "../format/names.ts";
import { grow } from "../scale/scale.ts";
import { hover, setView, view } from "../state/store.ts";
import { LegendBounds, Mark } from "./icons.tsx";
import { Panel, type TableData } from "./panel.tsx";

export const kindName = (layer: LayerKind): string =>
  [layer.windowed ? "windowed" : "full attention", layer.moe ? "experts" : "dense"].join(", ");

export function pick(name: string): void {
  setView("sel", view.peek().sel === name ? null : name);
}

function Block({ stage, inLoop, isFfn }: { stage: Stage; inLoop: boolean; isFfn: boolean }) {
  const classes = ["stg", `b-${stage.bound}`, view.value.sel === stage.name ? "on" : "", hover.value === stage.name ? "lit" : "", inLoop ? "lp" : "", isFfn ? "ff" : ""].join(" ");
  return (
    <button
      class={classes}
      data-stage={stage.name}
      aria-pressed={view.value.sel === stage.name}
      onClick={() => pick(stage.name)}
      onMouseEnter={() => (hover.value = stage.name)}
      onMouseLeave={() => (hover.value = null)}
      title={stage.title}
    >
      <b>
        {stage.name} <Mark bound={stage.bound} label />
      </b>
      <em>{stageNames[stage.name] ?? stage.title}</em>
      <span>{time(stage.total_s)}</span>
    </button>
  );
}

export function table(layer: LayerKind): TableData {
  return {
    columns: ["stage", "name", "bound", "compute_s", "memory_s", "network_s", "total_s", "layer_fraction"],
    rows: layer.stages.map((s) => [s.name, s.title, s.bound, s.compute_s, s.memory_s, s.network_s, s.total_s, s.layer_fraction ?? null]),
  };
}

export function Pipeline({ layers, layer, busy }: { layers: LayerKind[]; layer: LayerKind; busy: boolean }) {
  const hops = layer.ring_hops;
  const loop = ["S5", "S6", "S7", "S8"];
  return (
    <Panel id="pipeline" title="Pipeline" note={`one layer${layers.length > 1 ? ` (${kindName(layer)})` : ""}; repeated ${count(layer.count)} times`} busy={busy} table={() => table(layer)} json={() => layer} tools={<LegendBounds />}>
      <div class="pad">
        {layers.length > 1 ? <Kinds layers={layers} layer={layer} /> : null}
        <div class="pipe" role="group" aria-label="Stages of one layer">
          <span class="lane a">Attention</span>
          {hops > 0 ? (
            <span class="loop" role="img" aria-label={`Ring attention: S5 to S8 run again after each of ${hops} hops`}>
              <b data-badge>× {count(hops)} hops</b>
            </span>
          ) : null}
          {layer.stages.filter((stage) => stage.name.startsWith("S")).map((stage) => (
            <Block key={stage.name} stage={stage} inLoop={hops > 0 && loop.includes(stage.name)} isFfn={false} />
          ))}
          <span class="gap" />
          <span class="lane b">Feed-forward</span>
          {layer.stages.filter((stage) => stage.name.startsWith("F")).map((stage) => (
            <Block key={stage.name} stage={stage} inLoop={false} isFfn />
          ))}
        </div>
        <div class="scale" role="img" aria-label="The layer to scale, longest stages widest">
          {layer.stages.filter((stage) => stage.total_s > 0).map((stage) => (
            <i
              key={stage.name}
              class={`c-${stage.bound}${view.value.sel === stage.name ? " on" : ""}${hover.value === stage.name ? " lit" : ""}`}
              style={{ flexGrow: grow(stage.total_s, layer.layer_s) }}
              title={`${stage.name} ${stage.title}: ${time(stage.total_s)}`}
              onMouseEnter={() => (hover.value = stage.name)}
              onMouseLeave={() => (hover.value = null)}
              onClick={() => pick(stage.name)}
            />
          ))}
        </div>
        <p class="scalelab">
          <span>0</span>
          <span>one layer to scale{hops === 0 ? "; no ring loop: one visit" : ""}</span>
          <span>{time(layer.layer_s)}</span>
        </p>
      </div>
    </Panel>
  );
}

function Kinds({ layers, layer }: { layers: LayerKind[]; layer: LayerKind }) {
  return (
    <div class="tabs" role="tablist" aria-label="Kinds of layer">
      {layers.map((kind, i) => (
        <button key={i} role="tab" aria-selected={kind === layer} onClick={() => setView("kind", String(i))}>
          {kindName(kind)} <span class="count">{count(kind.count)}</span> {byKey("share_fraction", kind.share_fraction)}
        </button>
      ))}
    </div>
  );
}
