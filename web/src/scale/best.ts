// Which values of a row are the best: the least or the greatest, all that tie.
export function marks(values: readonly (number | string | null)[], less: boolean | null): boolean[] {
  const numbers = values.filter((value): value is number => typeof value === "number");
  if (less === null || numbers.length < 2) return values.map(() => false);
  const best = less ? Math.min(...numbers) : Math.max(...numbers);
  return numbers.every((value) => value === best) ? values.map(() => false) : values.map((value) => value === best);
}

// Fields without an order keep their place.
export function compareOrder(a: number | undefined, b: number | undefined): number {
  return (a ?? 0) - (b ?? 0);
}
