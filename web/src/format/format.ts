// Numbers into text. The only place that scales or rounds a value of an answer.

export const nbsp = "\u202f";
const minus = "\u2212";
export const none = "\u2013";

type Step = readonly [limit: number, factor: number, unit: string];

const seconds: readonly Step[] = [
  [1e-6, 1e-9, "ns"], [1e-3, 1e-6, "µs"], [1, 1e-3, "ms"], [120, 1, "s"], [7200, 60, "min"], [Infinity, 3600, "h"],
];

const prefixes = ["", "k", "M", "G", "T", "P", "E"];

function digits(value: number, significant: number): string {
  const size = Math.abs(value);
  if (size >= 1000) return grouped(Math.round(value));
  const rounded = Number(value.toPrecision(significant));
  const whole = rounded === 0 ? 1 : Math.floor(Math.log10(Math.abs(rounded))) + 1;
  const text = rounded.toFixed(Math.max(0, Math.min(9, significant - whole)));
  return text.replace("-", minus);
}

export function grouped(value: number): string {
  return String(value).replace("-", minus).replace(/\B(?=(\d{3})+(?!\d))/g, ",");
}

function scaled(value: number, unit: string, significant: number): string {
  let index = 0;
  let rest = Math.abs(value);
  while (Number(rest.toPrecision(significant)) >= 1000 && index < prefixes.length - 1) {
    rest /= 1000;
    index += 1;
  }
  const sign = value < 0 ? minus : "";
  return `${sign}${digits(rest, significant)}${nbsp}${prefixes[index]}${unit}`;
}

function small(value: number, unit: string, significant: number): string {
  const steps: readonly Step[] = [[1e-6, 1e-9, "n"], [1e-3, 1e-6, "µ"], [1, 1e-3, "m"]];
  const step = steps.find(([limit]) => Math.abs(value) < limit);
  return step ? `${digits(value / step[1], significant)}${nbsp}${step[2]}${unit}` : scaled(value, unit, significant);
}

export function time(value: number | null | undefined, significant = 3): string {
  if (value === null || value === undefined) return none;
  if (value === 0) return "0";
  const step = seconds.find(([limit]) => Math.abs(value) < limit * (1 - 0.5 * 10 ** -significant)) ?? seconds[5]!;
  return `${digits(value / step[1], significant)}${nbsp}${step[2]}`;
}

export function bytes(value: number | null | undefined, significant = 3): string {
  if (value === null || value === undefined) return none;
  return value === 0 ? `0${nbsp}B` : scaled(value, "B", significant);
}

export function count(value: number | null | undefined): string {
  if (value === null || value === undefined) return none;
  return Number.isInteger(value) ? grouped(value) : digits(value, 3);
}

// "1 cube", "16 cubes": a count of what has a plural in s.
export function numbered(value: number, plural: string): string {
  return `${count(value)} ${value === 1 ? plural.replace(/s$/, "") : plural}`;
}

export function compact(value: number | null | undefined, significant = 3): string {
  if (value === null || value === undefined) return none;
  return Math.abs(value) < 1000 ? count(value) : scaled(value, "", significant).replace(/\u202f$/, "");
}

export function percent(fraction: number | null | undefined, significant = 2): string {
  if (fraction === null || fraction === undefined) return none;
  if (fraction === 0) return "0";
  const hundred = fraction * 100;
  if (Math.abs(hundred) < 0.1) return `<0.1${nbsp}%`;
  const text = Math.abs(hundred) < 9.95 ? hundred.toFixed(1) : digits(hundred, Math.max(significant, Math.abs(hundred) >= 99.5 ? 3 : 2));
  return `${text.replace("-", minus)}${nbsp}%`;
}

export function signedPercent(fraction: number | null | undefined): string {
  if (fraction === null || fraction === undefined) return none;
  const text = percent(fraction);
  return fraction > 0 && !text.startsWith("<") ? `+${text}` : text;
}

