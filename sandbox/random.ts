/** Chances that follow from a seed alone (Mulberry32). */
export function createRandom(seed = 1) {
  let state = seed;
  return {
    /** From 0 up to 1. */
    next(): number {
      state = (state + 0x6d2b79f5) | 0;
      let t = Math.imul(state ^ (state >>> 15), state | 1);
      t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
      return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
    },
    restart(from: number): void {
      state = from;
    },
  };
}
