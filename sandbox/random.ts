/** A deterministic random generator (Mulberry32). */
export function createRandom(seed = 1) {
  let state = seed;
  return {
    /** Returns a number from 0 (inclusive) to 1 (exclusive). */
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
