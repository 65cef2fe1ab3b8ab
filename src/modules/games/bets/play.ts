import type { Tx } from '../../../platform/database/db.ts';
import { LIMIT_PERIODS, noPlay, type Play, playedBetween } from '../../compliance/gate/rules.ts';
import { asTheyStand } from './versions.ts';

/** Number of bets in the first read. Each further read doubles it, up to MOST. */
const FIRST = 200;
const MOST = 10_000;
/** The times of bets are slightly out of the order of their ids, because a transaction may start and then wait for a lock. */
const DISORDER_MS = 60_000;

type Row = { id: bigint; at: Date; settledAt: Date | null; staked: bigint; paid: bigint };

/**
 * Returns a locked player's stakes, payouts and play time of the current day, week and month at a time, as the gate would have counted
 * them. Reads the newest bets back to the start of the periods. The payout of a round that started before a period is left out, which
 * makes limits stricter.
 */
export async function playSince(tx: Tx, userId: number, at: Date): Promise<Play> {
  const play = noPlay(at);
  const earliest = Math.min(...LIMIT_PERIODS.map((period) => play[period].start.getTime())) - DISORDER_MS;
  let { lastAt } = play;
  let later: Date | undefined;
  let below: bigint | undefined;
  for (let size = FIRST; ; size = Math.min(size * 2, MOST)) {
    const rows = await readBefore(tx, { userId, below, size });
    for (const row of rows) {
      add(play, row, later);
      later = later && later < row.at ? later : row.at;
      lastAt ??= row.at;
    }
    const last = rows.at(-1);
    if (!last || rows.length < size || last.at.getTime() < earliest) return { ...play, lastAt };
    below = last.id;
  }
}

function add(play: Play, row: Row, later: Date | undefined): void {
  for (const period of LIMIT_PERIODS) {
    const played = play[period];
    if (row.at >= played.start) played.staked += row.staked;
    if (row.settledAt && row.settledAt >= played.start) played.paid += row.paid;
    if (later) played.playedMs += playedBetween(row.at, later, played.start);
  }
}

/** The player's newest bets with ids below `below`. */
async function readBefore(
  tx: Tx,
  { userId, below, size }: { userId: number; below: bigint | undefined; size: number },
): Promise<Row[]> {
  const found = await tx
    .selectFrom('bets')
    .select(['id', 'status', 'is_corrected', 'created_at', 'settled_at'])
    .select(['amount', 'payout', 'usd_amount', 'usd_payout'])
    .where('user_id', '=', userId)
    .$if(below !== undefined, (q) => q.where('id', '<', below!))
    .orderBy('id', 'desc')
    .limit(size)
    .execute();
  const rows = await asTheyStand(tx, found);
  return rows.map(({ id, status, created_at: at, settled_at: settledAt, usd_amount, usd_payout }) => {
    const isReversed = status === 'ROLLBACK';
    return { id, at, settledAt, staked: isReversed ? 0n : usd_amount, paid: isReversed ? 0n : usd_payout };
  });
}
