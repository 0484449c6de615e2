// Fields without an order keep their place.
export function compareOrder(a: number | undefined, b: number | undefined): number {
  return (a ?? 0) - (b ?? 0);
}

// Numbers by size, texts by their letters; what is not there comes last.
export function compareValues(a: unknown, b: unknown): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (a === null || a === undefined || b === null || b === undefined) return Number(a === null || a === undefined) - Number(b === null || b === undefined);
  return String(a) < String(b) ? -1 : Number(String(a) > String(b));
}

// A change in words: which way is better is the engine's to say.
export function verdict(change: number | null | undefined, better: "less" | "more" | null): "better" | "worse" | "" {
  if (!change || better === null) return "";
  return change < 0 === (better === "less") ? "better" : "worse";
}
