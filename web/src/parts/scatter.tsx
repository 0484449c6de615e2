// The point cloud: hover reads, click selects, drag brushes; the front drawn in steps.
import { useEffect, useRef, useState } from "preact/hooks";
import type { Explore, Point } from "../engine/types.ts";
import { byKey, bytes, tick } from "../format/format.ts";
import { knobName, knobValue } from "../format/knobs.ts";
import { betterWords } from "../format/names.ts";
import { at, brushBox, brushOf, cloud, colours, inside, isDrag, nearest, paint, plot, shownPoints, type Brush } from "../layout/scatter.ts";
import { counted, neighbour } from "../scale/scale.ts";
import { moved, symbolPath } from "../layout/roofline.ts";
import { shownTheme } from "../state/saved.ts";
import { setView, view } from "../state/store.ts";

interface Props {
  result: Explore;
  misfits: readonly Point[];
  xKey: string;
  yKey: string;
  names: { x: string; y: string };
  chosen: Point | null;
  pinned: readonly { point: Point; letter: string }[];
  colour: string;
  choose(point: Point): void;
  open(point: Point): void;
}

export function readBrush(): Brush | null {
  const values = (view.value.brush ?? "").split(",").map(Number);
  const [x0, x1, y0, y1] = values;
  return values.length === 4 && values.every(Number.isFinite) ? { x0: x0!, x1: x1!, y0: y0!, y1: y1! } : null;
}

export function inBrush(point: Point, brush: Brush | null, xKey: string, yKey: string): boolean {
  if (!brush) return true;
  const x = Number(point[xKey]);
  const y = Number(point[yKey]);
  return x >= brush.x0 && x <= brush.x1 && y >= brush.y0 && y <= brush.y1;
}

export function planText(point: Point): string {
  const { tp, cp, pp, dp } = point.plan;
  return `TP ${tp} · CP ${cp} · PP ${pp}${dp === 1 ? "" : ` · DP ${dp}`}`;
}

function Tip({ point, xKey, yKey, names }: { point: Point } & Pick<Props, "xKey" | "yKey" | "names">) {
  const lines: [string, string][] = [
    [names.y, byKey(yKey, point[yKey], 4)], [names.x, byKey(xKey, point[xKey], 4)], ["Plan", planText(point)],
    ...Object.entries(point.hardware).slice(0, 4).map(([knob, value]): [string, string] => [knobName(knob), knobValue(knob, value)]),
    ["Memory", `${bytes(point.memory_bytes)}${Number(point.memory_headroom_bytes) < 0 ? ", does not fit" : ""}`],
  ];
  return (
    <dl class="tip">
      {lines.map(([label, text]) => (
        <div key={label}><dt>{label}</dt><dd>{text}</dd></div>
      ))}
    </dl>
  );
}

const steps: Record<string, number> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, Home: -1e6, End: 1e6 };

