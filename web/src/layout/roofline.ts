// Geometry of the roofline: one roof, one mark per stage, labels for the longest.
import type { Inspect, Stage } from "../engine/types.ts";
import { logarithmic, type Scale } from "../scale/scale.ts";
import { byKey } from "../format/format.ts";

export const box = { width: 420, height: 250, left: 82, right: 410, top: 12, bottom: 212 };

export interface RoofMark {
  stage: Stage;
  x: number;
  y: number;
  roof: number; // of the roof above it
  name: string; // shown beside the mark; of marks that lie close the first names all
}

export interface Roofline {
  x: Scale;
  y: Scale;
  roof: string;
  marks: RoofMark[];
  ridge: number;
  peakY: number;
  peak: string;
  slope: string;
}

export function roofline(peaks: NonNullable<Inspect["roofline"]>, stages: readonly Stage[]): Roofline {
  const shown = stages.filter((stage) => stage.intensity_flop_per_byte !== null && stage.intensity_flop_per_byte > 0 && (stage.flop_per_s ?? 0) > 0);
  const intensities = shown.map((stage) => stage.intensity_flop_per_byte!).concat(peaks.ridge_flop_per_byte);
  const rates = shown.map((stage) => stage.flop_per_s!).concat(peaks.flop_per_s);
  const x = logarithmic(Math.min(...intensities) / 3, Math.max(...intensities) * 3, box.left, box.right);
  const y = logarithmic(Math.min(...rates) / 3, Math.max(...rates) * 2, box.bottom, box.top);
  const roofAt = (intensity: number): number => Math.min(peaks.flop_per_s, intensity * peaks.memory_bytes_per_s);
  const ridge = x.at(peaks.ridge_flop_per_byte);
  const lowest = Math.max(x.low, y.low / peaks.memory_bytes_per_s);
  const longest = [...shown].sort((a, b) => b.total_s - a.total_s).slice(0, 3);
  const marks: RoofMark[] = shown.map((stage) => ({
    stage,
    x: x.at(stage.intensity_flop_per_byte!),
    y: y.at(stage.flop_per_s!),
    roof: y.at(roofAt(stage.intensity_flop_per_byte!)),
    name: longest.includes(stage) ? stage.name : "",
  }));
  join(marks);
  const roof = `M${x.at(lowest)} ${y.at(roofAt(lowest))}L${ridge} ${y.at(peaks.flop_per_s)}H${box.right}`;
  return { x, y, roof, marks, ridge, peakY: y.at(peaks.flop_per_s), peak: byKey("_flop_per_s", peaks.flop_per_s), slope: byKey("_bytes_per_s", peaks.memory_bytes_per_s) };
}

function join(marks: RoofMark[]): void {
  const first: RoofMark[] = [];
  for (const mark of marks) {
    if (!mark.name) continue;
    const near = first.find((other) => Math.abs(other.x - mark.x) < 48 && Math.abs(other.y - mark.y) < 14);
    if (!near) {
      first.push(mark);
      continue;
    }
    near.name += `, ${mark.name}`;
    mark.name = "";
  }
}

export function symbolPath(bound: string, x: number, y: number, size: number): string {
  if (bound === "compute") return `M${x - size} ${y - size}h${size * 2}v${size * 2}h${-size * 2}Z`;
  if (bound === "memory") return `M${x} ${y - size * 1.15}L${x + size * 1.15} ${y + size}H${x - size * 1.15}Z`;
  return `M${x - size} ${y}a${size} ${size} 0 1 0 ${size * 2} 0a${size} ${size} 0 1 0 ${-size * 2} 0Z`;
}

export function moved(value: number, by: number): number {
  return value + by;
}
