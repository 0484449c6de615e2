// The engine's last refusal, placed at the field that its `where` names.
import { signal } from "@preact/signals";
import type { Failure } from "../engine/engine.ts";

export const failure = signal<Failure | null>(null);

// "/plan/tp", "--tp" and "spec.json:/plan/tp" all mean plan.tp.
export function pathOf(where: string): string {
  const pointer = where.includes("/") ? where.replace(/^[^:]*:?\//, "") : where.replace(/^--/, "");
  return pointer.replaceAll("/", ".").replaceAll("-", "_");
}

export function failureAt(path: string): Failure | null {
  const now = failure.value;
  if (!now?.where) return null;
  const at = pathOf(now.where);
  return at === path || path.endsWith(`.${at}`) ? now : null;
}
