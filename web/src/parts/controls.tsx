// Fields of the rail: a row with its label, and the kinds of control.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { endDrag, hover, inputs, setInput } from "../state/store.ts";
import { readTyped, readValue, type Value } from "../state/link.ts";
import { byKey, plain } from "../format/format.ts";
import { doubled, halved, sliderMax, sliderPosition, sliderStep } from "../scale/scale.ts";
import { failureAt } from "./failure.ts";

interface RowProps {
  path: string;
  label: string;
  children: ComponentChildren;
}

export const idOf = (path: string): string => `f-${path.replaceAll(".", "-")}`;

// One row: a dot where the input differs from the preset, the engine's message where it refused.
export function Row({ path, label, children }: RowProps) {
  const failure = failureAt(path);
  const classes = ["f", path in inputs.value ? "changed" : "", failure ? "wrong" : "", hover.value === path ? "lit" : ""].filter(Boolean).join(" ");
  return (
    <div class={classes} data-path={path}>
      <label class="lab" for={idOf(path)}>
        {label}
        {path in inputs.value ? <span class="vh"> (changed)</span> : null}
      </label>
      {children}
      {failure ? (
        <p class="msg" role="alert">
          {failure.message} {failure.hint}
        </p>
      ) : null}
    </div>
  );
}

export interface Choice {
  value: Value;
  text: string;
}

export function Segments({ path, label, choices, value, set }: { path: string; label: string; choices: readonly Choice[]; value: unknown; set?: (value: Value) => void }) {
  const apply = set ?? ((next: Value) => setInput(path, next));
  return (
    <div class="seg" role="radiogroup" aria-label={label} id={idOf(path)}>
      {choices.map((choice) => (
        <label key={String(choice.value)} class={choice.value === value ? "on" : ""}>
          <input type="radio" name={path} checked={choice.value === value} onChange={() => apply(choice.value)} />
          <span>{choice.text}</span>
        </label>
      ))}
    </div>
  );
}

export function Text({ path, label, value, unit, set, wide }: { path: string; label: string; value: unknown; unit?: string; set?: (value: Value | null) => void; wide?: boolean }) {
  const [draft, setDraft] = useState<string | null>(null);
  const commit = (): void => {
    if (draft === null) return;
    const clean = draft.replaceAll(",", /^[\d,.\s]+$/.test(draft) && !/,\s/.test(draft) && typeof value === "number" ? "" : ",").trim();
    if (clean !== plain(value)) (set ?? ((next) => setInput(path, next)))(clean === "" ? null : readTyped(clean));
    setDraft(null);
  };
  return (
    <span class={wide ? "val wide" : "val"}>
      <input
        id={idOf(path)}
        aria-label={unit ? `${label}, ${unit}` : label}
        value={draft ?? plain(value)}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => setDraft(event.currentTarget.value)}
        onBlur={commit}
        onKeyDown={(event) => {
          if (event.key === "Enter") commit();
          if (event.key === "Escape") setDraft(null);
        }}
      />
      {unit ? <i>{unit}</i> : null}
    </span>
  );
}

interface KnobProps {
  path: string;
  label: string;
  value: unknown;
  min: number;
  max: number;
  unit?: string;
  whole?: boolean;
  isScaled?: boolean; // in base units, shown with a prefix
}

// A slider in quarter octaves beside a field for the exact value.
export function Knob({ path, label, value, min, max, unit, whole, isScaled }: KnobProps) {
  const number = typeof value === "number" ? value : min;
  const go = (position: number): void => setInput(path, sliderStep(position, min, max, whole ?? false), path);
  const position = sliderPosition(number, min);
  const shown = isScaled ? byKey(`_${path.split(".").find((part) => part.endsWith("_per_s")) ?? ""}`, value) : value;
  return (
    <Row path={path} label={label}>
      <div class={isScaled ? "sl scaled" : "sl"}>
        <input
          type="range"
          min={0}
          max={sliderMax(min, max)}
          step={1}
          value={position}
          aria-label={`${label}, slider`}
          aria-valuetext={`${plain(shown)} ${unit ?? ""}`}
          onInput={(event) => go(Number(event.currentTarget.value))}
          onChange={endDrag}
          onKeyDown={(event) => {
            const jump: Record<string, number> = { PageUp: 4, PageDown: -4 };
            const by = jump[event.key];
            if (by === undefined) return;
            event.preventDefault();
            go(sliderPosition(number, min, by));
            endDrag();
          }}
        />
        <Text path={path} label={label} value={shown} {...(unit ? { unit } : {})} />
      </div>
    </Row>
  );
}

export function Select({ path, label, choices, value, set }: { path: string; label: string; choices: readonly Choice[]; value: unknown; set?: (value: Value) => void }) {
  return (
    <select id={idOf(path)} class="sel" aria-label={label} value={String(value ?? "")} onChange={(event) => (set ?? ((next: Value) => setInput(path, next)))(readValue(event.currentTarget.value))}>
      {choices.map((choice) => (
        <option key={String(choice.value)} value={String(choice.value)}>
          {choice.text}
        </option>
      ))}
    </select>
  );
}

export function Degree({ path, label, value }: { path: string; label: string; value: unknown }) {
  const failure = failureAt(path);
  return (
    <div data-path={path} class={`deg${path in inputs.value ? " changed" : ""}${failure ? " wrong" : ""}${hover.value === path ? " lit" : ""}`}>
      <label class="lab" for={idOf(path)}>
        {label}
      </label>
      <input
        id={idOf(path)}
        value={plain(value)}
        inputMode="numeric"
        autocomplete="off"
        title={`${label}: arrow up doubles, arrow down halves`}
        onChange={(event) => setInput(path, readTyped(event.currentTarget.value.trim()))}
        onKeyDown={(event) => {
          if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
          event.preventDefault();
          const now = typeof value === "number" ? value : 1;
          setInput(path, event.key === "ArrowUp" ? doubled(now) : halved(now));
        }}
      />
    </div>
  );
}

export function Group({ title, action, children }: { title: string; action?: ComponentChildren; children: ComponentChildren }) {
  return (
    <section class="grp">
      <h2>
        {title} {action}
      </h2>
      {children}
    </section>
  );
}
