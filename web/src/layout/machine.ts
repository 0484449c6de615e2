// Geometry of the machine: boxes of the outermost groups on their grid, groups and devices inside, links between.
import type { Topology, TopologyNode } from "../engine/types.ts";

export interface Box {
  node: TopologyNode;
  x: number;
  y: number;
  width: number;
  height: number;
  children: Box[];
  isLeaf: boolean;
}

export interface Drawn {
  width: number;
  height: number;
  boxes: Box[];
  links: { path: string; bytes: number; isHot: boolean; name: string }[];
  bar: { x: number; y: number; width: number; spokes: string; bytes: number } | null; // a switch that joins all
  idle: number; // groups too many to draw
  isCompact: boolean;
}

const across = 420;
const header = 20;
const gap = 26;

type Families = Map<string | null, TopologyNode[]>;

function families(topology: Topology): Families {
  const children: Families = new Map();
  for (const node of topology.nodes) {
    const list = children.get(node.parent);
    if (list) list.push(node);
    else children.set(node.parent, [node]);
  }
  return children;
}

// Siblings keep the engine's rows and columns, whatever its unit.
function grid(nodes: readonly TopologyNode[]): { columns: number; rows: number; at: (node: TopologyNode) => [column: number, row: number] } {
  const xs = [...new Set(nodes.map((node) => node.x))].sort((a, b) => a - b);
  const ys = [...new Set(nodes.map((node) => node.y))].sort((a, b) => a - b);
  return { columns: xs.length, rows: ys.length, at: (node) => [xs.indexOf(node.x), ys.indexOf(node.y)] };
}

const frames = [{ head: header, pad: 6, space: 3 }, { head: 0, pad: 3, space: 2 }] as const;
const frame = (depth: number) => frames[Math.min(depth, 1)]!;
const leastCell = 4;

// The height below which the devices inside could not be told apart.
function leastHeight(node: TopologyNode, children: Families, depth: number): number {
  const inner = children.get(node.id) ?? [];
  if (inner.length === 0) return leastCell;
  const { head, pad, space } = frame(depth);
  const { rows } = grid(inner);
  return head + 2 * pad + (rows - 1) * space + rows * Math.max(...inner.map((child) => leastHeight(child, children, depth + 1)));
}

// A group too narrow for what is in it is drawn as one box.
function place(node: TopologyNode, children: Families, x: number, y: number, width: number, height: number, depth: number): Box {
  const inner = children.get(node.id) ?? [];
  const box: Box = { node, x, y, width, height, children: [], isLeaf: inner.length === 0 && depth > 0 };
  if (inner.length === 0) return box;
  const { columns, rows, at } = grid(inner);
  const { head, pad, space } = frame(depth);
  const cellWidth = (width - 2 * pad - (columns - 1) * space) / columns;
  const cellHeight = (height - head - 2 * pad - (rows - 1) * space) / rows;
  if (cellWidth < 1) return box;
  for (const child of inner) {
    const [column, row] = at(child);
    box.children.push(place(child, children, x + pad + column * (cellWidth + space), y + head + pad + row * (cellHeight + space), cellWidth, cellHeight, depth + 1));
  }
  return box;
}

function linkPath(a: Box, b: Box, isWrap: boolean, isPair: boolean): string {
  const ax = a.x + a.width / 2;
  const ay = a.y + a.height / 2;
  const bx = b.x + b.width / 2;
  const by = b.y + b.height / 2;
  const shift = isPair ? (isWrap ? 5 : -5) : 0;
  if (Math.abs(ay - by) < 1) {
    if (isWrap && !isPair) return `M${Math.min(ax, bx) - a.width / 2} ${ay + 8}h-10M${Math.max(ax, bx) + a.width / 2} ${ay + 8}h10`;
    const [from, to] = ax < bx ? [a, b] : [b, a];
    return `M${from.x + from.width} ${ay + shift}H${to.x}`;
  }
  if (Math.abs(ax - bx) < 1) {
    if (isWrap && !isPair) return `M${ax + 8} ${Math.min(a.y, b.y)}v-9M${ax + 8} ${Math.max(a.y + a.height, b.y + b.height)}v9`;
    const [from, to] = ay < by ? [a, b] : [b, a];
    return `M${ax + shift} ${from.y + from.height}V${to.y}`;
  }
  return `M${ax} ${ay}L${bx} ${by}`;
}

// What hangs on a switch: a bar above, and from it a line along each column with a stub to each box.
function switchBar(boxes: readonly Box[], space: number): { x: number; y: number; width: number; spokes: string } {
  const down = new Map<number, number>();
  let stubs = "";
  for (const box of boxes) {
    const x = box.x - Math.min(8, space / 2);
    const y = box.y + box.height / 2;
    down.set(x, Math.max(down.get(x) ?? 0, y));
    stubs += `M${x} ${y}H${box.x}`;
  }
  const lines = [...down].map(([x, y]) => `M${x} 16V${y}`).join("");
  return { x: 4, y: 4, width: across - 8, spokes: lines + stubs };
}

