// What is on screen, apart from answers: page, inputs that differ from the defaults, view. Mirrored in the link.
import { batch, computed, signal } from "@preact/signals";
import * as history from "./history.ts";
import { readLink, unpack, writeLink, type Snapshot, type Value, type Values } from "./link.ts";

export const example: Values = { model: "llama-3.1-70b", phase: "prefill", context: 32768, "plan.tp": 8, "plan.cp": 16 };

export const state = signal<Snapshot>({ page: "inspect", inputs: example, view: {}, unknown: {} });
export const steps = signal<history.History<Snapshot>>(history.empty());
const explorePanels = ["scatter", "sensitivity", "heat", "front"];

// /embed/roofline is that one panel of Inspect, without the frame around it.
export const embedded = computed(() => (state.value.page.startsWith("embed/") ? state.value.page.slice("embed/".length) : null));
export const page = computed(() => {
  const panel = embedded.value;
  if (panel === null) return state.value.page;
  return explorePanels.includes(panel) ? "explore" : ["ranks", "speed", "smallest"].includes(panel) ? "fit" : ["terms"].includes(panel) ? "glossary" : "inspect";
});
export const inputs = computed(() => state.value.inputs);
export const view = computed(() => state.value.view);
export const hover = signal<string | null>(null); // lit in every panel that knows it, never in the link
export const printing = signal(false); // all formulas are open on paper
export const notice = signal<string>("");

let frame = 0;

function mirror(push: boolean): void {
  const link = writeLink(state.peek());
  if (push) {
    window.history.pushState(null, "", link);
    return;
  }
  if (frame) return;
  frame = requestAnimationFrame(() => {
    frame = 0;
    window.history.replaceState(null, "", writeLink(state.peek()));
  });
}

interface Options {
  label: string;
  drag?: string;
  push?: boolean;
}

export function change(next: Partial<Snapshot>, options: Options): void {
  const before = state.peek();
  const after = { ...before, ...next };
  if (writeLink(before) === writeLink(after)) return;
  batch(() => {
    steps.value = history.record(steps.peek(), options.label, before, options.drag ?? null);
    state.value = after;
  });
  mirror(options.push ?? false);
}

export function endDrag(): void {
  steps.value = { ...steps.peek(), drag: null };
}

function without<T>(values: Readonly<Record<string, T>>, key: string): Record<string, T> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => name !== key));
}

// null: back to the default.
export function setInput(key: string, value: Value | null, drag?: string): void {
  const now = state.peek().inputs;
  const next = value === null ? without(now, key) : { ...now, [key]: value };
  change({ inputs: next }, { label: `${key} ${now[key] ?? "default"} → ${value ?? "default"}`, ...(drag ? { drag } : {}) });
}

export function setInputs(values: Readonly<Record<string, Value | null>>, label: string, push = false, clear: (key: string) => boolean = () => false): void {
  const kept = Object.fromEntries(Object.entries(state.peek().inputs).filter(([key]) => !clear(key)));
  for (const [key, value] of Object.entries(values)) {
    if (value === null) delete kept[key];
    else kept[key] = value;
  }
  change({ inputs: kept }, { label, push });
}

export function setView(key: string, value: string | null): void {
  const now = state.peek().view;
  change({ view: value === null ? without(now, key) : { ...now, [key]: value } }, { label: `${key} ${value ?? "none"}` });
}

export function goTo(target: string): void {
  change({ page: target }, { label: `page ${target}`, push: true });
}

export function undo(): void {
  const done = history.undo(steps.peek(), state.peek());
  if (done) restore(done);
}

export function redo(): void {
  const done = history.redo(steps.peek(), state.peek());
  if (done) restore(done);
}

function restore(done: { history: history.History<Snapshot>; state: Snapshot }): void {
  batch(() => {
    steps.value = done.history;
    state.value = done.state;
  });
  mirror(false);
}

const unpacked = new Map<string, unknown>();

export function remember(packed: string, value: unknown): void {
  unpacked.set(packed, value);
}

// An uploaded model stands packed in the inputs; requests carry what it holds.
export function valueOf(value: Value): unknown {
  return typeof value === "string" && value.startsWith("~") ? (unpacked.get(value) ?? value) : value;
}

async function openLink(): Promise<void> {
  const read = readLink(location.pathname, location.hash);
  const packed = read.inputs.model;
  if (typeof packed === "string" && packed.startsWith("~") && !unpacked.has(packed)) {
    try {
      unpacked.set(packed, await unpack(packed));
    } catch {
      notice.value = "The model in the link cannot be read; the worked example is shown.";
    }
  }
  const strange = Object.keys(read.unknown);
  if (strange.length > 0) notice.value = `Kept, but not understood here: ${strange.join(", ")}`;
  const isFirst = Object.keys(read.inputs).length === 0;
  state.value = isFirst ? { ...read, inputs: example } : read;
}

export async function start(): Promise<void> {
  await openLink();
  mirror(false);
  window.addEventListener("popstate", () => void openLink());
  window.addEventListener("hashchange", () => void openLink());
}
