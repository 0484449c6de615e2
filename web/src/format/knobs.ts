// Knobs of machines by their names and units: those of the chiplet machine are in units of their own, others in base units.
import { byKey, nbsp, plain, words } from "./format.ts";
import { knobNames, knobShort, knobUnits } from "./names.ts";

// "levels.node.link.bandwidth_bytes_per_s" -> ["Links, node", "bandwidth_bytes_per_s"]
function parts(knob: string): { label: string; key: string } {
  const steps = knob.split(".");
  const key = steps.at(-1)!;
  if (steps[0] === "levels" && steps.length > 2) return { label: `${steps.includes("link") ? "Links" : words(key)}, ${steps[1]}`, key };
  return { label: words(key), key };
}

export function knobName(knob: string): string {
  return knobNames[knob] ?? parts(knob).label;
}

export function knobHead(knob: string): string {
  return knobShort[knob] ?? parts(knob).label;
}

export function knobValue(knob: string, value: unknown): string {
  const unit = knobUnits[knob];
  return unit === undefined ? byKey(parts(knob).key, value) : `${plain(value)}${nbsp}${unit}`;
}

// In a column whose head names the unit.
export function knobCell(knob: string, value: unknown): string {
  return knobUnits[knob] === undefined ? byKey(parts(knob).key, value) : plain(value);
}
