import { setTimeout as sleep } from 'node:timers/promises';
import { type RawBuilder, type Selectable, sql, type Updateable } from 'kysely';
import { iso } from '../../../../platform/clock.ts';
import { type Db, type Tx, transaction } from '../../../../platform/database/db.ts';
import type { SpeedRounds } from '../../../../platform/database/tables.ts';
import type { Log } from '../../../../platform/observability/log.ts';
import { emitEvent } from '../../../base/events/service.ts';
import { firstNumber, hashServerSeed } from '../../fairness/hash.ts';
import { houseGameEvents } from '../schemas.ts';
import type { GameSettings, HouseGames } from '../settings.ts';
import { type Chains, UnreadableChain } from './commit.ts';
import { chainOf, endedRound, errorBet, openChains, type RunningRound, runningRound } from './queries.ts';
import { colorOf, positionOf } from './rules.ts';
import type { RoundSettler } from './settle.ts';

/** Maximum duration of a run, so that another process can take over. */
const TURN_MS = 500;
/** Maximum sleep before the database's clock is read again. */
const LONGEST_MS = 5000;
/** Retry interval while no round can be opened. */
const IDLE_MS = 1000;

type Deps = {
  db: Db;
  games: Pick<HouseGames, 'get'>;
  chains: Chains;
  settler: RoundSettler;
  log: Log;
};

/**
 * Advances rounds by the database's clock. Each step is one compare-and-set on the round's row, so a second runner, or a runner after a
 * crash, repeats no step. The RESULT step draws and reveals the result. Then all bets are settled. The next round opens when the phase is
 * over and no bet is open.
 */
export function createRunner(parts: Deps) {
  const { db, settler } = parts;

  /** Runs a due step and returns 0, or returns the number of milliseconds until the next step is due. */
  const step = async (): Promise<number> => {
    const round = await runningRound(db);
    if (!round) return (await moveOn(parts, undefined)) ? 0 : IDLE_MS;
    const hasEnded = round.phase === 'RESULT' || round.phase === 'VOID';
    if (hasEnded && !round.isSettled) {
      await settler.settleRound(round);
      await markSettled(db, round.id);
      return 0;
    }
    if (round.leftMs > 0) return round.leftMs;
    if (round.phase === 'BETTING') await closeBook(db, round.id);
    else if (round.phase === 'WAITING') await draw(parts, round);
    else await moveOn(parts, round);
    return 0;
  };

  return {
    /** Runs all steps that are due or become due within `forMs` milliseconds. Sleeps between phases. */
    async turn(forMs = TURN_MS, closing?: AbortSignal): Promise<void> {
      const until = performance.now() + forMs;
      do {
        const dueMs = await step();
        const restMs = Math.min(dueMs, LONGEST_MS, Math.max(0, until - performance.now()));
        const signal = closing && { signal: closing };
        if (restMs > 0) await sleep(restMs, undefined, signal).catch(() => undefined);
      } while (performance.now() < until && !closing?.aborted);
    },

    /** Retries a failed bet and returns its new status. Returns undefined if no shared round has a failed bet with this id. */
    async retry(id: bigint): Promise<'SETTLED' | 'ROLLBACK' | 'ERROR' | undefined> {
      const bet = await errorBet(db, id);
      const round = bet && (await endedRound(db, bet.roundId));
      if (!round) return undefined;
      await settler.settleAgain(round, bet);
      if (await errorBet(db, id)) return 'ERROR';
      return round.number === null ? 'ROLLBACK' : 'SETTLED';
    },
  };
}

