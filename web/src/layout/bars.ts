// Geometry of the tornado and the heat map.
import type { HeatMap, Sensitivity } from "../engine/types.ts";
import { rampStep } from "../scale/scale.ts";

export interface TornadoRow {
  row: Sensitivity;
  y: number;
  left: number; // where the faster bar begins
  leftWidth: number;
  rightWidth: number;
}

export const tornadoBox = { width: 420, middle: 250, row: 28, top: 22 };

export function tornado(rows: readonly Sensitivity[]): TornadoRow[] {
  const most = Math.max(1e-12, ...rows.map((row) => row.speedup_fraction), ...rows.map((row) => row.slowdown_fraction ?? 0));
  const room = 100;
  return rows.map((row, i) => {
    const leftWidth = (Math.max(0, row.speedup_fraction) / most) * room;
    return { row, y: tornadoBox.top + i * tornadoBox.row, left: tornadoBox.middle - leftWidth, leftWidth, rightWidth: (Math.max(0, row.slowdown_fraction ?? 0) / most) * room };
  });
}

export const heatBox = { width: 420, left: 56, top: 22, row: 28 };

export interface HeatCell {
  cell: HeatMap["cells"][number];
  x: number;
  y: number;
  width: number;
  step: number; // 0: nothing feasible
  hasText: boolean;
}

export function heat(map: HeatMap): { cells: HeatCell[]; width: number; height: number } {
  const width = (heatBox.width - heatBox.left) / map.x.values.length;
  const values = map.cells.flatMap((cell) => (cell.latency_s === null ? [] : [cell.latency_s]));
  const low = Math.min(...values);
  const high = Math.max(...values);
  const cells = map.cells.map((cell) => ({
    cell, x: heatBox.left + cell.x * width, y: heatBox.top + cell.y * heatBox.row, width,
    step: cell.latency_s === null ? 0 : rampStep(cell.latency_s, low, high), hasText: width >= 44,
  }));
  return { cells, width, height: heatBox.top + map.y.values.length * heatBox.row };
}
