// Values into pixels and back: scales, ticks, slider steps, steps of the colour ramp.

export interface Scale {
  at(value: number): number;
  back(pixel: number): number;
  ticks: number[];
  low: number;
  high: number;
  isLog: boolean;
}

function niceStep(span: number, most: number): number {
  const raw = span / most;
  const power = 10 ** Math.floor(Math.log10(raw));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= raw) ?? raw;
}

export function linear(low: number, high: number, from: number, to: number): Scale {
  const span = high - low || 1;
  const step = niceStep(span, 5);
  const ticks = Array.from({ length: Math.floor(high / step) - Math.ceil(low / step) + 1 }, (_, i) => (Math.ceil(low / step) + i) * step);
  return { at: (v) => from + ((v - low) / span) * (to - from), back: (p) => low + ((p - from) / (to - from)) * span, ticks, low, high, isLog: false };
}

function logTicks(low: number, high: number): number[] {
  for (const factors of [[1, 1.5, 2, 3, 4, 5, 6, 7, 8], [1, 2, 5], [1]]) {
    const all: number[] = [];
    for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power += 1) {
      for (const factor of factors) all.push(factor * 10 ** power);
    }
    const inside = all.filter((tick) => tick >= low * 0.999 && tick <= high * 1.001);
    if (inside.length <= 7) return inside;
    if (factors.length === 1) return inside.filter((_, i) => i % Math.ceil(inside.length / 6) === 0);
  }
  return [];
}

export function logarithmic(low: number, high: number, from: number, to: number): Scale {
  const top = high > low ? high : low * 2;
  const span = Math.log(top / low);
  return {
    at: (v) => from + (Math.log(Math.max(v, low * 1e-6) / low) / span) * (to - from),
    back: (p) => low * Math.exp(((p - from) / (to - from)) * span),
    ticks: logTicks(low, top), low, high: top, isLog: true,
  };
}

// Logarithmic where the values span more than 3 times, else linear; a margin on both sides.
export function fitted(values: readonly number[], from: number, to: number): Scale {
  let low = Infinity;
  let high = -Infinity;
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  if (!Number.isFinite(low)) return linear(0, 1, from, to);
  if (low > 0 && high / low > 3) return logarithmic(low / 1.15, high * 1.15, from, to);
  const margin = (high - low || Math.abs(high) || 1) * 0.08;
  return linear(low - margin, high + margin, from, to);
}

// 1 (weakest) to 7 (strongest): low values strong, on a logarithm.
export function rampStep(value: number, low: number, high: number): number {
  if (!(high > low) || !(low > 0)) return 7;
  return 7 - Math.min(6, Math.floor((Math.log(value / low) / Math.log(high / low)) * 6.999));
}

export function extent(values: readonly number[]): [low: number, high: number] {
  return [Math.min(...values), Math.max(...values)];
}

const stepsPerOctave = 4;

// A slider runs in quarter octaves from `min`.
export function sliderMax(min: number, max: number): number {
  return Math.round(Math.log2(max / min) * stepsPerOctave);
}

export function sliderPosition(value: number, min: number, moved = 0): number {
  return Math.round(Math.log2(Math.max(value, min) / min) * stepsPerOctave) + moved;
}

export function sliderStep(wanted: number, min: number, max: number, isInteger: boolean): number {
  const position = Math.max(0, Math.min(sliderMax(min, max), wanted));
  const value = min * 2 ** (position / stepsPerOctave);
  if (position % stepsPerOctave === 0) return value;
  return isInteger ? Math.round(value) : Number(value.toPrecision(3));
}

// Widths of marks, as a share of their box.
export function width(fraction: number | null | undefined, of = 1): string {
  if (fraction === null || fraction === undefined || !(of > 0)) return "0%";
  return `${Math.max(0, Math.min(100, (fraction / of) * 100))}%`;
}

export function neighbour(index: number, step: number, length: number): number {
  return Math.max(0, Math.min(length - 1, index + step));
}

export function counted(list: readonly unknown[], extra = 0): number {
  return list.length + extra;
}

export function doubled(value: number): number {
  return value * 2;
}

export function halved(value: number): number {
  return Math.max(1, Math.floor(value / 2));
}

// Share of a flex row, in thousandths.
export function grow(value: number, of: number): number {
  return of > 0 ? (value / of) * 1000 : 0;
}