async function draw({ db, chains, log }: Deps, { id, chainId, position, seedHash }: RunningRound) {
  const chain = await chainOf(db, chainId);
  try {
    const seed = await chains.seedOf(chain, position);
    if (hashServerSeed(seed) !== seedHash) throw new UnreadableChain('the seed is not the announced one');
    await reveal(db, id, { seed, number: positionOf(firstNumber(seed, chain.publicSeed!, position)) });
  } catch (error) {
    if (!(error instanceof UnreadableChain)) throw error;
    log.error({ roundId: String(id), reason: error.message }, 'a round cannot be drawn and is void');
    await voidRound(db, id);
    await chains.retire(chain);
  }
}

/** Ends the last round, and opens the next one if the game is enabled and has seeds. Returns false if there was nothing to do. */
async function moveOn(parts: Deps, last: RunningRound | undefined): Promise<boolean> {
  const { enabled, settings } = parts.games.get('speed-roulette');
  const seat = enabled ? await nextSeat(parts) : undefined;
  if (!last && !seat) return false;
  await transaction(parts.db, async (tx) => {
    if (last) await finishRound(tx, last.id);
    if (seat) await openRound(tx, seat, settings);
  });
  return true;
}

/** Returns the next position of the oldest usable chain. Skips unreadable chains. */
async function nextSeat({ db, chains, log }: Deps): Promise<Seat | undefined> {
  for (const chain of await openChains(db)) {
    if (chain.publicSeed === null) continue;
    const position = chain.played + 1;
    try {
      const seedHash = hashServerSeed(await chains.seedOf(chain, position));
      return { chainId: chain.id, position, seedHash };
    } catch (error) {
      if (!(error instanceof UnreadableChain)) throw error;
      const facts = { commitment: chain.commitment, reason: error.message };
      log.error(facts, 'a chain of seeds cannot be read and is played no further');
      await chains.retire(chain);
    }
  }
  return undefined;
}

const NOW = sql<Date>`clock_timestamp()`;

/**
 * Each function advances a round by one phase if the round is still in the previous phase, so a second call changes nothing. A change to a
 * phase that players see is published.
 */
const inPhase = (db: Db | Tx, id: bigint, phase: string) =>
  db.updateTable('speed_rounds').where('id', '=', id).where('phase', '=', phase);

/**
 * BETTING → WAITING: the round accepts no more bets. Waits for batches that hold a lock on the round; later batches find the round closed.
 */
const closeBook = (db: Db, id: bigint): Promise<void> =>
  advance(db, id, 'BETTING', {
    phase: 'WAITING',
    ends_at: sql<Date>`ends_at + waiting_ms * interval '1 millisecond'`,
  });

/** WAITING → RESULT: draws and reveals the result in one step. */
const reveal = (db: Db, id: bigint, result: { seed: string; number: number }): Promise<void> =>
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

/** Moves a round whose phase is over to the next phase, and publishes the change. */
const advance = (db: Db, id: bigint, from: 'BETTING' | 'WAITING', change: Change): Promise<void> =>
  transaction(db, async (tx) => {
    const round = await inPhase(tx, id, from)
      .set(change)
      .where('ends_at', '<=', NOW)
      .returning(SHOWN)
      .executeTakeFirst();
    if (round) await announce(tx, round, change.phase);
  });

/** WAITING → VOID: the round ends without a result. */
async function voidRound(db: Db, id: bigint): Promise<void> {
  await inPhase(db, id, 'WAITING').set({ phase: 'VOID', ends_at: NOW }).execute();
}

/** Marks the round as settled if none of its bets is open. */
async function markSettled(db: Db, id: bigint): Promise<void> {
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
async function finishRound(tx: Tx, id: bigint): Promise<void> {
  await inPhase(tx, id, 'RESULT')
    .set({ phase: 'DONE' })
    .where('settled_at', 'is not', null)
    .where('ends_at', '<=', NOW)
    .execute();
}

/** An unused position of a chain. */
type Seat = { chainId: number; position: number; seedHash: string };

/** Opens a round with the current settings, unless another round is open or the position was already used. */
async function openRound(
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
  await emitEvent(tx, { event: houseGameEvents['speed-roulette.round'], data });
}
