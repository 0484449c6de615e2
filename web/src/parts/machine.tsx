// The machine: outermost groups on their topology, used groups and devices filled, the chosen rank's groups lit.
import type { Inspect, Topology, TopologyNode } from "../engine/types.ts";
import { bytes, count, numbered } from "../format/format.ts";
import { levelNames } from "../format/names.ts";
import { corner, leaves, machine, rankOf, ringLine, zoom, type Box } from "../layout/machine.ts";
import { counted, neighbour } from "../scale/scale.ts";
import { setView, view } from "../state/store.ts";
import { Panel, type TableData } from "./panel.tsx";

type Pick = (node: TopologyNode) => void;

const rankSteps: Record<string, number> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

const axes = ["tp", "cp", "pp", "dp"] as const;

function same(a: TopologyNode, b: TopologyNode, free: string): boolean {
  const left = a.owner;
  const right = b.owner;
  return left !== null && right !== null && axes.every((axis) => axis === free || left[axis] === right[axis]);
}

function rankText(node: TopologyNode): string {
  return axes.filter((axis) => node.owner?.[axis] !== undefined).map((axis) => `${axis.toUpperCase()} ${node.owner![axis]}`).join(", ");
}

function Device({ box, chosen, pickRank }: { box: Box; chosen: TopologyNode | null; pickRank: Pick }) {
  const node = box.node;
  const isTp = chosen !== null && same(node, chosen, "tp");
  const isCp = chosen !== null && same(node, chosen, "cp");
  const classes = ["pe", node.used ? "use" : "", isTp ? "tp" : "", isCp ? "cp" : "", chosen?.id === node.id ? "me" : ""].join(" ");
  return <rect class={classes} x={box.x} y={box.y} width={box.width} height={box.height} rx="1" data-device={node.id} data-used={node.used} onClick={() => pickRank(node)} />;
}

function Inner({ box, chosen, pickRank }: { box: Box; chosen: TopologyNode | null; pickRank: Pick }) {
  if (box.isLeaf && box.node.owner !== null && "tp" in box.node.owner) return <Device box={box} chosen={chosen} pickRank={pickRank} />;
  const isLit = chosen !== null && chosen.id.startsWith(`${box.node.id}.`);
  return (
    <g data-cube={box.node.id} data-used={box.node.used}>
      <rect class={`cube${box.node.used ? " use" : ""}${isLit ? " lit" : ""}`} x={box.x} y={box.y} width={box.width} height={box.height} rx="2" />
      {box.children.map((child) => (child.isLeaf ? <Device key={child.node.id} box={child} chosen={chosen} pickRank={pickRank} /> : <Inner key={child.node.id} box={child} chosen={chosen} pickRank={pickRank} />))}
    </g>
  );
}

function holds(node: TopologyNode): string {
  if (!node.used) return "idle";
  const owner = node.owner;
  const list = (key: string): string => (Array.isArray(owner?.[key]) ? (owner[key] as number[]).join(", ") : "");
  const dp = list("dp");
  const pp = list("pp");
  return [dp ? `replica ${dp}` : "", pp && pp !== "0" ? `stage ${pp}` : ""].filter(Boolean).join(", ");
}

// A device that stands alone in the outermost level, as the GPUs of one node do.
function Whole({ box, chosen, pickRank }: { box: Box; chosen: TopologyNode | null; pickRank: Pick }) {
  const node = box.node;
  const isTp = chosen !== null && same(node, chosen, "tp");
  const name = corner(box, 6, 14);
  return (
    <g data-device={node.id} data-used={node.used} onClick={() => pickRank(node)}>
      <rect class={`pe big${node.used ? " use" : ""}${isTp ? " tp" : ""}${chosen?.id === node.id ? " me" : ""}`} x={box.x} y={box.y} width={box.width} height={box.height} rx="4" />
      <text class={isTp ? "inv" : "on"} x={name.x} y={name.y}>{node.id.replace(/^(\D+)/, (word) => `${word} `)}</text>
      {box.width < 56 ? null : <text class={isTp ? "inv" : "on"} x={name.x} y={corner(box, 6, 28).y}>TP {String(node.owner?.tp)}</text>}
    </g>
  );
}

function Outer({ box, chosen, isCompact, pickRank }: { box: Box; chosen: TopologyNode | null; isCompact: boolean; pickRank: Pick }) {
  if (box.node.owner !== null && "tp" in box.node.owner) return <Whole box={box} chosen={chosen} pickRank={pickRank} />;
  const name = corner(box, 7, 14);
  const what = corner(box, -7, 14);
  return (
    <g data-sip={box.node.id} data-used={box.node.used} onClick={isCompact && box.node.used ? () => setView("level", box.node.id) : undefined}>
      <rect class={`sip${box.node.used ? "" : " idle"}${isCompact && box.node.used ? " full" : ""}`} x={box.x} y={box.y} width={box.width} height={box.height} rx="5" />
      <text class="s" x={name.x} y={name.y}>
        {isCompact || box.width < 60 ? box.node.id.replace(/^\D+/, "") : box.node.id.replace(/^(\D+)/, (word) => `${word.toUpperCase()} `)}
      </text>
      {isCompact || box.width < 96 ? null : (
        <text class="m" x={what.x} y={what.y} text-anchor="end">
          {holds(box.node)}
        </text>
      )}
      {box.children.map((child) => (child.isLeaf ? <Device key={child.node.id} box={child} chosen={chosen} pickRank={pickRank} /> : <Inner key={child.node.id} box={child} chosen={chosen} pickRank={pickRank} />))}
    </g>
  );
}

