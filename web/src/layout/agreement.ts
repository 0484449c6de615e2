// Geometry of predicted against measured: one mark per row, both axes logarithmic and alike, bands of 10 and 25 %.
import { logarithmic, type Scale } from "../scale/scale.ts";

export const square = { width: 420, height: 400, left: 64, right: 408, top: 12, bottom: 356 };

export interface Agreement {
  scale: { x: Scale; y: Scale };
  marks: string;
  bands: { within: number; path: string }[];
  diagonal: string;
}

export function agreement(rows: readonly { measured: number; predicted: number }[]): Agreement | null {
  const shown = rows.filter((row) => row.measured > 0 && row.predicted > 0);
  if (shown.length === 0) return null;
  let low = Infinity;
  let high = 0;
  for (const row of shown) {
    low = Math.min(low, row.measured, row.predicted);
    high = Math.max(high, row.measured, row.predicted);
  }
  const x = logarithmic(low / 1.3, high * 1.3, square.left, square.right);
  const y = logarithmic(low / 1.3, high * 1.3, square.bottom, square.top);
  let marks = "";
  for (const row of shown) marks += `M${x.at(row.measured).toFixed(1)} ${y.at(row.predicted).toFixed(1)}h0`;
  const line = (factor: number): string => {
    const from = Math.max(x.low, y.low / factor);
    const to = Math.min(x.high, y.high / factor);
    return `M${x.at(from)} ${y.at(from * factor)}L${x.at(to)} ${y.at(to * factor)}`;
  };
  const bands = [0.1, 0.25].map((within) => ({ within, path: line(1 - within) + line(1 + within) }));
  return { scale: { x, y }, marks, bands, diagonal: line(1) };
}

// Rows of a class: its own, or of every class under it where its name ends in "all".
export function rowsIn<Row extends { class: string; quantity: string }>(rows: readonly Row[], name: string, quantity: string): Row[] {
  const stem = name.endsWith("/all") ? name.slice(0, -"all".length) : null;
  return rows.filter((row) => row.quantity === quantity && (stem === null ? row.class === name : row.class.startsWith(stem)));
}

// Classes by family, in the order of the list; within one as they came.
export function inOrder<Row extends { class: string }>(rows: readonly Row[], families: readonly string[]): Row[] {
  const place = (row: Row): number => (families.indexOf(row.class.split("/")[0] ?? "") + families.length) % families.length;
  return [...rows].sort((a, b) => place(a) - place(b));
}

export function widest<Row extends { error_fraction: number | null }>(rows: readonly Row[]): Row[] {
  return [...rows].sort((a, b) => Math.abs(b.error_fraction ?? 0) - Math.abs(a.error_fraction ?? 0));
}
