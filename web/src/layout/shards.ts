// Geometry of one cut tensor: its rectangle to ratio, the lines of its cuts, and the piece that the chosen rank holds.
import type { Shard } from "../engine/types.ts";

export interface Cut {
  width: number;
  height: number;
  lines: string;
  mine: { x: number; y: number; width: number; height: number };
}

const most = 96;
const least = 40;
const mostLines = 32;
const thinnest = 2;

function cuts(pieces: number, length: number, draw: (at: number) => string): string {
  if (pieces > mostLines) return "";
  return Array.from({ length: pieces - 1 }, (_, i) => draw(((i + 1) * length) / pieces)).join("");
}

export function cut(shard: Shard): Cut {
  const [rows = 1, columns = 1] = shard.full_shape;
  const ratio = Math.max(least / most, Math.min(most / least, columns / rows));
  const width = ratio >= 1 ? most : most * ratio;
  const height = ratio >= 1 ? most / ratio : most;
  const [rowPieces, columnPieces] = shard.pieces ?? [1, 1];
  const [row, column] = shard.piece ?? [0, 0];
  const lines = cuts(rowPieces, height, (y) => `M0 ${y}H${width}`) + cuts(columnPieces, width, (x) => `M${x} 0V${height}`);
  const mine = { width: Math.max(thinnest, width / columnPieces), height: Math.max(thinnest, height / rowPieces) };
  return { width, height, lines, mine: { ...mine, x: Math.min(width - mine.width, (column * width) / columnPieces), y: Math.min(height - mine.height, (row * height) / rowPieces) } };
}