// A plain number of a field, as typed: no unit, no rounding.
export function plain(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return Number.isInteger(value) && Math.abs(value) >= 1000 ? grouped(value) : String(Number(value.toPrecision(12)));
  if (Array.isArray(value)) return value.map(plain).join(", ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

const suffixes: readonly (readonly [suffix: string, write: (value: number, significant: number) => string])[] = [
  ["_bytes_per_s", (v, s) => scaled(v, "B/s", s)],
  ["_flop_per_s", (v, s) => scaled(v, "FLOP/s", s)],
  ["_flop_per_byte", (v, s) => `${digits(v, s)}${nbsp}FLOP/B`],
  ["_tokens_per_s_per_pe", (v, s) => `${compact(Number(v.toPrecision(s)))}${nbsp}tok/s`],
  ["_tokens_per_s", (v, s) => `${digits(v, s)}${nbsp}tok/s`],
  ["tokens_per_s_per_pe", (v, s) => `${digits(v, s)}${nbsp}tok/s`],
  ["tokens_per_s", (v, s) => `${digits(v, s)}${nbsp}tok/s`],
  ["usd_per_million_tokens", (v, s) => `$${nbsp}${digits(v, s)}`],
  ["usd_per_device_hour", (v, s) => `$${nbsp}${digits(v, s)}`],
  ["kgco2e_per_million_tokens", (v, s) => `${digits(v, s)}${nbsp}kg CO₂e`],
  ["_tokens", (v) => `${count(v)}${nbsp}tok`],
  ["bytes", bytes],
  ["_flop", (v, s) => scaled(v, "FLOP", s)],
  ["_fraction", (v) => percent(v, 3)],
  ["_usd", (v, s) => `$${nbsp}${digits(v, s)}`],
  ["_kgco2e", (v, s) => `${digits(v, s)}${nbsp}kg CO₂e`],
  ["j_per_token", (v, s) => `${digits(v, s)}${nbsp}J/tok`],
  ["_j", (v, s) => small(v, "J", s)],
  ["_w", (v, s) => scaled(v, "W", s)],
  ["_l", (v, s) => `${digits(v, s)}${nbsp}L`],
  ["_per_s", (v, s) => `${digits(v, s)}${nbsp}/s`],
  ["_s", time],
];

// A value of an answer, in the unit that the end of its key names.
export function byKey(key: string, value: unknown, significant = 3): string {
  if (value === null || value === undefined) return none;
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "string") return value;
  if (typeof value !== "number") return plain(value);
  if (value === 0) return "0";
  const found = suffixes.find(([suffix]) => key.endsWith(suffix));
  if (found) return found[1](value, significant);
  return Number.isInteger(value) ? grouped(value) : Math.abs(value) < 1e-3 ? value.toPrecision(significant) : digits(value, significant);
}

export function byUnit(value: unknown, unit: string | undefined): string {
  if (typeof value !== "number") return plain(value);
  const writers: Record<string, (v: number) => string> = {
    s: time, B: bytes, bytes, "B/s": (v) => scaled(v, "B/s", 3), "FLOP/s": (v) => scaled(v, "FLOP/s", 3), FLOP: (v) => scaled(v, "FLOP", 3),
  };
  const write = unit ? writers[unit] : undefined;
  if (write) return write(value);
  const text = Number.isInteger(value) ? grouped(value) : digits(value, 3);
  return unit ? `${text}${nbsp}${unit}` : text;
}

const acronyms = /\b(kv|ttft|itl|tpot|tp|pp|cp|dp|ep|mfu|hfu|pue|wue|moe|flop|cpu|gpu|id|mtbf|slo|sla|tco|usd|qps|p5|p50|p90|p95|p99|etp|sip|pe|tdp)\b/g;

// A key as a label: without its unit, known abbreviations in capitals.
export function words(key: string): string {
  const bare = key.replace("kgco2e_per", "carbon_per").replace(/^j_per/, "energy_per").replace(/_(bytes_per_s|flop_per_s|flop_per_byte|bytes|fraction|usd|kgco2e|s|j|w|l)$/, (unit, _name, offset: number) => (unit === "_s" && key.slice(0, offset).endsWith("_per") ? unit : ""));
  const text = bare.replaceAll("_", " ").replace(/^it$/, "IT").replace(/ per s\b/, "/s").replace(acronyms, (word) => word.toUpperCase()).replace(/\bkwh\b/, "kWh");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const quantities: readonly (readonly [part: RegExp, key: string])[] = [
  [/per_s|throughput/, "_per_s"], [/bandwidth/, "_bytes_per_s"], [/time|latency|tpot|ttft|mttf/, "_s"], [/fraction|mfu/, "_fraction"], [/bytes|memory/, "_bytes"], [/energy/, "_j"],
];

// A measured quantity, by its name, in base units.
export function ofQuantity(quantity: string, value: number): string {
  return byKey(quantities.find(([part]) => part.test(quantity))?.[1] ?? "", value);
}

// The label of a tick: no zeros that say nothing.
export function tick(key: string, value: number): string {
  return byKey(key, value).replace(/\.0+(?=\D|$)/, "");
}

export function lowerFirst(text: string): string {
  return /^[A-Z]{2}/.test(text) ? text : text.charAt(0).toLowerCase() + text.slice(1);
}

export function shape(values: readonly number[]): string {
  return values.map((value) => count(value)).join(" × ");
}

// Opposite of a share, for "faster by": the engine's fraction with its sign turned.
export function saved(fraction: number | null | undefined): string {
  return fraction === null || fraction === undefined ? none : fraction === 0 ? "0" : signedPercent(-fraction);
}
