// An answer that follows its question: at most once a frame, the latest wins, stale ones are dropped.
import { batch, effect, signal, type ReadonlySignal, type Signal } from "@preact/signals";
import { began, call, ended, type Answer, type Failure, type Reply } from "./engine.ts";

export interface Live<Result> {
  reply: Signal<Reply<Result> | null>; // the last good one stays while a new one is on its way
  failure: Signal<Failure | null>;
  elapsed: Signal<number>;
  busy: Signal<boolean>; // the answer is late: longer than one can see
  again(): void;
}

const inFlightLimit = 2;
const lateMs = 150;

export function live<Result>(command: string, request: ReadonlySignal<unknown | null>): Live<Result> {
  const reply = signal<Reply<Result> | null>(null);
  const failure = signal<Failure | null>(null);
  const elapsed = signal(0);
  const busy = signal(false);
  const round = signal(0);
  let sequence = 0;
  let painted = 0;
  let inFlight = 0;
  let isScheduled = false;
  let isWaiting = false;
  let late = 0;

  function wait(): void {
    window.clearTimeout(late);
    late = 0;
    if (inFlight > 0) late = window.setTimeout(() => (busy.value = true), lateMs);
    else busy.value = false;
  }

  function take(answer: Answer<Result>, mine: number): void {
    painted = mine;
    if ("failure" in answer) {
      failure.value = answer.failure;
      return;
    }
    reply.value = answer.reply;
    elapsed.value = answer.elapsed;
    failure.value = null;
  }

  async function send(): Promise<void> {
    if (inFlight >= inFlightLimit) {
      isWaiting = true;
      return;
    }
    const input = request.peek();
    if (input === null) return;
    const mine = ++sequence;
    inFlight += 1;
    if (!late) wait();
    const answer = await call<Result>(command, input);
    inFlight -= 1;
    batch(() => {
      if (mine > painted) take(answer, mine);
      if (isWaiting) {
        isWaiting = false;
        void send();
      }
      wait();
    });
  }

  effect(() => {
    const input = request.value;
    void round.value;
    if (input === null || isScheduled) return;
    isScheduled = true;
    began();
    requestAnimationFrame(() => {
      isScheduled = false;
      void send();
      ended();
    });
  });

  return { reply, failure, elapsed, busy, again: () => (round.value += 1) };
}
