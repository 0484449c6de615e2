// What the buttons, keys and the command box do alike: copy, save, say.
import { computed, signal } from "@preact/signals";
import { commandLine, curl, type Json } from "../state/request.ts";
import { inputs, notice } from "../state/store.ts";
import { save, saved } from "../state/saved.ts";
import { nextName } from "../state/saved.ts";

export const dialog = signal<"commands" | "keys" | "share" | null>(null);
export const spoken = signal(""); // read out by screen readers
export const opened = signal<Explained | null>(null);
export const pageCommand = signal<{ command: string; request: Json } | null>(null);

export interface Explained {
  title: string;
  figure: string;
  lines: readonly (readonly [label: string, text: string, isFormula?: boolean])[];
}

let clearing = 0;

export function say(text: string): void {
  notice.value = text;
  spoken.value = text;
  window.clearTimeout(clearing);
  clearing = window.setTimeout(() => (notice.value = ""), 5000);
}

export async function copy(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    say(`${what} copied`);
  } catch {
    say(text);
  }
}

export const cliText = computed(() => (pageCommand.value ? commandLine(pageCommand.value.command, pageCommand.value.request) : ""));

export function copyCli(): void {
  if (pageCommand.peek()) void copy(cliText.peek(), "Command line");
}

export function copyCurl(): void {
  const now = pageCommand.peek();
  if (now) void copy(curl(now.command, now.request, location.origin), "cURL command");
}

export function copyLink(): void {
  void copy(location.href, "Link");
}

export function saveNow(): void {
  const name = save(inputs.peek());
  say(`Saved as ${name}; Compare shows ${saved.peek().length === 1 ? "it" : "them"} side by side`);
}

export const saveLabel = computed(() => `Save as ${nextName(saved.value)}`);

export function explain(what: Explained): void {
  opened.value = what;
}