function Zoom({ topology, chosen, names, pickRank }: { topology: Topology; chosen: TopologyNode; names: boolean; pickRank: Pick }) {
  const drawn = chosen.parent ? zoom(topology, chosen.parent) : null;
  if (!drawn) return null;
  return (
    <figure class="zoom">
      <figcaption class="fine">
        {drawn.title}: {rankText(chosen)} is {chosen.id}
      </figcaption>
      <svg class="ch" viewBox={`0 0 ${drawn.width} ${drawn.height}`} role="img" aria-label={`Devices of ${drawn.title}`}>
        {drawn.boxes.map((box) => {
          const at = corner(box, 6, 18);
          return (
            <g key={box.node.id} onClick={() => pickRank(box.node)}>
              <rect class={`pz${box.node.id === chosen.id ? " on" : ""}${box.node.used ? "" : " idle"}`} x={box.x} y={box.y} width={box.width} height={box.height} rx="3" />
              <text class="s" x={at.x} y={at.y}>
                {names ? box.node.id.split(".").at(-1) : box.node.owner ? `${box.node.owner.tp}·${box.node.owner.cp}` : "idle"}
              </text>
            </g>
          );
        })}
      </svg>
      <p class="fine">Each box: TP rank · CP rank. Dark: the chosen rank's TP group; purple: its CP ring.</p>
    </figure>
  );
}

function twin(topology: Topology): TableData {
  return { columns: ["id", "level", "used", "holds"], rows: topology.nodes.map((node) => [node.id, node.level, String(node.used), node.owner && "tp" in node.owner ? rankText(node) : holds(node)]) };
}

export function Machine({ result, plan, busy }: { result: Inspect; plan: Record<string, unknown>; busy: boolean }) {
  const topology = result.topology;
  if (!topology) return null;
  const drawn = machine(topology);
  const wanted = result.shards[0]?.owner ?? "";
  const pickRank: Pick = (node) => {
    if (node.owner !== null && "tp" in node.owner) setView("rank", String(rankOf(node.owner, plan)));
  };
  const ranked = topology.nodes.filter((node) => node.owner !== null && "tp" in node.owner);
  const chosen = topology.nodes.find((node) => node.id === wanted && node.owner !== null) ?? null;
  const ring = chosen ? leaves(drawn.boxes).filter((box) => same(box.node, chosen, "cp")) : [];
  const outer = topology.levels.at(-1);
  const hot = drawn.links.find((link) => link.isHot);
  const summary = topology.levels.map((level) => `${count(level.used)} of ${count(level.members)} ${level.name}`).join(", ");
  return (
    <Panel id="machine" class="drawn" title="Machine" note={outer ? `${outer.topology} of ${count(outer.members)}` : ""} busy={busy} table={() => twin(topology)} json={() => topology}>
      <div class="pad">
        <svg class="ch machine" viewBox={`0 0 ${drawn.width} ${drawn.height}`} role="group" aria-label={`Machine: ${summary}`}>
          <g
            role="slider" tabindex={0} aria-label="Rank" aria-valuemin={0} aria-valuemax={counted(ranked, -1)} aria-valuenow={ranked.indexOf(chosen!)} aria-valuetext={chosen ? `${rankText(chosen)} on ${chosen.id}` : "none"}
            onKeyDown={(event) => {
              const by = rankSteps[event.key];
              if (by === undefined) return;
              event.preventDefault();
              const next = ranked[neighbour(ranked.findIndex((node) => node.id === chosen?.id), by, counted(ranked))];
              if (next) pickRank(next);
            }}
          >
          {drawn.bar ? (
            <g data-link={outer?.name}>
              <path class="lk" d={drawn.bar.spokes} />
              <rect class="bar-s" x={drawn.bar.x} y={drawn.bar.y} width={drawn.bar.width} height="12" rx="3" />
              <title>{`${outer?.topology}: ${bytes(drawn.bar.bytes)} a layer and link`}</title>
            </g>
          ) : null}
          {drawn.links.map((link) => (
            <path key={`${link.name}${link.path}`} class={`lk${link.isHot ? " hot" : ""}`} d={link.path} data-link={link.name}>
              <title>{`${link.name}: ${bytes(link.bytes)} a layer`}</title>
            </path>
          ))}
          {drawn.boxes.map((box) => (
            <Outer key={box.node.id} box={box} chosen={chosen} isCompact={drawn.isCompact} pickRank={pickRank} />
          ))}
          {ring.length > 1 ? <path class="ringp" d={ringLine(ring)} /> : null}
          </g>
        </svg>
        {drawn.bar && outer ? <p class="fine">{outer.topology} of {outer.name}: {bytes(drawn.bar.bytes)} a layer over each link.</p> : null}
        {drawn.idle > 0 ? <p class="fine">{count(drawn.idle)} more stand idle.</p> : null}
        {hot ? (
          <p class="fine">
            Busiest link: {hot.name}, {bytes(hot.bytes)} a layer.
          </p>
        ) : null}
        {chosen ? <Zoom topology={topology} chosen={chosen} names={view.value.names === "on"} pickRank={pickRank} /> : <p class="fine">Click a device to see the groups of its rank.</p>}
        <p class="fine" data-layout>
          {Object.entries(result.layout).filter(([key]) => key.endsWith("_used")).map(([key, value]) => numbered(Number(value), levelNames[key] ?? key.replace("_used", ""))).join(", ")} used
        </p>
      </div>
    </Panel>
  );
}
