import type { Db, DbOptions } from '../../../../platform/database/db.ts';
import { isUnavailable } from '../../../../platform/database/errors.ts';
import type { Log } from '../../../../platform/observability/log.ts';
import type { Metrics } from '../../../../platform/observability/metrics.ts';
import { lockStatement, type Player } from '../../../base/players/service.ts';
import { dueGrants, movedGrants } from '../../../money/bonus/books.ts';
import type { Risk } from '../../../money/bonus/rules.ts';
import { readWalletsStatement, reserveIds } from '../../../money/ledger/queries.ts';
import type { Wallet } from '../../../money/ledger/rules.ts';
import { markUnsettled } from '../../bets/service.ts';
import { apply, createBatch, type OpenBatch, type Readings, statementsOf } from '../../betting/books.ts';
import {
  BEGIN,
  type BetGrants,
  COMMIT,
  createLane,
  type Lane,
  NotCommitted,
  ROLLBACK,
} from '../../betting/lane.ts';
import { readBonus, readRestrictions } from '../../betting/locked.ts';
import { type BetDraft, draftOf } from '../../betting/play.ts';
import type { Block } from '../../betting/request.ts';
import type { Paid } from '../../betting/rules.ts';
import { colorsRisk } from '../risk/rules.ts';
import {
  type EndedRound,
  type Pending,
  pendingBets,
  type RoundBetRow,
  roundBetsStatement,
} from './queries.ts';
import { isColor, outcomeAt, payRound } from './rules.ts';

/** A bet takes three ids (settlement, cash and bonus posting), so the bets of one transaction fit in one block of ids. */
const IDS_PER_BET = 3;
const BETS_AT_ONCE = 340;

type Settler = {
  db: Db;
  lane: Lane;
  log: Log;
  settledBets: { inc(bets: number): void };
  grants: BetGrants;
  /** The most recent transaction. The lane runs one transaction at a time. */
  last: Promise<void>;
};
export type RoundSettler = ReturnType<typeof createRoundSettler>;

type Parts = { db: Db; database: DbOptions; grants: BetGrants; log: Log; metrics: Metrics };

/**
 * Creates the settler of shared rounds. It pays the bets of a round with a result, or returns the stakes of a void round, several hundred
 * bets per transaction. Each bet is settled once, even if several processes try.
 */
export function createRoundSettler({ db, database, grants, log, metrics }: Parts) {
  const settler: Settler = {
    db,
    lane: createLane({ ...database, name: `${database.name} speed-roulette` }),
    log,
    grants,
    settledBets: metrics.betsSettled.labels({ game: 'speed-roulette' }),
    last: Promise.resolve(),
  };
  return {
    /**
     * Settles all open bets of the round. Throws transient errors. Bets that were settled before the error are not affected, and the others
     * remain open.
     */
    async settleRound(round: EndedRound): Promise<void> {
      const pending = await pendingBets(db, round.id);
      for (let from = 0; from < pending.length; from += BETS_AT_ONCE)
        await settle(settler, round, pending.slice(from, from + BETS_AT_ONCE));
    },
    /** Retries one failed bet. */
    settleAgain: (round: EndedRound, bet: Pending): Promise<void> => settle(settler, round, [bet]),
    close: settler.lane.close,
  };
}

/** If a group of bets fails, splits it into halves until the failing bet is found. Marks this bet as failed and settles the others. */
async function settle(settler: Settler, round: EndedRound, bets: readonly Pending[]): Promise<void> {
  const [first] = bets;
  if (!first) return;
  const own = settler.last.then(() => settleTogether(settler, round, bets));
  settler.last = own.catch(() => undefined);
  try {
    await own;
    if (round.number !== null) settler.settledBets.inc(bets.length);
  } catch (error) {
    if (mayPass(error)) throw error;
    if (bets.length === 1) {
      const [betId, reason] = [String(first.id), reasonOf(error)];
      settler.log.error({ betId, reason }, 'a bet of speed-roulette cannot be settled and is set aside');
      return markUnsettled(settler.db, first.id, reason);
    }
    const half = Math.ceil(bets.length / 2);
    await settle(settler, round, bets.slice(0, half));
    await settle(settler, round, bets.slice(half));
  }
}

/** Returns true for transient database errors, after which a retry may succeed. */
const mayPass = (error: unknown): boolean =>
  !(error instanceof NotCommitted) || error.cause === undefined || isUnavailable(error.cause);

const reasonOf = (error: unknown): string => {
  const { cause, message } = error as { cause?: { message?: string }; message?: string };
  return cause?.message ?? message ?? String(error);
};

