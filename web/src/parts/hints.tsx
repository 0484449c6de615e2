// Hints and mends: what the engine proposes, what it would change, and a button that tries it as one step of undo.
import type { Change, Hint, Inspect, Patch } from "../engine/types.ts";
import { byKey, bytes, plain, time } from "../format/format.ts";
import { setInputs } from "../state/store.ts";
import { say } from "./actions.ts";
import { Severity } from "./icons.tsx";
import { Panel } from "./panel.tsx";

const lastOf = (path: string): string => path.split(".").at(-1) ?? path;

export const patchText = (patch: Patch): string =>
  Object.entries(patch).map(([path, value]) => `${path.replace(/^(plan|machine)\./, "").replace("device.", "")} ${/_(per_s|bytes|s)$/.test(path) ? byKey(`_${lastOf(path)}`, value) : plain(value)}`).join(", ");

export function tryPatch(patch: Patch): void {
  setInputs(patch, `Try ${patchText(patch)}`, true);
  say(`Tried: ${patchText(patch)}. Ctrl Z takes it back.`);
}

function outcome(figures: Change["after"]): string {
  if (!figures.placement_valid) return "cannot be placed";
  return `${time(figures.latency_s)}${figures.fits_memory ? "" : ", does not fit"}`;
}

export function Effect({ patch, effect }: { patch: Patch; effect: Change | null | undefined }) {
  return (
    <p class="eff">
      {patchText(patch)}
      {effect ? (
        <>
          : memory {bytes(effect.before.total_bytes)} → {bytes(effect.after.total_bytes)}, latency {outcome(effect.before)} → {outcome(effect.after)}
        </>
      ) : null}
    </p>
  );
}

function One({ hint }: { hint: Hint }) {
  return (
    <li class="hint" data-hint={hint.id}>
      <Severity level={hint.severity} />
      <div>
        <p>{hint.message}</p>
        {hint.patch ? <Effect patch={hint.patch} effect={hint.effect} /> : null}
      </div>
      {hint.patch ? (
        <button class="btn sm" aria-label={`Try ${patchText(hint.patch)}`} onClick={() => tryPatch(hint.patch!)}>
          Try
        </button>
      ) : null}
    </li>
  );
}

export function Hints({ result, busy }: { result: Inspect; busy: boolean }) {
  return (
    <Panel id="hints" title="Hints" note={result.hints.length > 0 ? "effects computed, not guessed" : ""} busy={busy} json={() => result.hints} table={() => ({ columns: ["id", "severity", "message"], rows: result.hints.map((h) => [h.id, h.severity, h.message]) })}>
      <ul class="pad hints">
        {result.hints.length === 0 ? <li class="sub">Nothing to remark on this configuration.</li> : null}
        {result.hints.map((hint) => (
          <One key={hint.id} hint={hint} />
        ))}
      </ul>
    </Panel>
  );
}

// Infeasible is an answer: what is wrong in words, and what would mend it.
export function Banner({ result, reasons }: { result: Inspect; reasons: Record<string, string> }) {
  if (result.fits_memory && result.placement_valid) return null;
  return (
    <div class="banner" role="status" data-banner>
      {result.placement_valid ? null : <p>Cannot be placed: {result.invalid_reasons.map((reason) => reasons[reason] ?? reason).join("; ")}.</p>}
      {result.fits_memory ? null : (
        <p>
          Does not fit: {bytes(result.memory.total_bytes)} needed, {bytes(result.memory.capacity_bytes)} there.
        </p>
      )}
      <Mends mends={result.mends ?? []} />
    </div>
  );
}

export function Mends({ mends, inputOf = (path) => path }: { mends: { patch: Patch; effect?: Change | null }[]; inputOf?: (path: string) => string }) {
  const named = (patch: Patch): Patch => Object.fromEntries(Object.entries(patch).map(([path, value]) => [inputOf(path), value]));
  return (
    <ul class="mends">
      {mends.map((mend) => (
        <li key={patchText(mend.patch)}>
          <button class="btn sm" onClick={() => tryPatch(named(mend.patch))}>
            Try {patchText(mend.patch)}
          </button>
          <Effect patch={mend.patch} effect={mend.effect} />
        </li>
      ))}
    </ul>
  );
}
