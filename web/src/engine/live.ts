// An answer that follows its question: at most once a frame, the latest wins, stale ones are dropped.
import { effect, signal, type ReadonlySignal, type Signal } from "@preact/signals";
import { call, type Failure, type Reply } from "./engine.ts";

export interface Live<Result> {
  reply: Signal<Reply<Result> | null>; // the last good one stays while a new one is on its way
  failure: Signal<Failure | null>;
  elapsed: Signal<number>;
  busy: Signal<boolean>;
  asked: Signal<string>; // the request that `reply` answers
  again(): void;
}

const inFlightLimit = 2;

// What a page asks beyond the answer itself; an engine that refuses the field is asked without it.
const optional = ["topology", "rank", "thin", "heat_map", "at"];
const refused = new Set<string>();

function accepted(input: unknown): unknown {
  const kept = Object.fromEntries(Object.entries(input as Record<string, unknown>).filter(([key]) => !refused.has(key)));
  if (!refused.has("thin") || !("points" in kept)) return kept;
  const { points: _all, ...rest } = kept; // whole, they are hundreds of megabytes
  return { ...rest, top: 2000 };
}

function isRefusedOption(failure: Failure): boolean {
  const name = optional.find((key) => failure.code === "unknown_key" && failure.where.endsWith(key.replaceAll("_", "-")) || failure.where.endsWith(`/${key}`));
  if (name === undefined || failure.code !== "unknown_key" || refused.has(name)) return false;
  refused.add(name);
  return true;
}

export function live<Result>(command: string, request: ReadonlySignal<unknown | null>): Live<Result> {
  const reply = signal<Reply<Result> | null>(null);
  const failure = signal<Failure | null>(null);
  const elapsed = signal(0);
  const busy = signal(false);
  const asked = signal("");
  const round = signal(0);
  let sequence = 0;
  let painted = 0;
  let inFlight = 0;
  let frame = 0;
  let waiting = false;

  async function send(): Promise<void> {
    frame = 0;
    if (inFlight >= inFlightLimit) {
      waiting = true;
      return;
    }
    const input = request.peek();
    if (input === null) return;
    const mine = ++sequence;
    inFlight += 1;
    busy.value = true;
    let answer = await call<Result>(command, accepted(input));
    while ("failure" in answer && isRefusedOption(answer.failure)) answer = await call<Result>(command, accepted(input));
    inFlight -= 1;
    if (mine > painted) {
      painted = mine;
      if ("reply" in answer) {
        reply.value = answer.reply;
        elapsed.value = answer.elapsed;
        failure.value = null;
        asked.value = JSON.stringify(input);
      } else {
        failure.value = answer.failure;
      }
    }
    busy.value = inFlight > 0;
    if (waiting) {
      waiting = false;
      void send();
    }
  }

  effect(() => {
    const input = request.value;
    void round.value;
    if (input !== null && !frame) frame = requestAnimationFrame(() => void send());
  });

  return { reply, failure, elapsed, busy, asked, again: () => (round.value += 1) };
}
