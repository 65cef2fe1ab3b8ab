/** Number of positions to remember: ten minutes of one position per second. */
const MOST = 600;

/**
 * Measures a replica's lag with positions in the primary's log. The lag is the time since the primary wrote the first position that the
 * replica has not replayed. Unlike the age of the last replayed transaction, it does not grow while nothing is written. It does not compare
 * the clocks of two machines. Times are milliseconds of one clock.
 */
export function createLagMeter() {
  let written: { position: bigint; at: number }[] = [];
  let askedAt = Number.NEGATIVE_INFINITY;
  return {
    /** Records that the primary has written up to `position` at this time. */
    wrote(position: bigint, at: number): void {
      askedAt = at;
      const last = written.at(-1);
      // A lower position means that a new primary never received the former primary's last writes. No replica will replay them.
      if (last && position < last.position) written = [];
      else if (last?.position === position) return;
      // If a replica is unavailable for a long time, only the first position matters. Later positions may seem older than they are, but
      // never newer.
      if (last && written.length >= MOST) last.position = position;
      else written.push({ position, at });
    },
    /**
     * Returns an upper bound on the lag in milliseconds. The bound grows while the primary does not respond, because its writes since its
     * last response are unknown.
     */
    behind(replayed: bigint, now: number): number {
      written = written.filter(({ position }) => position > replayed);
      const first = written[0];
      return Math.round(now - Math.min(askedAt, first?.at ?? now));
    },
  };
}
