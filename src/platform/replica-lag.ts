/** Positions that are remembered: ten minutes at one a second. */
const MOST = 600;

/**
 * The lag of a replica, by positions in the log of the primary: the time since the primary wrote the first position that the replica
 * has not replayed. Unlike the age of the last replayed transaction it does not grow while nothing is written, and it compares no
 * clocks of two machines. Times are milliseconds of one clock.
 */
export function createLagMeter() {
  let written: { position: bigint; at: number }[] = [];
  let askedAt = Number.NEGATIVE_INFINITY;
  return {
    /** The primary had written so much at this moment. */
    wrote(position: bigint, at: number): void {
      askedAt = at;
      const last = written.at(-1);
      // Another primary, which never had what the former one wrote last: nobody will replay that.
      if (last && position < last.position) written = [];
      else if (last?.position === position) return;
      // While a replica is away for long only the first position matters; later ones may seem older than they are, never newer.
      if (last && written.length >= MOST) last.position = position;
      else written.push({ position, at });
    },
    /** Milliseconds, at most: what a primary that does not answer has written since it last did, nobody here knows. */
    behind(replayed: bigint, now: number): number {
      written = written.filter(({ position }) => position > replayed);
      const first = written[0];
      return Math.round(now - Math.min(askedAt, first?.at ?? now));
    },
  };
}
