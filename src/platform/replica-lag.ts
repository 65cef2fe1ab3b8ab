/** Moments that are remembered: ten minutes at one a second. */
const MOST = 600;

/**
 * How far a replica is behind, by positions in the log of the primary: as long ago as the primary had first written what the replica
 * has not replayed. Unlike the time of the last transaction that was replayed it does not grow while nothing is written, and it
 * compares no clocks of two machines. Times are milliseconds of one clock.
 */
export function createLagMeter() {
  let written: { position: bigint; at: number }[] = [];
  return {
    /** The primary had written so much at this moment. */
    wrote(position: bigint, at: number): void {
      const last = written.at(-1);
      if (last && position <= last.position) return;
      // Of a replica that is away for long only the beginning matters; that what came later seems as old errs on the safe side.
      if (last && written.length >= MOST) last.position = position;
      else written.push({ position, at });
    },
    /** Milliseconds; 0 when all that is known to be written is replayed. */
    behind(replayed: bigint, now: number): number {
      written = written.filter(({ position }) => position > replayed);
      const first = written[0];
      return first ? Math.round(now - first.at) : 0;
    },
  };
}
