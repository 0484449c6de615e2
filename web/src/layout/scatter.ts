// Geometry and painting of the point cloud; the marks of the front are drawn over it as SVG.
import type { Explore, Point, PointColumns } from "../engine/types.ts";
import { fitted, type Scale } from "../scale/scale.ts";

export const plot = { width: 640, height: 520, left: 66, right: 628, top: 30, bottom: 472 };

export interface Cloud {
  x: Scale;
  y: Scale;
  front: Point[];
  frontPath: string;
}

const unpacked = new WeakMap<PointColumns, Point[]>();

// The cloud comes in columns, which are a tenth of its rows; each is read once.
export function shownPoints(result: Explore): Point[] {
  const packed = result.point_columns;
  if (!packed) return [];
  const known = unpacked.get(packed);
  if (known) return known;
  const rows = Array.from({ length: packed.count }, () => ({ hardware: {}, plan: {} }) as Point);
  for (const { key, values, at } of packed.columns) {
    const [group, name] = key.includes("/") ? (key.split("/") as ["hardware" | "plan", string]) : [null, key];
    for (const [i, row] of rows.entries()) {
      const value = values[at ? at[i]! : i] as number;
      if (group) (row[group] ??= {})[name] = value;
      else row[name] = value;
    }
  }
  unpacked.set(packed, rows);
  return rows;
}

export const valueOf = (point: Point, key: string): number => Number(point[key]);

export function misfitsOf(result: Explore): Point[] {
  return shownPoints(result).filter((point) => Number(point.memory_headroom_bytes) < 0);
}

export function cloud(result: Explore, misfits: readonly Point[], xKey: string, yKey: string): Cloud {
  const all = [...shownPoints(result), ...misfits, ...result.pareto];
  const x = fitted(all.map((point) => valueOf(point, xKey)), plot.left, plot.right);
  const y = fitted(all.map((point) => valueOf(point, yKey)), plot.bottom, plot.top);
  const front = [...result.pareto].sort((a, b) => valueOf(a, xKey) - valueOf(b, xKey) || valueOf(b, yKey) - valueOf(a, yKey));
  let path = "";
  for (const point of front) {
    const px = x.at(valueOf(point, xKey));
    const py = y.at(valueOf(point, yKey));
    path += path === "" ? `M${px} ${py}` : `H${px}V${py}`;
  }
  return { x, y, front, frontPath: path };
}

// What colours a mark: what binds it, or any field, in up to five steps of the ramp from its least to its greatest value.
export interface Colours {
  legend: { style: string; shape: string; text: string }[];
  of(point: Point): number; // index into the legend
}

const bounds = ["compute", "memory", "network"];
const rampSteps = 5;
const firstStep = 3;

export function fieldOf(point: Point, path: string): unknown {
  if (path === "bound") return point.bound;
  return path.startsWith("plan.") ? point.plan[path.slice("plan.".length)] : point.hardware[path.replace("machine.", "")];
}

export function colours(points: readonly Point[], path: string): Colours {
  if (path === "bound") {
    return { legend: bounds.map((bound) => ({ style: bound, shape: bound, text: bound })), of: (point) => Math.max(0, bounds.indexOf(point.bound ?? "memory")) };
  }
  const found = new Set(points.map((point) => fieldOf(point, path) as number | string | undefined));
  const values = [...found].filter((value) => value !== undefined).sort((a, b) => (typeof a === "number" && typeof b === "number" ? a - b : String(a) < String(b) ? -1 : 1));
  const count = Math.min(rampSteps, values.length);
  const stepOf = new Map<unknown, number>(values.map((value, i) => [value, Math.floor((i * count) / values.length)]));
  const legend = Array.from({ length: count }, (_, step) => {
    const own = values.filter((value) => stepOf.get(value) === step);
    const ends = own.length > 1 ? `${String(own[0])} to ${String(own.at(-1))}` : String(own[0]);
    return { style: `r${firstStep + Math.round((step * (rampSteps - 1)) / Math.max(1, count - 1))}`, shape: "network", text: ends };
  });
  return { legend, of: (point) => stepOf.get(fieldOf(point, path)) ?? 0 };
}

export function at(drawn: Cloud, point: Point, xKey: string, yKey: string): { x: number; y: number } {
  return { x: drawn.x.at(valueOf(point, xKey)), y: drawn.y.at(valueOf(point, yKey)) };
}

const spriteSize = 8;

