/** Positions that are remembered: ten minutes at one a second. */
const MOST = 600;

/**
 * The lag of a replica, by positions in the log of the primary: the time since the primary wrote the first position that the replica
 * has not replayed. Unlike the age of the last replayed transaction it does not grow while nothing is written, and it compares no
 * clocks of two machines. Times are milliseconds of one clock.
 */
export function createLagMeter() {
  let written: { position: bigint; at: number }[] = [];
  return {
    /** The primary had written so much at this moment. */
    wrote(position: bigint, at: number): void {
      const last = written.at(-1);
      if (last && position <= last.position) return;
      // While a replica is away for long only the first position matters; later ones may seem older than they are, never newer.
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
