// What Explore asks and remembers: the search, the chosen point, pins.
import { computed, effect, signal } from "@preact/signals";
import type { Explore, Point } from "../engine/types.ts";
import { misfitsOf, shownPoints } from "../layout/scatter.ts";
import { began, ended } from "../engine/engine.ts";
import { live } from "../engine/live.ts";
import { knobHead } from "../format/knobs.ts";
import { knobNames, objectiveName } from "../format/names.ts";
import { counted } from "../scale/scale.ts";
import { exploreRequest } from "../state/request.ts";
import { change, inputs, page, setInputs, setView, state, steps, view } from "../state/store.ts";
import { say } from "../parts/actions.ts";

export const objectives = ["latency_s", "cost_score", "cost_x_pes", "pes_used", "energy_j", "tokens_per_s_per_pe"] as const;
export const xKey = computed(() => String(inputs.value["explore.x"] ?? "cost_x_pes"));
export const yKey = computed(() => String(inputs.value["explore.y"] ?? "latency_s"));
export const heatAxes = computed(() => [view.value.hx ?? "plan.tp", view.value.hy ?? "plan.cp"] as const);

export const cliRequest = computed(() => exploreRequest({ "explore.x": "cost_x_pes", ...inputs.value }));

const request = computed(() => {
  if (page.value !== "explore") return null;
  const at = parsePoint(view.value.point);
  return { ...cliRequest.value, ...(at ? { at } : {}) };
});

// The front and the knobs follow a drag; the cloud and the heat map, which take far longer, when it rests.
export const search = live<Explore>("explore", request);

const restMs = 200;
const rested = signal<Record<string, unknown> | null>(null);
let pause = 0;
effect(() => {
  const next = page.value === "explore" ? { ...cliRequest.value, thin: 64, columns: true, heat_map: heatAxes.value } : null;
  const isDragging = steps.value.drag !== null;
  if (pause) {
    window.clearTimeout(pause);
    pause = 0;
    ended();
  }
  if (isDragging || next === null) return;
  began();
  pause = window.setTimeout(() => {
    pause = 0;
    ended();
    if (JSON.stringify(next) !== JSON.stringify(rested.peek())) rested.value = next;
  }, rested.peek() === null ? 0 : restMs);
});
export const space = live<Explore>("explore", rested, { hasProgress: true });

// On request: the same machines and plans without the limit of memory; of these the cloud shows what does not fit.
const isAskedForMisfits = computed(() => view.value.misfits === "on");
const unfit = live<Explore>("explore", computed(() => (isAskedForMisfits.value && rested.value ? { ...rested.value, heat_map: undefined, misfits: true } : null)));
export const misfits = computed<readonly Point[]>(() => {
  const result = isAskedForMisfits.value ? unfit.reply.value?.result : undefined;
  return result ? misfitsOf(result) : [];
});

export function stopSearch(): void {
  search.stop();
  space.stop();
  unfit.stop();
}

export function searchAgain(): void {
  search.again();
  space.again();
  unfit.again();
}

// One answer for the page: the latest front, with the latest cloud and heat map.
export const shown = computed<Explore | null>(() => {
  const front = search.reply.value?.result;
  const cloud = space.reply.value?.result;
  return front ? { ...front, ...(cloud?.point_columns ? { point_columns: cloud.point_columns } : {}), ...(cloud?.points_total ? { points_total: cloud.points_total } : {}), ...(cloud?.heat_map ? { heat_map: cloud.heat_map } : {}) } : null;
});

