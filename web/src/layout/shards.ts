// Geometry of one cut tensor: its rectangle to ratio, and the strips of its pieces.
import type { Shard } from "../engine/types.ts";

export interface Strip {
  x: number;
  y: number;
  width: number;
  height: number;
  kind: "mine" | "other";
}

export interface Cut {
  width: number;
  height: number;
  strips: Strip[];
}

const most = 96;
const least = 40;
const mostStrips = 24;

export function cut(shard: Shard): Cut {
  const [rows = 1, columns = 1] = shard.full_shape;
  const ratio = Math.max(least / most, Math.min(most / least, columns / rows));
  const width = ratio >= 1 ? most : most * ratio;
  const height = ratio >= 1 ? most / ratio : most;
  const [pieceRows = rows, pieceColumns = columns] = shard.per_pe_shape;
  const axis = shard.axis ?? (pieceColumns < columns ? "columns" : "rows");
  const pieces = shard.pieces ?? Math.round((rows * columns) / Math.max(1e-9, pieceRows * pieceColumns));
  const drawn = Math.max(1, Math.min(mostStrips, pieces));
  const mine = Math.floor(((shard.piece ?? 0) / Math.max(1, pieces)) * drawn);
  const strips = Array.from({ length: drawn }, (_, i): Strip => {
    const kind = i === mine ? "mine" : "other";
    return axis === "columns"
      ? { x: (width / drawn) * i, y: 0, width: width / drawn, height, kind }
      : { x: 0, y: (height / drawn) * i, width, height: height / drawn, kind };
  });
  return { width, height, strips };
}
