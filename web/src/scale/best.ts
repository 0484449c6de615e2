// Fields without an order keep their place.
export function compareOrder(a: number | undefined, b: number | undefined): number {
  return (a ?? 0) - (b ?? 0);
}

// A change in words: which way is better is the engine's to say.
export function verdict(change: number | null | undefined, better: "less" | "more" | null): "better" | "worse" | "" {
  if (!change || better === null) return "";
  return change < 0 === (better === "less") ? "better" : "worse";
}
