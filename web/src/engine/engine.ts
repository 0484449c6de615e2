// One way to ask the engine, whoever carries it: call(command, input) -> reply. Here: POST /v1/<command>.
import { signal } from "@preact/signals";

export interface Reply<Result> {
  ridgeline: string;
  command: string;
  inputs: Record<string, unknown>;
  result: Result;
  basis?: Basis;
  notes?: { code: string; message: string; where?: string }[];
}

export interface Basis {
  level: string;
  why: string[];
  sources: { field: string; source: string }[];
  interval: { of: string; low: number; high: number; rows: number; class: string } | null;
}

export interface Failure {
  code: string;
  where: string;
  message: string;
  hint: string;
}

export type Answer<Result> = { reply: Reply<Result>; elapsed: number } | { failure: Failure };

export const online = signal(true);
export const pending = signal(0); // questions asked or about to be asked; 0: what is on screen is settled

export function began(): void {
  pending.value = pending.peek() + 1;
}

export function ended(): void {
  pending.value = pending.peek() - 1;
}

export const version = signal("");
export const lastElapsed = signal<number | null>(null);

const lost: Failure = { code: "offline", where: "", message: "The engine does not answer.", hint: "Is `ridgeline serve` still running? The page tries again by itself." };

export async function call<Result>(command: string, input: unknown, abort?: AbortSignal): Promise<Answer<Result>> {
  began();
  try {
    return await ask<Result>(command, input, abort);
  } finally {
    ended();
  }
}

async function ask<Result>(command: string, input: unknown, abort?: AbortSignal): Promise<Answer<Result>> {
  let response: Response;
  try {
    const request: RequestInit = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(input) };
    response = await fetch(`/v1/${command}`, abort ? { ...request, signal: abort } : request);
  } catch (error) {
    if (abort?.aborted) return { failure: { ...lost, code: "aborted" } };
    online.value = false;
    return { failure: { ...lost, hint: `${lost.hint} (${String(error)})` } };
  }
  online.value = true;
  const body = (await response.json().catch(() => null)) as (Reply<Result> & { error?: Failure }) | null;
  if (!body) return { failure: { ...lost, code: "internal", message: `The engine sent no JSON (status ${response.status}).` } };
  if (body.error) return { failure: body.error };
  const elapsed = Number(response.headers.get("X-Ridgeline-Elapsed") ?? 0);
  if (body.ridgeline !== version.peek()) version.value = body.ridgeline;
  lastElapsed.value = elapsed;
  return { reply: body, elapsed };
}

// Tries again with growing pauses while the engine is lost.
export function watchEngine(retry: () => void): void {
  let pause = 1;
  online.subscribe((isOnline) => {
    if (isOnline) {
      pause = 1;
      return;
    }
    setTimeout(() => {
      pause = Math.min(pause * 2, 15);
      online.value = true;
      retry();
    }, pause * 1000);
  });
}