/** Settles all of these bets in one transaction. */
async function settleTogether(
  { lane, grants }: Settler,
  round: EndedRound,
  due: readonly Pending[],
): Promise<void> {
  const users = [...new Set(due.map((bet) => bet.userId))];
  try {
    const [, players, wallets, bets, ids] = (await lane.send([
      BEGIN,
      lockStatement(users),
      readWalletsStatement(users),
      roundBetsStatement(round.id, users),
      reserveIds(),
    ])) as [unknown, Player[], Wallet[], RoundBetRow[], [Block]];
    const readings: Readings = {
      ...NOTHING_READ,
      wallets: new Map(wallets.map((w) => [`${w.userId}:${w.currencyId}`, w])),
      restrictions: await readRestrictions(lane, players),
      bonus: await readBonus({ lane, grants }, players),
    };
    const batch = createBatch(readings, ids[0], IDS_PER_BET);
    endBets(batch, round, { due, bets });
    const statements = statementsOf(batch);
    await lane.send(statements.length > 0 ? [...statements, COMMIT] : [ROLLBACK]);
    if (readings.bonus) grants.noteProgress(movedGrants(readings.bonus));
    const atTheirEnd = readings.bonus ? dueGrants(readings.bonus) : [];
    if (atTheirEnd.length > 0) await grants.settle(atTheirEnd);
  } catch (error) {
    await lane.send([ROLLBACK]).catch(() => undefined);
    throw error;
  }
}

/** Only the wallet and the restrictions are needed to settle a bet. */
const NOTHING_READ: Omit<Readings, 'wallets' | 'restrictions'> = {
  players: new Map(),
  stored: new Map(),
  states: new Map(),
  pairs: () => undefined,
  outlook: () => {
    throw new Error('the end of a bet asks no gate');
  },
};

/** Settles the bets that are due. `bets` contains all bets of these players in the round, because maxProfit applies to them together. */
function endBets(
  batch: OpenBatch,
  round: EndedRound,
  { due, bets }: { due: readonly Pending[]; bets: readonly RoundBetRow[] },
): void {
  const dueIds = new Set(due.map(({ id }) => id));
  try {
    const paid = paidOf(round, bets);
    const riskOf = risksOf(bets);
    for (const bet of bets) {
      const isOpen = bet.status === 'CREATED' || bet.status === 'ERROR';
      if (!dueIds.has(bet.id) || !isOpen) continue;
      const end = endOf(bet, round, { batch, paid: paid.get(bet.id)! });
      apply(draftOf(batch, { ...end, risk: riskOf(bet.userId) }), batch);
    }
  } catch (cause) {
    throw new NotCommitted('not decided', { cause });
  }
}

/** Throws RangeError if the bet cannot be settled. */
function endOf(
  bet: RoundBetRow,
  { number }: EndedRound,
  { batch, paid }: { batch: OpenBatch; paid: Paid },
): BetDraft {
  if (!isColor(bet.color)) throw new RangeError('the bet names no colour');
  const credit: BetDraft['credit'] =
    number === null
      ? { kind: 'bet.stake.rollback', madeAt: bet.madeAt, units: bet.stake, countedUsd: bet.stakedUsd }
      : { kind: 'bet.payout', units: paid.payout, countedUsd: paid.payoutUsd };
  const wallet = batch.wallet(bet.userId, bet.currencyId);
  return {
    game: 'speed-roulette',
    wallet,
    staked: { units: 0n, countedUsd: 0n },
    credit,
    entry: { betId: bet.id },
    changed: {
      id: bet.id,
      status: number === null ? 'ROLLBACK' : 'SETTLED',
      settlement: batch.offset,
      inputs: null,
      outcome: number === null ? null : JSON.stringify(outcomeAt(number)),
      amount: bet.stake,
      usdAmount: bet.stakedUsd,
      payout: paid.payout,
      usdPayout: paid.payoutUsd,
    },
    answer: () => ({}),
  };
}

/** Returns the payout of each bet, which depends on all bets of the player in the round. */
function paidOf({ number, maxProfit }: EndedRound, bets: readonly RoundBetRow[]): Map<bigint, Paid> {
  if (number === null) return new Map(bets.map(({ id }) => [id, { payout: 0n, payoutUsd: 0n }]));
  const byUser = Map.groupBy(bets, (bet) => bet.userId);
  return new Map(
    [...byUser.values()].flatMap((own) => {
      const paid = payRound(own, number, maxProfit);
      return own.map(({ id }, i) => [id, paid[i]!] as const);
    }),
  );
}

/** Returns the combined risk of each player's bets in the round. Called only for players with a grant. */
const risksOf = (bets: readonly RoundBetRow[]) => (userId: number) => (): Risk =>
  colorsRisk(
    bets.flatMap(({ userId: owner, color, stakedUsd: usd, status }) =>
      owner === userId && isColor(color) && status !== 'ROLLBACK' ? [{ color, usd }] : [],
    ),
  );
