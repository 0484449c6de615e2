// Inputs into the input object of a command, and into a command line that gives the same answer.
import { valueOf } from "./store.ts";
import type { Value, Values } from "./link.ts";

export type Json = Record<string, unknown>;

const shared = (key: string): boolean => !/^(explore|fit|solve)\./.test(key);

function put(target: Json, path: string, value: unknown): void {
  const [head, ...rest] = path.split(".") as [string, ...string[]];
  if (rest.length === 0) {
    target[head] = value;
    return;
  }
  const child = target[head];
  if (typeof child !== "object" || child === null) target[head] = head === "machine" ? { base: child ?? "chiplet-sip" } : {};
  put(target[head] as Json, rest.join("."), value);
}

function nested(values: Values): Json {
  const result: Json = {};
  const keys = Object.keys(values).sort((a, b) => a.split(".").length - b.split(".").length);
  for (const key of keys) put(result, key, valueOf(values[key]!));
  return result;
}

function chosen(values: Values, keep: (key: string) => boolean): Record<string, Value> {
  return Object.fromEntries(Object.entries(values).filter(([key]) => keep(key)));
}

export function inspectInputs(values: Values): Record<string, Value> {
  return chosen(values, shared);
}

export function inspectRequest(values: Values): Json {
  return nested(inspectInputs(values));
}

// A field named without its unit takes values that say theirs.
const axisOf = (path: string, given: readonly unknown[]): string => (given.some((value) => typeof value === "string" && /^[\d.]/.test(value)) ? path.replace(/_(bytes_per_s|flop_per_s|bytes|gbs|gb|s)$/, "") : path);

const searched = ["plan.tp", "plan.cp", "plan.pp", "plan.dp", "plan.kv_shard_mode", "plan.cp_ring_variant"];

// The search chooses the degrees itself; the rest of the plan is fixed as set.
export function exploreRequest(values: Values): Json {
  const own = chosen(values, (key) => key.startsWith("explore."));
  const request = nested(chosen(values, (key) => shared(key) && !searched.includes(key)));
  const depth = String(own["explore.depth"] ?? "coarse");
  const axes: Json = {};
  for (const [key, value] of Object.entries(own)) {
    if (!key.startsWith("explore.axes.")) continue;
    const given = list(String(value));
    axes[axisOf(key.slice("explore.axes.".length), given)] = given;
  }
  if (Object.keys(axes).length > 0) request.space = { base: depth, axes };
  else request.depth = depth;
  const objectives = [own["explore.y"] ?? "latency_s", own["explore.x"] ?? "cost_score"];
  request.objectives = objectives.map((name) => ({ [String(name).startsWith("tokens") ? "maximize" : "minimize"]: name }));
  const constraints = ["fits_memory"];
  if (own["explore.pes_max"] !== undefined) constraints.push(`pes_used <= ${own["explore.pes_max"]}`);
  if (own["explore.latency_max_ms"] !== undefined) constraints.push(`latency_s <= ${own["explore.latency_max_ms"]}e-3`);
  if (constraints.length > 1) request.constraints = constraints;
  return request;
}

// "256, 512", "256 512", "1.6 TB/s, 3.2 TB/s": numbers, or texts that the engine reads.
export function list(text: string): unknown[] {
  const isOneWithUnit = /\d\s+[a-z]/i.test(text);
  const items = text.includes(",") ? text.split(",") : isOneWithUnit ? [text] : text.split(/\s+/);
  return items.map((item) => item.trim()).filter(Boolean).map((item) => (Number.isFinite(Number(item)) ? Number(item) : item));
}

export function prefixed(values: Values, prefix: string): Json {
  const own: Json = {};
  for (const [key, value] of Object.entries(values)) {
    if (key.startsWith(prefix)) put(own, key.slice(prefix.length), valueOf(value));
  }
  return own;
}

function quote(text: string): string {
  return /^[\w.,:/=+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

// Any input object as flags; what is nested becomes --set path=value, lists and objects JSON.
export function commandLine(command: string, request: Json): string {
  const parts = [`ridgeline ${command}`];
  const visit = (path: string, value: unknown): void => {
    const isTree = typeof value === "object" && value !== null && !Array.isArray(value);
    if (isTree && ["plan", "machine"].includes(path)) {
      const base = (value as Json).base;
      if (base !== undefined && Object.keys(value).length > 0) parts.push(`--machine ${quote(String(base))}`);
      for (const [key, child] of Object.entries(value)) if (key !== "base") visit(`${path}.${key}`, child);
    } else if (typeof value === "object") {
      parts.push(`--set ${quote(`${path}=${JSON.stringify(value)}`)}`);
    } else if (path.includes(".")) {
      parts.push(`--set ${quote(`${path}=${String(value)}`)}`);
    } else {
      parts.push(`--${path.replaceAll("_", "-")} ${quote(String(value))}`);
    }
  };
  for (const [key, value] of Object.entries(request)) visit(key, value);
  return parts.join(" ");
}

export function curl(command: string, request: Json, origin: string): string {
  return `curl -s -X POST ${origin}/v1/${command} -H 'Content-Type: application/json' -d ${quote(JSON.stringify(request))}`;
}
