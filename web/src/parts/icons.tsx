// Marks and icons. A mark's shape repeats its colour: square compute, triangle memory, circle network.
import type { Bound } from "../engine/types.ts";

export function Mark({ bound, label }: { bound: Bound; label?: boolean }) {
  return (
    <svg class={`mk c-${bound}`} viewBox="0 0 10 10" {...(label ? { role: "img", "aria-label": `${bound} bound` } : { "aria-hidden": true })}>
      {bound === "compute" ? <rect x="0.5" y="0.5" width="9" height="9" /> : null}
      {bound === "memory" ? <path d="M5 .4 9.8 9.4H.2Z" /> : null}
      {bound === "network" ? <circle cx="5" cy="5" r="4.7" /> : null}
    </svg>
  );
}

const paths = {
  undo: "M3 7h7a3 3 0 0 1 0 6H7M3 7l3-3M3 7l3 3",
  redo: "M13 7H6a3 3 0 0 0 0 6h3M13 7l-3-3M13 7l-3 3",
  link: "M6.5 9.5l3-3M7 4.5l1.3-1.3a2.8 2.8 0 0 1 4 4L11 8.5M9 11.5l-1.3 1.3a2.8 2.8 0 0 1-4-4L5 7.5",
  theme: "M13 9.5A5.5 5.5 0 0 1 6.5 3 5.5 5.5 0 1 0 13 9.5Z",
  help: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM6.2 6.4a1.8 1.8 0 1 1 2.6 1.6c-.5.3-.8.6-.8 1.2M8 11.3v.1",
  search: "M7 11A4 4 0 1 0 7 3a4 4 0 0 0 0 8ZM10 10l3.5 3.5",
  close: "M4 4l8 8M12 4l-8 8",
  menu: "M3 4.5h10M3 8h10M3 11.5h10",
} as const;

export function Icon({ name }: { name: keyof typeof paths }) {
  return (
    <svg viewBox="0 0 16 16" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}

export function Severity({ level }: { level: "warn" | "info" | "good" }) {
  return (
    <svg viewBox="0 0 14 14" role="img" aria-label={{ warn: "warning", info: "note", good: "good" }[level]} class={`sev ${level}`}>
      {level === "warn" ? <path d="M7 1.2 13.4 12.6H.6ZM7 5.2v3.4M7 10.4v.2" /> : <circle cx="7" cy="7" r="5.8" />}
      {level === "good" ? <path d="m4.3 7.2 1.9 1.9 3.6-4" /> : null}
      {level === "info" ? <path d="M7 6.2v4M7 3.9v.2" /> : null}
    </svg>
  );
}

export function Logo() {
  return (
    <svg viewBox="0 0 22 18" class="logo" aria-hidden="true">
      <path d="M1 6l6-4 5 5 4-3 5 4M1 15l6-4 5 4 9-6" />
      <path d="M1 11l6-3 4 2" />
    </svg>
  );
}

export const LegendBounds = () => (
  <span class="key">
    {(["compute", "memory", "network"] as const).map((bound) => (
      <span key={bound}>
        <Mark bound={bound} /> {bound}
      </span>
    ))}
  </span>
);