const mostIdle = 48;
const idleRow = 22;
const idleColumns = 8;

// Idle groups: small dashed boxes below, in their order.
function idleBoxes(nodes: readonly TopologyNode[], top: number): Box[] {
  const width = (across - 24 - (idleColumns - 1) * 4) / idleColumns;
  return nodes.map((node, i) => ({
    node, x: 12 + (i % idleColumns) * (width + 4), y: top + Math.floor(i / idleColumns) * (idleRow + 4), width, height: idleRow, children: [], isLeaf: false,
  }));
}

export function machine(topology: Topology, compactOver = 16): Drawn {
  const children = families(topology);
  const roots = children.get(null) ?? [];
  const busy = roots.filter((node) => node.used);
  const idle = roots.filter((node) => !node.used);
  const all = busy.length > 0 ? busy : roots;
  const { columns, rows, at } = grid(all);
  const isCompact = all.length > compactOver || columns > 5;
  const space = isCompact ? 10 : gap;
  const width = (across - 24 - (columns - 1) * space) / columns;
  const used = all.some((node) => children.has(node.id));
  const least = Math.max(52, ...all.map((node) => leastHeight(node, children, 0)));
  const height = isCompact || !used ? Math.max(22, Math.min(44, width)) : Math.max(least, Math.min(160, width * 0.66));
  const outermost = topology.levels.at(-1);
  const isSwitched = /switch|fat-tree|rail/.test(outermost?.topology ?? "") && all.length > 1;
  const top = isSwitched ? 26 : 10;
  const boxes = all.map((node) => {
    const [column, row] = at(node);
    return place(node, isCompact ? new Map() : children, 12 + column * (width + space), top + row * (height + space), width, height, 0);
  });
  const bottom = top + 10 + rows * height + (rows - 1) * space;
  const isDrawn = busy.length > 0 && idle.length <= mostIdle;
  const rest = isDrawn ? idleBoxes(idle, bottom) : [];
  const byId = new Map(boxes.map((box) => [box.node.id, box]));
  const outer = topology.links.filter((link) => byId.has(link.a) && byId.has(link.b));
  const most = Math.max(0, ...outer.map((link) => link.bytes));
  const pairs = new Map<string, number>();
  const pairOf = (a: string, b: string): string => (a < b ? `${a} ${b}` : `${b} ${a}`);
  for (const link of outer) pairs.set(pairOf(link.a, link.b), (pairs.get(pairOf(link.a, link.b)) ?? 0) + 1);
  const links = outer.map((link) => {
    const a = byId.get(link.a)!;
    const b = byId.get(link.b)!;
    return {
      path: linkPath(a, b, link.wrap, (pairs.get(pairOf(link.a, link.b)) ?? 0) > 1),
      bytes: link.bytes, isHot: most > 0 && link.bytes === most, name: `${link.a} to ${link.b}`,
    };
  });
  const below = rest.length > 0 ? Math.ceil(rest.length / idleColumns) * (idleRow + 4) + 4 : 0;
  return { width: across, height: bottom + below, boxes: [...boxes, ...rest], links, isCompact, bar: isSwitched ? { ...switchBar(boxes, space), bytes: outermost?.link_bytes ?? 0 } : null, idle: isDrawn ? 0 : idle.length };
}

// One inner group, large, with its devices.
export function zoom(topology: Topology, id: string): { width: number; height: number; boxes: Box[]; title: string } | null {
  const children = families(topology);
  const inside = children.get(id);
  if (!inside) return null;
  const { columns, rows, at } = grid(inside);
  const size = Math.min(64, (across - 24) / columns - 6);
  const boxes = inside.map((node) => {
    const [column, row] = at(node);
    return { node, x: 12 + column * (size + 6), y: 4 + row * 34, width: size, height: 28, children: [], isLeaf: true };
  });
  return { width: across, height: 8 + rows * 34, boxes, title: id.replaceAll(".", ", ") };
}

// Ranks are numbered TP first, then CP, then DP.
export function rankOf(owner: Record<string, number | number[]>, plan: Record<string, unknown>): number {
  const read = (axis: string): number => Number(owner[axis] ?? 0);
  return read("tp") + Number(plan.tp) * (read("cp") + Number(plan.cp) * read("dp"));
}

export function centre(box: Box): { x: number; y: number } {
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

export function corner(box: Box, dx: number, dy: number): { x: number; y: number } {
  return { x: dx < 0 ? box.x + box.width + dx : box.x + dx, y: box.y + dy };
}

// A closed line through the devices of a ring, in its order.
export function ringLine(boxes: readonly Box[]): string {
  const points = boxes.map((box) => centre(box));
  return points.length < 2 ? "" : `M${points.map((point) => `${point.x} ${point.y}`).join("L")}Z`;
}

export function leaves(boxes: readonly Box[]): Box[] {
  return boxes.flatMap((box) => (box.isLeaf ? [box] : leaves(box.children)));
}