// One mark, drawn once and then copied: thousands of paths would take longer than a frame.
function sprite(scale: number, colour: string, shape: string, isHollow: boolean): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = Math.ceil(spriteSize * scale);
  const context = canvas.getContext("2d")!;
  context.scale(scale, scale);
  context.fillStyle = context.strokeStyle = colour;
  context.globalAlpha = isHollow ? 0.8 : 0.55;
  context.beginPath();
  trace(context, shape, spriteSize / 2, spriteSize / 2);
  if (isHollow) context.stroke();
  else context.fill();
  return canvas;
}

function trace(context: CanvasRenderingContext2D, bound: string, x: number, y: number): void {
  if (bound === "compute") context.rect(x - 2.2, y - 2.2, 4.4, 4.4);
  else if (bound === "memory") {
    context.moveTo(x, y - 2.8);
    context.lineTo(x + 2.8, y + 2.3);
    context.lineTo(x - 2.8, y + 2.3);
    context.closePath();
  } else {
    context.arc(x, y, 2.4, 0, 2 * Math.PI);
  }
}

export interface Marks {
  points: readonly Point[];
  misfits: readonly Point[]; // drawn hollow, under the others
  xKey: string;
  yKey: string;
  tint: Colours;
  keep(point: Point): boolean;
}

export function paint(canvas: HTMLCanvasElement, drawn: Cloud, { points, misfits, xKey, yKey, tint, keep }: Marks): void {
  const context = canvas.getContext("2d");
  if (!context) return;
  const ratio = Math.min(2, window.devicePixelRatio || 1);
  const scale = (canvas.clientWidth / plot.width) * ratio || ratio;
  const width = Math.round(plot.width * scale);
  const height = Math.round(plot.height * scale);
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width;
    canvas.height = height;
  }
  context.clearRect(0, 0, width, height);
  const style = getComputedStyle(document.documentElement);
  const half = spriteSize / 2;
  for (const [marked, isHollow] of [[misfits, true], [points, false]] as const) {
    const sprites = tint.legend.map((entry) => sprite(scale, style.getPropertyValue(`--${entry.style}`), entry.shape, isHollow));
    for (const point of marked) {
      const mark = sprites[tint.of(point)];
      if (mark && keep(point)) context.drawImage(mark, Math.round((drawn.x.at(valueOf(point, xKey)) - half) * scale), Math.round((drawn.y.at(valueOf(point, yKey)) - half) * scale));
    }
  }
}

// Pixels of the page into pixels of the drawing.
export function inside(svg: SVGSVGElement, event: PointerEvent): { x: number; y: number } {
  const box = svg.getBoundingClientRect();
  const factor = plot.width / box.width;
  return { x: (event.clientX - box.left) * factor, y: (event.clientY - box.top) * factor };
}

export function nearest(drawn: Cloud, points: readonly Point[], xKey: string, yKey: string, x: number, y: number): Point | null {
  let best: Point | null = null;
  let least = 18 * 18;
  for (const point of points) {
    const dx = drawn.x.at(valueOf(point, xKey)) - x;
    const dy = drawn.y.at(valueOf(point, yKey)) - y;
    const distance = dx * dx + dy * dy;
    if (distance < least) {
      least = distance;
      best = point;
    }
  }
  return best;
}

export interface Brush {
  x0: number;
  x1: number;
  y0: number;
  y1: number;
}

export function brushBox(drawn: Cloud, brush: Brush): { x: number; y: number; width: number; height: number } {
  const xs = [drawn.x.at(brush.x0), drawn.x.at(brush.x1)];
  const ys = [drawn.y.at(brush.y0), drawn.y.at(brush.y1)];
  return { x: Math.min(...xs), y: Math.min(...ys), width: Math.abs(xs[0]! - xs[1]!), height: Math.abs(ys[0]! - ys[1]!) };
}

export function isDrag(a: { x: number; y: number }, b: { x: number; y: number }): boolean {
  return Math.abs(a.x - b.x) + Math.abs(a.y - b.y) > 8;
}

export function brushOf(drawn: Cloud, a: { x: number; y: number }, b: { x: number; y: number }): Brush {
  const xs = [drawn.x.back(a.x), drawn.x.back(b.x)].sort((p, q) => p - q);
  const ys = [drawn.y.back(a.y), drawn.y.back(b.y)].sort((p, q) => p - q);
  const short = (value: number): number => Number(value.toPrecision(5));
  return { x0: short(xs[0]!), x1: short(xs[1]!), y0: short(ys[0]!), y1: short(ys[1]!) };
}
