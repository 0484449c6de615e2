// Geometry of the slope chart: two configurations as two upright lines, a row's change as the line between.

export const slopeBox = { width: 420, left: 70, right: 210, top: 30, height: 190 };

export interface Slope {
  key: string;
  change: number;
  fromY: number;
  toY: number;
  labelY: number;
}

const labelGap = 15;

// All rows begin at the baseline's height; up is more. Equal steps are equal factors.
export function slopes(rows: readonly { key: string; change: number }[]): Slope[] {
  const factors = rows.map((row) => Math.log(Math.max(0.02, 1 + row.change)));
  const most = Math.max(0.05, ...factors.map(Math.abs));
  const middle = slopeBox.top + slopeBox.height / 2;
  const drawn = rows.map((row, i) => ({ ...row, fromY: middle, toY: middle - (factors[i]! / most) * (slopeBox.height / 2 - 8), labelY: 0 })).sort((a, b) => a.toY - b.toY);
  let last = -Infinity;
  for (const line of drawn) {
    line.labelY = Math.max(line.toY, last + labelGap);
    last = line.labelY;
  }
  const over = last - (slopeBox.top + slopeBox.height + 10);
  return over > 0 ? drawn.map((line) => ({ ...line, labelY: line.labelY - over })) : drawn;
}