export function Scatter({ result, misfits, xKey, yKey, names, chosen, pinned, colour, choose, open }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const svg = useRef<SVGSVGElement>(null);
  const [tip, setTip] = useState<Point | null>(null);
  const [drag, setDrag] = useState<{ from: { x: number; y: number }; to: { x: number; y: number } } | null>(null);
  const drawn = cloud(result, misfits, xKey, yKey);
  const points = shownPoints(result);
  const brush = drag && isDrag(drag.from, drag.to) ? brushOf(drawn, drag.from, drag.to) : readBrush();
  const theme = shownTheme();
  const tint = colours([...points, ...misfits, ...result.pareto], colour);
  useEffect(() => {
    if (canvas.current) paint(canvas.current, drawn, { points, misfits, xKey, yKey, tint, keep: (point) => inBrush(point, brush, xKey, yKey) });
  }, [points, misfits, drawn.x.low, drawn.x.high, drawn.y.low, drawn.y.high, xKey, yKey, theme, colour, brush?.x0, brush?.x1, brush?.y0, brush?.y1]);
  const near = (event: PointerEvent): Point | null => {
    const spot = inside(svg.current!, event);
    return nearest(drawn, [...drawn.front, ...points, ...misfits], xKey, yKey, spot.x, spot.y);
  };
  const release = (event: PointerEvent): void => {
    if (!drag) return;
    const to = inside(svg.current!, event);
    if (isDrag(drag.from, to)) {
      const box = brushOf(drawn, drag.from, to);
      setView("brush", [box.x0, box.x1, box.y0, box.y1].join(","));
    } else {
      const point = near(event);
      if (point) choose(point);
      else if (view.peek().brush) setView("brush", null);
    }
    setDrag(null);
  };
  const focus = tip ?? chosen;
  const spot = focus ? at(drawn, focus, xKey, yKey) : null;
  return (
    <div class="plot">
      <canvas ref={canvas} aria-hidden="true" />
      <svg
        ref={svg} class="ch" viewBox={`0 0 ${plot.width} ${plot.height}`} role="group" aria-label={`${names.y} against ${names.x}; front of ${drawn.front.length} points`}
        onPointerDown={(event) => { svg.current?.setPointerCapture(event.pointerId); const from = inside(svg.current!, event); setDrag({ from, to: from }); }}
        onPointerMove={(event) => { if (drag) setDrag({ from: drag.from, to: inside(svg.current!, event) }); else setTip(near(event)); }}
        onPointerUp={release} onPointerLeave={() => setTip(null)}
      >
        <rect x="0" y="0" width={plot.width} height={plot.height} fill="transparent" />
        {drawn.y.ticks.map((step) => (
          <g key={step}>
            <path class="gr" d={`M${plot.left} ${drawn.y.at(step)}H${plot.right}`} />
            <text x={moved(plot.left, -8)} y={moved(drawn.y.at(step), 4)} text-anchor="end">{tick(yKey, step)}</text>
          </g>
        ))}
        {drawn.x.ticks.map((step) => (
          <g key={step}>
            <path class="gr" d={`M${drawn.x.at(step)} ${plot.top}V${plot.bottom}`} />
            <text x={drawn.x.at(step)} y={moved(plot.bottom, 16)} text-anchor="middle">{tick(xKey, step)}</text>
          </g>
        ))}
        <text x={moved(plot.right, 0)} y={moved(plot.bottom, 38)} text-anchor="end">{names.x}{drawn.x.isLog ? ", log scale" : ""} ({betterWords(xKey)})</text>
        <text x="0" y="12">{names.y}{drawn.y.isLog ? ", log scale" : ""} ({betterWords(yKey)})</text>
        {spot ? <path class="cross" d={`M${plot.left} ${spot.y}H${spot.x}V${plot.bottom}`} /> : null}
        {brush ? <rect class="brush" {...brushBox(drawn, brush)} /> : null}
        <path class="front" d={drawn.frontPath} />
        <g
          role="listbox" tabindex={0} aria-label="Points of the front; arrows choose, Enter opens" {...(chosen && drawn.front.includes(chosen) ? { "aria-activedescendant": `front-${drawn.front.indexOf(chosen)}` } : {})}
          onKeyDown={(event) => {
            const by = steps[event.key];
            if (by !== undefined) {
              event.preventDefault();
              const next = drawn.front[neighbour(drawn.front.indexOf(chosen!), by, counted(drawn.front))];
              if (next) choose(next);
            }
            if (event.key === "Enter" && chosen) open(chosen);
          }}
        >
          {drawn.front.map((point, i) => {
            const mark = at(drawn, point, xKey, yKey);
            const look = tint.legend[tint.of(point)];
            return (
              <path
                key={i} id={`front-${i}`} role="option" aria-selected={point === chosen} aria-label={`${byKey(yKey, point[yKey], 4)}, ${byKey(xKey, point[xKey], 4)}, ${planText(point)}`}
                data-front={i} class="fp" style={{ fill: `var(--${look?.style ?? "memory"})` }} d={symbolPath(look?.shape ?? "memory", mark.x, mark.y, 4)}
              />
            );
          })}
        </g>
        {pinned.map(({ point, letter }) => {
          const mark = at(drawn, point, xKey, yKey);
          return (
            <g key={letter}>
              <circle class="sel" cx={mark.x} cy={mark.y} r="8" />
              <text class="k" x={moved(mark.x, -16)} y={moved(mark.y, 16)}>{letter}</text>
            </g>
          );
        })}
        {chosen ? <circle class="sel" cx={at(drawn, chosen, xKey, yKey).x} cy={at(drawn, chosen, xKey, yKey).y} r="9" /> : null}
      </svg>
      {tip ? <Tip point={tip} xKey={xKey} yKey={yKey} names={names} /> : null}
    </div>
  );
}
