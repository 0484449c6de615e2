// What outlives a visit: saved configurations, theme, single-letter keys. Works with storage blocked.
import { effect, signal } from "@preact/signals";
import type { Values } from "./link.ts";

export interface Saved {
  name: string;
  inputs: Values;
}

function read<T>(key: string, fallback: T): T {
  try {
    const text = localStorage.getItem(`ridgeline.${key}`);
    return text === null ? fallback : (JSON.parse(text) as T);
  } catch {
    return fallback;
  }
}

function write(key: string, value: unknown): void {
  try {
    localStorage.setItem(`ridgeline.${key}`, JSON.stringify(value));
  } catch {
    // storage is blocked: the page works without it
  }
}

export const saved = signal<readonly Saved[]>(read("saved", []));
export const theme = signal<"light" | "dark" | null>(read("theme", null));
export const letterKeys = signal<boolean>(read("keys", true));
export const columnChoice = signal<Readonly<Record<string, boolean>>>(read("columns", {}));

effect(() => write("saved", saved.value));
effect(() => write("theme", theme.value));
effect(() => write("keys", letterKeys.value));
effect(() => write("columns", columnChoice.value));

export function nextName(list: readonly Saved[]): string {
  let index = 1;
  while (list.some((item) => item.name === `config${index}`)) index += 1;
  return `config${index}`;
}

export function save(inputs: Values): string {
  const name = nextName(saved.peek());
  saved.value = [...saved.peek(), { name, inputs }];
  return name;
}

export function rename(index: number, name: string): void {
  const clean = name.trim();
  if (clean) saved.value = saved.peek().map((item, i) => (i === index ? { ...item, name: clean } : item));
}

export function remove(index: number): void {
  saved.value = saved.peek().filter((_, i) => i !== index);
}

export function restore(item: Saved, index: number): void {
  saved.value = [...saved.peek().slice(0, index), item, ...saved.peek().slice(index)];
}

const system = typeof matchMedia === "function" ? matchMedia("(prefers-color-scheme: dark)") : null;
export const systemDark = signal(system?.matches ?? false);
system?.addEventListener("change", (event) => (systemDark.value = event.matches));

export function shownTheme(): "light" | "dark" {
  return theme.value ?? (systemDark.value ? "dark" : "light");
}
