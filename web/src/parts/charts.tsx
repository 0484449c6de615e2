// Sensitivity as a tornado, and the heat map.
import { useState } from "preact/hooks";
import type { HeatMap, Point, Sensitivity } from "../engine/types.ts";
import { plain, saved, signedPercent, time } from "../format/format.ts";
import { knobName, knobValue } from "../format/knobs.ts";
import { reasonNames } from "../format/names.ts";
import { heat, heatBox, tornado, tornadoBox } from "../layout/bars.ts";
import { moved } from "../layout/roofline.ts";
import { counted, neighbour } from "../scale/scale.ts";

export function Tornado({ rows, set }: { rows: readonly Sensitivity[]; set: (knob: string, value: number) => void }) {
  const drawn = tornado(rows);
  const middle = tornadoBox.middle;
  const bottom = drawn.at(-1)?.y ?? 0;
  return (
    <svg class="ch torn" viewBox={`0 0 ${tornadoBox.width} ${moved(bottom, 34)}`} role="group" aria-label="Sensitivity: each knob doubled and halved">
      <text class="m" x={moved(middle, -6)} y="12" text-anchor="end">faster, knob × 2</text>
      <text class="m" x={moved(middle, 6)} y="12">slower, knob ÷ 2</text>
      {drawn.map(({ row, y, left, leftWidth, rightWidth }) => (
        <g
          key={row.knob} data-knob={row.knob} role="button" tabindex={0} onClick={() => set(row.knob, row.doubled)}
          onKeyDown={(event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); set(row.knob, row.doubled); } }}
        >
          <title>{`${knobName(row.knob)}: ${knobValue(row.knob, row.baseline)} → ${knobValue(row.knob, row.doubled)}, ${time(row.baseline_latency_s)} → ${time(row.doubled_latency_s)}; click to set`}</title>
          <rect x="0" y={y} width={tornadoBox.width} height={tornadoBox.row} fill="transparent" />
          <text class="s" x="0" y={moved(y, 11)}>{knobName(row.knob)}</text>
          <text class="m" x="0" y={moved(y, 23)}>{knobValue(row.knob, row.baseline)}</text>
          <rect class="bar-a" x={left} y={moved(y, 4)} width={leftWidth} height="15" />
          <rect class="bar-b" x={middle} y={moved(y, 4)} width={rightWidth} height="15" />
          <text x={moved(left, -5)} y={moved(y, 16)} text-anchor="end">{saved(row.speedup_fraction)}</text>
          <text x={moved(moved(middle, rightWidth), 5)} y={moved(y, 16)}>{row.halved === undefined ? "" : row.halved_latency_s === null ? "does not fit" : signedPercent(row.slowdown_fraction)}</text>
        </g>
      ))}
      <path class="ax" d={`M${middle} 18V${moved(bottom, 28)}`} />
    </svg>
  );
}

const axisName = (path: string, value: unknown): string => (path.startsWith("machine.") ? knobValue(path.replace("machine.", ""), value) : `${path.replace("plan.", "").toUpperCase().slice(0, 3)} ${plain(value)}`);

const moves: Record<string, readonly [x: number, y: number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export function Heat({ map, chosen, choose }: { map: HeatMap; chosen: Point | null; choose: (point: Point) => void }) {
  const drawn = heat(map);
  const read = (point: Point, path: string): unknown => (path.startsWith("plan.") ? point.plan[path.slice(5)] : point.hardware[path.replace("machine.", "")]);
  const isChosen = (x: number, y: number): boolean => chosen !== null && read(chosen, map.x.path) === map.x.values[x] && read(chosen, map.y.path) === map.y.values[y];
  const [cursor, setCursor] = useState<{ x: number; y: number } | null>(null);
  const now = cursor ?? drawn.cells.find(({ cell }) => isChosen(cell.x, cell.y))?.cell ?? { x: 0, y: 0 };
  const onKey = (event: KeyboardEvent): void => {
    const by = moves[event.key];
    if (by) {
      event.preventDefault();
      setCursor({ x: neighbour(now.x, by[0], counted(map.x.values)), y: neighbour(now.y, by[1], counted(map.y.values)) });
    }
    const point = map.cells.find((cell) => cell.x === now.x && cell.y === now.y)?.point;
    if (event.key === "Enter" && point) choose(point);
  };
  return (
    <svg class="ch hm" viewBox={`0 0 ${heatBox.width} ${moved(drawn.height, 4)}`} role="group" aria-label={`Best latency over ${map.x.path} and ${map.y.path}, ${counted(map.cells)} cells`}>
      <defs>
        <pattern id="none" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><path class="gr" d="M0 0V6" /></pattern>
      </defs>
      {drawn.cells.filter(({ cell }) => cell.y === 0).map(({ cell, x, width }) => (
        <text key={cell.x} x={moved(x, width / 2)} y="14" text-anchor="middle">{axisName(map.x.path, map.x.values[cell.x])}</text>
      ))}
      {drawn.cells.filter(({ cell }) => cell.x === 0).map(({ cell, y }) => (
        <text key={cell.y} x={moved(heatBox.left, -8)} y={moved(y, 18)} text-anchor="end">{axisName(map.y.path, map.y.values[cell.y])}</text>
      ))}
      <g role="listbox" tabindex={0} aria-label="Cells; arrows move, Enter chooses" aria-activedescendant={`cell-${now.x}-${now.y}`} onKeyDown={onKey} onBlur={() => setCursor(null)}>
      {drawn.cells.map(({ cell, x, y, width, step, hasText }) => (
        <g key={`${cell.x} ${cell.y}`} id={`cell-${cell.x}-${cell.y}`} role="option" aria-selected={isChosen(cell.x, cell.y)} aria-label={`${axisName(map.x.path, map.x.values[cell.x])}, ${axisName(map.y.path, map.y.values[cell.y])}: ${cell.latency_s === null ? "nothing feasible" : time(cell.latency_s)}`} data-cell={`${cell.x},${cell.y}`} onClick={() => { if (cell.point) choose(cell.point); }}>
          <title>{cell.latency_s === null ? `${reasonNames[cell.reason ?? ""] ?? cell.reason ?? "nothing feasible"}` : `${time(cell.latency_s, 4)}, ${plain(cell.feasible_count)} feasible`}</title>
          <rect class={step === 0 ? "" : `h${step}`} {...(step === 0 ? { fill: "url(#none)" } : {})} x={x} y={y} width={width} height={heatBox.row} />
          {hasText && step > 0 ? <text class={`ht ${step >= 5 ? "d" : "l"}`} x={moved(x, width / 2)} y={moved(y, 18)} text-anchor="middle">{time(cell.latency_s)}</text> : null}
          {cursor && cell.x === now.x && cell.y === now.y ? <rect class="cursor" x={x} y={y} width={width} height={heatBox.row} /> : null}
        </g>
      ))}
      </g>
      {drawn.cells.filter(({ cell }) => isChosen(cell.x, cell.y)).map(({ cell, x, y, width }) => (
        <rect key={`${cell.x} ${cell.y}`} class="picked" x={x} y={y} width={width} height={heatBox.row} />
      ))}
    </svg>
  );
}
