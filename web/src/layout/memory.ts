// Geometry of a memory bar: the frame is the capacity unless the parts need more.

export interface Bar {
  parts: { key: string; x: number; width: number }[];
  capacityX: number;
  isOver: boolean;
}

const across = 420;

export function memoryBar(values: readonly (readonly [key: string, bytes: number])[], capacity: number): Bar {
  let sum = 0;
  for (const [, bytes] of values) sum += bytes;
  const whole = Math.max(sum, capacity) || 1;
  let x = 0;
  const parts = values.map(([key, bytes]) => {
    const width = (bytes / whole) * across;
    const part = { key, x, width: Math.max(0, width - (width > 3 ? 1 : 0)) };
    x += width;
    return part;
  });
  return { parts, capacityX: (capacity / whole) * (across - 1), isOver: sum > capacity };
}
