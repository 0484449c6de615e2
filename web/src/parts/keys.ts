// Keys: bound by letter, ignored while typing; single letters can be switched off.
import { letterKeys, saved } from "../state/saved.ts";
import { goTo, redo, setInputs, setView, state, undo, view } from "../state/store.ts";
import { copyCli, copyLink, dialog, opened, saveNow, say } from "./actions.ts";
import type { Values } from "../state/link.ts";

export const keyTable: readonly (readonly [keys: string, what: string])[] = [
  ["1 … 8", "pages"], ["Ctrl K", "command box"], ["/", "search the model"], [", .", "previous, next stage"], ["F", "centre the selection"], ["P", "pin the selected point"],
  ["S", "save the configuration"], ["E", "export the panel in focus"], ["X", "swap with the baseline"], ["C", "copy as command line"], ["L", "copy the link"], ["[ ]", "previous, next saved configuration"], ["T", "light or dark"], ["Ctrl Z", "undo"],
  ["Ctrl Shift Z", "redo"], ["Esc", "close or clear"], ["?", "this list"],
];

const stageOrder = ["S1", "S2", "S3", "S4", "S5", "S6", "S7", "S8", "S9", "S10", "F1", "F2", "F3", "F4", "F5", "F6"];
let loaded = 0;

function step<T>(list: readonly T[], index: number, by: number): T | undefined {
  return list[(index + by + list.length) % list.length];
}

function stage(by: number): void {
  const now = stageOrder.indexOf(view.peek().sel ?? "");
  setView("sel", step(stageOrder, now < 0 && by < 0 ? 0 : now, by) ?? null);
}

function configuration(by: number): void {
  loaded = (loaded + by + saved.peek().length) % Math.max(1, saved.peek().length);
  const next = saved.peek()[loaded];
  if (next) setInputs(next.inputs, `open ${next.name}`, true, () => true);
}

// The export menu of the panel that has the focus or the pointer, else of the first one.
function exportMenu(): void {
  const panel = document.activeElement?.closest("[data-panel]") ?? [...document.querySelectorAll("[data-panel]:hover")].at(-1);
  const menu = (panel ?? document).querySelector<HTMLDetailsElement>("details.menu:not(.columns)");
  if (!menu) return;
  menu.open = true;
  menu.querySelector<HTMLElement>(".pop button")?.focus();
}

let before: Values | null = null;

// The baseline's inputs and, pressed again, what was there before; on Compare the baseline moves on.
function swap(): void {
  const list = saved.peek();
  const index = Number(view.peek().base ?? 0);
  if (state.peek().page === "compare") {
    const next = step(list.map((_, i) => i), index, 1) ?? 0;
    setView("base", next === 0 ? null : String(next));
    return;
  }
  const baseline = list[index] ?? list[0];
  if (!baseline) return say("Nothing is saved yet; S saves this configuration as the baseline.");
  const now = state.peek().inputs;
  const isThere = JSON.stringify(now) === JSON.stringify(baseline.inputs);
  const target = isThere ? before : baseline.inputs;
  if (!isThere) before = now;
  if (target) setInputs(target, isThere ? "swap back" : `swap with ${baseline.name}`, true, () => true);
}

export interface KeyActions {
  pages: readonly string[];
  pin(): void;
  toggleTheme(): void;
}

export function listen(actions: KeyActions): void {
  const letters: Record<string, () => void> = {
    s: saveNow, c: copyCli, l: copyLink, t: actions.toggleTheme, p: actions.pin, ",": () => stage(-1), ".": () => stage(1), "[": () => configuration(-1), "]": () => configuration(1),
    e: exportMenu, x: swap,
    f: () => document.querySelector(".on[data-stage], tr.on")?.scrollIntoView({ block: "center" }), "/": () => document.getElementById("f-model")?.focus(), "?": () => (dialog.value = "keys"),
  };
  window.addEventListener("keydown", (event) => {
    const key = event.key.toLowerCase();
    if ((event.ctrlKey || event.metaKey) && key === "k") {
      event.preventDefault();
      dialog.value = "commands";
      return;
    }
    const target = event.target as HTMLElement;
    const isTyping = target.isContentEditable || (/^(input|textarea|select)$/i.test(target.tagName) && !["range", "radio", "checkbox"].includes((target as HTMLInputElement).type));
    if ((event.ctrlKey || event.metaKey) && key === "z" && !isTyping) {
      event.preventDefault();
      if (event.shiftKey) redo();
      else undo();
      return;
    }
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey || dialog.peek() || opened.peek()) return;
    if (key === "escape" && state.peek().view.sel) setView("sel", null);
    if (!letterKeys.peek()) return;
    const page = /^[1-8]$/.test(key) ? actions.pages[Number(key) - 1] : undefined;
    if (page) goTo(page);
    else letters[key]?.();
  });
}
