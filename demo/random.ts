export type Random = ReturnType<typeof createRandom>;

/** Creates a random generator (mulberry32). The same seed gives the same numbers. */
export function createRandom(seed: number) {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    chance: (of: number): boolean => next() < of,
    /** Returns an integer from `least` to `most`. */
    from: (least: number, most: number): number => least + Math.floor(next() * (most - least + 1)),
    pick: <T>(all: readonly T[]): T => all[Math.floor(next() * all.length)]!,
    bytes: (count: number): Uint8Array => Uint8Array.from({ length: count }, () => Math.floor(next() * 256)),
    /** Returns a random number around `middle`. Numbers far above `middle` are rare. */
    around: (middle: number): number => middle * Math.exp((next() + next() + next() - 1.5) * 1.3),
  };
}
