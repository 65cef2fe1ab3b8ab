import { type RawBuilder, type Selectable, sql, type Updateable } from 'kysely';
import { iso } from '../../../../platform/clock.ts';
import { type Db, type Tx, transaction } from '../../../../platform/database/db.ts';
import type { SpeedRounds } from '../../../../platform/database/tables.ts';
import { emitEvent } from '../../../base/events/service.ts';
import type { GameSettings } from '../settings.ts';
import { colorOf } from './rules.ts';

const NOW = sql<Date>`clock_timestamp()`;

/**
 * Each function advances a round by one phase if it is still in the previous one, so a second call changes nothing. Visible phases are
 * published with the change.
 */
const inPhase = (db: Db | Tx, id: bigint, phase: string) =>
  db.updateTable('speed_rounds').where('id', '=', id).where('phase', '=', phase);

/** BETTING → WAITING: no bet is accepted any more. Waits for batches that hold a lock on the round; later ones find it closed. */
export const closeBook = (db: Db, id: bigint): Promise<void> =>
  advance(db, id, 'BETTING', {
    phase: 'WAITING',
    ends_at: sql<Date>`ends_at + waiting_ms * interval '1 millisecond'`,
  });

/** WAITING → RESULT: draws and reveals the result in one step. */
export const reveal = (db: Db, id: bigint, result: { seed: string; number: number }): Promise<void> =>
  advance(db, id, 'WAITING', {
    ...result,
    phase: 'RESULT',
    drawn_at: NOW,
    ends_at: sql<Date>`clock_timestamp() + result_ms * interval '1 millisecond'`,
  });

type Change = Pick<Updateable<SpeedRounds>, 'seed' | 'number'> & {
  phase: 'WAITING' | 'RESULT';
  ends_at: RawBuilder<Date>;
  drawn_at?: RawBuilder<Date>;
};

/** Moves a round whose phase is over to the next phase, and publishes it. */
const advance = (db: Db, id: bigint, from: 'BETTING' | 'WAITING', change: Change): Promise<void> =>
  transaction(db, async (tx) => {
    const round = await inPhase(tx, id, from)
      .set(change)
      .where('ends_at', '<=', NOW)
      .returning(SHOWN)
      .executeTakeFirst();
    if (round) await announce(tx, round, change.phase);
  });

/** WAITING → VOID: the round gets no result. */
export async function voidRound(db: Db, id: bigint): Promise<void> {
  await inPhase(db, id, 'WAITING').set({ phase: 'VOID', ends_at: NOW }).execute();
}

/** Marks the round as settled if no bet of it is open. */
export async function markSettled(db: Db, id: bigint): Promise<void> {
  await db
    .updateTable('speed_rounds')
    .set({ settled_at: NOW })
    .where('id', '=', id)
    .where('settled_at', 'is', null)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('bets')
            .select('bets.id')
            .where('round_id', '=', id)
            .where('bets.status', '=', 'CREATED'),
        ),
      ),
    )
    .execute();
}

/** RESULT → DONE, when its phase is over and its bets are settled. */
export async function finishRound(tx: Tx, id: bigint): Promise<void> {
  await inPhase(tx, id, 'RESULT')
    .set({ phase: 'DONE' })
    .where('settled_at', 'is not', null)
    .where('ends_at', '<=', NOW)
    .execute();
}

/** An unused position of a chain. */
export type Seat = { chainId: number; position: number; seedHash: string };

/** Opens a round with the current settings, unless another round is open or the position was used. */
export async function openRound(
  tx: Tx,
  { chainId, position, seedHash }: Seat,
  { minBet, maxBet, maxProfit, timeConfig }: GameSettings<'speed-roulette'>,
): Promise<void> {
  const { bettingMs, waitingMs, resultMs } = timeConfig;
  const { rows } = await sql<Shown>`
    insert into speed_rounds (chain_id, position, phase, seed_hash, min_bet, max_bet, max_profit, betting_ms, waiting_ms,
      result_ms, started_at, ends_at)
    select ${chainId}, ${position}, 'BETTING', ${seedHash}, ${minBet}, ${maxBet}, ${maxProfit}, ${bettingMs}, ${waitingMs},
      ${resultMs}, at, at + ${bettingMs}::int * interval '1 millisecond'
    from (select clock_timestamp() as at offset 0) now
    on conflict do nothing returning id, seed_hash, seed, number, ends_at`.execute(tx);
  for (const round of rows) await announce(tx, round, 'BETTING');
}

const SHOWN = ['id', 'seed_hash', 'seed', 'number', 'ends_at'] as const;
type Shown = Pick<Selectable<SpeedRounds>, (typeof SHOWN)[number]>;

async function announce(tx: Tx, round: Shown, phase: 'BETTING' | 'WAITING' | 'RESULT'): Promise<void> {
  const { id, seed_hash: seedHash, seed, number: position } = round;
  const color = position === null ? null : colorOf(position);
  const data = { roundId: String(id), phase, seedHash, seed, position, color, endsAt: iso(round.ends_at) };
  await emitEvent(tx, { event: 'speed-roulette.round', data });
}
