/** Pseudorandom numbers. The same seed gives the same numbers. */

export type Random = {
  /** From 0 to 1, excluding 1. */
  next(): number;
  /** From 0 to `below` - 1. */
  int(below: number): number;
  pick<T>(items: readonly T[]): T;
};

/** The algorithm is Mulberry32. */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (below: number) => Math.floor(next() * below);
  return { next, int, pick: (items) => items[int(items.length)]! };
}
