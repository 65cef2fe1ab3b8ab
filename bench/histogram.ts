/** A histogram of latencies in µs, with a precision of 1.6 %. */
export type Histogram = {
  add(us: number): void;
  clear(): void;
  /** Returns the quantile in ms: the value that this fraction (0 to 1) of all values does not exceed. Returns 0 if there are no values. */
  quantileMs(share: number): number;
};

/** Below 2 × STEPS µs every microsecond has its own bucket. Above this value every octave (doubling) has STEPS buckets. */
const STEPS = 64;
const STEPS_BITS = 6;
const OCTAVES = 26;

export function createHistogram(): Histogram {
  const counts = new Uint32Array(STEPS * OCTAVES);
  let total = 0;
  return {
    add(us) {
      const index = placeOf(us);
      counts[index] = counts[index]! + 1;
      total++;
    },
    clear() {
      counts.fill(0);
      total = 0;
    },
    quantileMs(share) {
      if (total === 0) return 0;
      let left = Math.max(1, Math.ceil(total * share));
      const index = counts.findIndex((count) => {
        left -= count;
        return left <= 0;
      });
      return upperEdge(index) / 1000;
    },
  };
}

function placeOf(us: number): number {
  const value = Math.max(0, Math.min(Math.floor(us), 2 ** 31 - 1));
  if (value < 2 * STEPS) return value;
  const octave = 31 - Math.clz32(value) - STEPS_BITS;
  return Math.min(octave * STEPS + (value >>> octave), STEPS * OCTAVES - 1);
}

function upperEdge(index: number): number {
  if (index < 2 * STEPS) return index;
  const octave = Math.floor(index / STEPS) - 1;
  return (index - octave * STEPS + 1) * 2 ** octave - 1;
}
