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
    const answer = await call<Result>(command, input);
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
