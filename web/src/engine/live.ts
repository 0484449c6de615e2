// An answer that follows its question: at most once a frame, the latest wins, stale ones are dropped.
import { batch, effect, signal, type ReadonlySignal, type Signal } from "@preact/signals";
import { began, call, ended, type Answer, type Failure, type Reply } from "./engine.ts";

export interface Live<Result> {
  reply: Signal<Reply<Result> | null>; // the last good one stays while a new one is on its way
  failure: Signal<Failure | null>;
  elapsed: Signal<number>;
  busy: Signal<boolean>; // the answer is late: longer than one can see
  progress: Signal<number | null>; // share done, of an answer that tells it
  again(): void;
  stop(): void;
}

interface Options {
  hasProgress?: boolean;
}

const inFlightLimit = 2;
const lateMs = 150;

export function live<Result>(command: string, request: ReadonlySignal<unknown | null>, options: Options = {}): Live<Result> {
  const reply = signal<Reply<Result> | null>(null);
  const failure = signal<Failure | null>(null);
  const elapsed = signal(0);
  const busy = signal(false);
  const progress = signal<number | null>(null);
  const round = signal(0);
  const flights = new Set<AbortController>();
  let sequence = 0;
  let painted = 0;
  let isScheduled = false;
  let isWaiting = false;
  let late = 0;

  function wait(): void {
    window.clearTimeout(late);
    late = 0;
    if (flights.size > 0) {
      late = window.setTimeout(() => (busy.value = true), lateMs);
      return;
    }
    busy.value = false;
    progress.value = null;
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
    if (flights.size >= inFlightLimit) {
      isWaiting = true;
      if (busy.peek()) for (const flight of flights) flight.abort("superseded");
      return;
    }
    const input = request.peek();
    if (input === null) return;
    const mine = ++sequence;
    const flight = new AbortController();
    flights.add(flight);
    if (!late) wait();
    const answer = await call<Result>(command, input, flight.signal, options.hasProgress ? (share) => (progress.value = share) : undefined);
    flights.delete(flight);
    batch(() => {
      const isSuperseded = flight.signal.reason === "superseded";
      if (mine > painted && !isSuperseded) take(answer, mine);
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

  const stop = (): void => {
    isWaiting = false;
    for (const flight of flights) flight.abort();
  };
  return { reply, failure, elapsed, busy, progress, again: () => (round.value += 1), stop };
}