// Knobs of the machine that is searched, as its answer names them.
export const isChiplet = computed(() => ((search.reply.value?.inputs.machine ?? {}) as Record<string, unknown>).name === undefined);
export const knobs = computed<readonly string[]>(() => {
  const found = Object.keys(search.reply.value?.result.best?.hardware ?? {});
  return counted(found) > 0 || !isChiplet.value ? found : Object.keys(knobNames);
});
export const axes = computed<readonly (readonly [path: string, label: string])[]>(() => [
  ...knobs.value.map((knob) => [`machine.${knob}`, knobHead(knob)] as const),
  ["plan.tp", "TP"], ["plan.cp", "CP"], ["plan.pp", "PP"], ["plan.dp", "DP"], ["plan.kv_shard_mode", "KV heads"],
]);
export const nameOf = (key: string): string => objectiveName(key, isChiplet.value);
export const devices = computed(() => (isChiplet.value ? "PEs" : "devices"));

// What long tables show: while a knob is dragged they wait until it rests, so that the drawings keep up.
export const listed = signal<Explore | null>(null);
const listMs = 120;
let listing = 0;
effect(() => {
  const next = shown.value;
  const isDragging = steps.value.drag !== null;
  if (listing) {
    window.clearTimeout(listing);
    listing = 0;
    ended();
  }
  if (!isDragging || listed.peek() === null) {
    listed.value = next;
    return;
  }
  began();
  listing = window.setTimeout(() => {
    listing = 0;
    listed.value = next;
    ended();
  }, listMs);
});

// A point is named by its hardware and plan, so that the link carries it.
export function keyOf(point: Pick<Point, "hardware" | "plan">): string {
  const part = (values: Record<string, unknown>): string => Object.entries(values).map(([key, value]) => `${key}:${String(value)}`).join(",");
  return `${part(point.hardware)}/${part(point.plan)}`;
}

export function parsePoint(text: string | undefined): Pick<Point, "hardware" | "plan"> | null {
  if (!text?.includes("/")) return null;
  const [hardware = "", plan = ""] = text.split("/");
  const read = (part: string): Record<string, number | string> =>
    Object.fromEntries(part.split(",").filter(Boolean).map((pair) => {
      const cut = pair.indexOf(":");
      const value = pair.slice(cut).slice(1);
      return [pair.slice(0, cut), value !== "" && Number.isFinite(Number(value)) ? Number(value) : value];
    }));
  return { hardware: read(hardware) as Record<string, number>, plan: read(plan) };
}

export function choose(point: Point | null): void {
  setView("point", point ? keyOf(point) : null);
}

export const pins = computed(() => (view.value.pins ?? "").split(";").filter(Boolean));
export const letterOf = (key: string): string => "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[pins.value.indexOf(key)] ?? "";

export function togglePin(point: Pick<Point, "hardware" | "plan">): void {
  const key = keyOf(point);
  const next = pins.peek().includes(key) ? pins.peek().filter((pin) => pin !== key) : [...pins.peek(), key].slice(0, 26);
  setView("pins", next.length > 0 ? next.join(";") : null);
}

export function asInputs(point: Pick<Point, "hardware" | "plan">): Record<string, string | number> {
  return {
    ...Object.fromEntries(Object.entries(point.hardware).map(([key, value]) => [`machine.${key}`, value])),
    ...Object.fromEntries(Object.entries(point.plan).map(([key, value]) => [`plan.${key}`, value])),
  };
}

export function openInInspect(point: Pick<Point, "hardware" | "plan">): void {
  const now = state.peek();
  change({ page: "inspect", inputs: { ...now.inputs, ...asInputs(point) } }, { label: "open in Inspect", push: true });
}

// A click on a bar of the tornado: that knob of the machine doubled, and the search answered again.
export function setKnob(knob: string, value: number): void {
  setInputs({ [`machine.${knob}`]: value }, `${knob} → ${value}`);
  say(`${knob} is ${value} now`);
}

export const chosen = computed<Point | null>(() => {
  const result = shown.value;
  if (!result) return null;
  const key = view.value.point;
  if (!key) return result.best;
  const every = [...result.pareto, ...shownPoints(result), ...misfits.value, ...(result.heat_map?.cells.flatMap((cell) => (cell.point ? [cell.point] : [])) ?? [])];
  return every.find((point) => keyOf(point) === key) ?? result.sensitivity_at ?? result.best;
});
