// One way to ask the engine, whoever carries it: call(command, input) -> reply. Here: POST /v1/<command>.
import { batch, signal } from "@preact/signals";

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

export async function call<Result>(command: string, input: unknown, abort?: AbortSignal, progress?: (share: number) => void): Promise<Answer<Result>> {
  began();
  try {
    return await ask<Result>(command, input, abort, progress);
  } finally {
    ended();
  }
}

type Body<Result> = Reply<Result> & { error?: Failure };

async function ask<Result>(command: string, input: unknown, abort?: AbortSignal, progress?: (share: number) => void): Promise<Answer<Result>> {
  const headers = { "Content-Type": "application/json", ...(progress ? { Accept: "text/event-stream" } : {}) };
  const request: RequestInit = { method: "POST", headers, body: JSON.stringify(input) };
  let response: Response;
  let body: Body<Result> | null;
  const began = performance.now();
  try {
    response = await fetch(`/v1/${command}`, abort ? { ...request, signal: abort } : request);
    const isStream = response.headers.get("Content-Type")?.startsWith("text/event-stream") ?? false;
    body = isStream ? await readEvents<Result>(response, progress) : ((await response.json().catch((error: unknown) => whenBroken(error, abort))) as Body<Result> | null);
  } catch (error) {
    if (abort?.aborted) return { failure: { ...lost, code: "aborted", message: "The search was stopped.", hint: "" } };
    online.value = false;
    return { failure: { ...lost, hint: `${lost.hint} (${String(error)})` } };
  }
  online.value = true;
  if (!body) return { failure: { ...lost, code: "internal", message: `The engine sent no JSON (status ${response.status}).` } };
  if (body.error) return { failure: body.error };
  const told = response.headers.get("X-Ridgeline-Elapsed");
  const elapsed = told === null ? (performance.now() - began) / 1000 : Number(told);
  batch(() => {
    if (body.ridgeline !== version.peek()) version.value = body.ridgeline;
    lastElapsed.value = elapsed;
  });
  return { reply: body, elapsed };
}

// A body cut off is a lost engine; one that is no JSON is said as such.
function whenBroken(error: unknown, abort: AbortSignal | undefined): null {
  if (abort?.aborted || error instanceof TypeError) throw error;
  return null;
}

// Server-sent events: `progress` with a share, then `result` or `error`.
async function readEvents<Result>(response: Response, progress: ((share: number) => void) | undefined): Promise<Body<Result> | null> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  const parts: string[] = [];
  for (;;) {
    const { done, value } = await reader.read();
    if (value) parts.push(value);
    if (!done && !value?.includes("\n\n")) continue;
    const events = parts.splice(0).join("").split("\n\n");
    parts.push(events.pop() ?? "");
    for (const event of events) {
      const name = /^event: *(\w+)/m.exec(event)?.[1];
      const data = event.slice(event.indexOf("data:")).slice("data:".length);
      if (name === "progress") progress?.((JSON.parse(data) as { share: number }).share);
      else if (name) return JSON.parse(data) as Body<Result>;
    }
    if (done) throw new TypeError("the answer was cut off");
  }
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
