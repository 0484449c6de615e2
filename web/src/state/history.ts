// Undo and redo over whole snapshots; changes of one drag are one step.

export interface Step<T> {
  label: string;
  state: T; // before the step
}

export interface History<T> {
  past: readonly Step<T>[];
  future: readonly Step<T>[];
  drag: string | null; // the drag whose step is open
}

const limit = 200;

export function empty<T>(): History<T> {
  return { past: [], future: [], drag: null };
}

export function record<T>(history: History<T>, label: string, before: T, drag: string | null): History<T> {
  if (drag !== null && history.drag === drag && history.past.length > 0) {
    const last = history.past[history.past.length - 1]!;
    return { past: [...history.past.slice(0, -1), { label, state: last.state }], future: [], drag };
  }
  return { past: [...history.past, { label, state: before }].slice(-limit), future: [], drag };
}

export function undo<T>(history: History<T>, now: T): { history: History<T>; state: T } | null {
  const last = history.past.at(-1);
  if (!last) return null;
  return { history: { past: history.past.slice(0, -1), future: [...history.future, { label: last.label, state: now }], drag: null }, state: last.state };
}

export function redo<T>(history: History<T>, now: T): { history: History<T>; state: T } | null {
  const next = history.future.at(-1);
  if (!next) return null;
  return { history: { past: [...history.past, { label: next.label, state: now }], future: history.future.slice(0, -1), drag: null }, state: next.state };
}
