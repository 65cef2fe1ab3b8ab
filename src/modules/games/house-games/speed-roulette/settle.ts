import { isUnavailable } from '../../../../platform/database-errors.ts';
import type { Db, DbOptions, Statement } from '../../../../platform/db.ts';
import type { Log } from '../../../../platform/log.ts';
import type { Metrics } from '../../../../platform/metrics.ts';
import { MAX_UNITS } from '../../../../platform/money.ts';
import { lockStatement, type Player } from '../../../base/players/service.ts';
import {
  type RestrictionsRow,
  restrictionsStatement,
  toRestrictions,
  writePlayStatement,
} from '../../../compliance/gate/queries.ts';
import { type Restrictions, recordUsage, reverseUsage } from '../../../compliance/gate/rules.ts';
import {
  type PlacedPosting,
  readWalletsStatement,
  reserveIds,
  writeStatements,
} from '../../../money/ledger/queries.ts';
import { book, type Wallet } from '../../../money/ledger/rules.ts';
import { type BetChange, changeOpen } from '../../bets/queries.ts';
import { setAside } from '../../bets/set-aside.ts';
import { BEGIN, COMMIT, createLane, NotCommitted, ROLLBACK } from '../../betting/lane.ts';
import type { Paid } from '../../betting/rules.ts';
import {
  type EndedRound,
  type Pending,
  pendingBets,
  type RoundBetRow,
  roundBetsStatement,
} from './queries.ts';
import { isColor, outcomeAt, payRound } from './rules.ts';

/** Two ids a bet, its settlement and its posting: the bets of one transaction fit one block of ids. */
const IDS_PER_BET = 2;
const BETS_AT_ONCE = 500;

export type Settler = ReturnType<typeof createSettler>;

/**
 * Pays the bets of a round that has its result, or gives the stakes of a void one back: some hundred bets in one transaction, so
 * that a round of thousands takes a few. Each bet ends once, whoever settles and however often.
 */
export function createSettler({
  db,
  database,
  log,
  metrics,
}: {
  db: Db;
  database: DbOptions;
  log: Log;
  metrics: Metrics;
}) {
  const lane = createLane({ ...database, name: `${database.name} speed-roulette` });
  const settled = metrics.betsSettled.labels({ game: 'speed-roulette' });

  let last: Promise<void> = Promise.resolve();
  /** The lane has one transaction at a time: who comes meanwhile waits. */
  const settleTogether = (round: EndedRound, bets: readonly Pending[]): Promise<void> => {
    const own = last.then(() => settleNow(round, bets));
    last = own.catch(() => undefined);
    return own;
  };

  const settleNow = async (round: EndedRound, bets: readonly Pending[]): Promise<void> => {
    const users = [...new Set(bets.map((bet) => bet.userId))];
    try {
      const [, players, wallets, rows, ids] = await lane.send([
        BEGIN,
        lockStatement(users),
        readWalletsStatement(users),
        roundBetsStatement(round.id, users),
        reserveIds(),
      ]);
      const restricted = (players as Player[]).flatMap((p) => (p.isRestricted ? [p.userId] : []));
      const [restrictions = []] =
        restricted.length > 0 ? await lane.send([restrictionsStatement(restricted)]) : [];
      const plan = planned({
        round,
        due: new Set(bets.map((bet) => bet.id)),
        bets: rows as RoundBetRow[],
        wallets: wallets as Wallet[],
        restrictions: (restrictions as RestrictionsRow[]).map(toRestrictions),
        block: ids![0] as Block,
      });
      await lane.send(plan.length > 0 ? [...plan, COMMIT] : [ROLLBACK]);
    } catch (error) {
      await lane.send([ROLLBACK]).catch(() => undefined);
      throw error;
    }
  };

  /** What fails together is halved until the bet is alone that cannot be settled: it is set aside, the others go on. */
  const settle = async (round: EndedRound, bets: readonly Pending[]): Promise<void> => {
    if (bets.length === 0) return;
    try {
      await settleTogether(round, bets);
      if (round.number !== null) settled.inc(bets.length);
    } catch (error) {
      if (mayPass(error)) throw error;
      const [{ id }] = bets as [Pending];
      if (bets.length === 1) {
        const reason = reasonOf(error);
        log.error(
          { betId: String(id), reason },
          'a bet of speed-roulette cannot be settled and is set aside',
        );
        return setAside(db, id, reason);
      }
      const half = Math.ceil(bets.length / 2);
      await settle(round, bets.slice(0, half));
      await settle(round, bets.slice(half));
    }
  };

  return {
    /** Ends every bet of the round that has no end yet. Throws what may pass: what is done stays done, the rest is due. */
    async settleRound(round: EndedRound): Promise<void> {
      const pending = await pendingBets(db, round.id);
      for (let from = 0; from < pending.length; from += BETS_AT_ONCE)
        await settle(round, pending.slice(from, from + BETS_AT_ONCE));
    },
    /** One bet that was set aside. */
    settleAgain: (round: EndedRound, bet: Pending): Promise<void> => settle(round, [bet]),
    close: () => lane.close(),
  };
}

/** The database could not, or nobody knows whether it did: the same may go well the next time. */
const mayPass = (error: unknown): boolean =>
  !(error instanceof NotCommitted) || error.cause === undefined || isUnavailable(error.cause);

const reasonOf = (error: unknown): string => {
  const { cause, message } = error as { cause?: { message?: string }; message?: string };
  return cause?.message ?? message ?? String(error);
};

type Block = { base: bigint; at: Date };
type Readings = {
  round: EndedRound;
  /** The bets that are to be settled now; the others count for what the player may win. */
  due: ReadonlySet<bigint>;
  bets: readonly RoundBetRow[];
  wallets: readonly Wallet[];
  restrictions: readonly Restrictions[];
  block: Block;
};

function planned(readings: Readings): Statement[] {
  try {
    return planRound(readings);
  } catch (cause) {
    throw new NotCommitted('not decided', { cause });
  }
}

/** The statements that end the bets. Throws a RangeError where a bet cannot be settled. None when nothing is left to do. */
function planRound({ round, due, bets, wallets, restrictions, block }: Readings): Statement[] {
  const walletOf = new Map(wallets.map((w) => [nameOf(w), w]));
  const playOf = new Map(restrictions.map((r) => [r.userId, r]));
  const touched = new Map<string, Wallet>();
  const counted = new Map<number, Restrictions>();
  const postings: PlacedPosting[] = [];
  const ended: BetChange[] = [];
  const outcome = round.number === null ? null : JSON.stringify(outcomeAt(round.number));
  const paid = paidOf(round, bets);
  for (const bet of bets) {
    if (!due.has(bet.id) || (bet.status !== 'CREATED' && bet.status !== 'ERROR')) continue;
    if (!isColor(bet.color)) throw new RangeError('the bet names no colour');
    const place = ended.length * IDS_PER_BET;
    const { payout, payoutUsd } = paid.get(bet.id)!;
    const [kind, amount] =
      round.number === null
        ? (['bet.stake.rollback', bet.stake] as const)
        : (['bet.payout', payout] as const);
    ended.push({
      id: bet.id,
      status: outcome ? 'SETTLED' : 'ROLLBACK',
      settlement: place,
      inputs: null,
      outcome,
      amount: bet.stake,
      usdAmount: bet.stakedUsd,
      payout,
      usdPayout: payoutUsd,
    });
    if (amount > 0n) {
      const wallet = walletOf.get(nameOf(bet));
      if (!wallet) throw new RangeError(`no wallet in ${bet.currencyId}`);
      if (wallet.cash + amount > MAX_UNITS) throw new RangeError('the wallet holds no more');
      const { userId, currencyId } = bet;
      const posting = book(wallet, { userId, currencyId, kind, amount, debit: 'house', credit: 'cash' })!;
      touched.set(nameOf(bet), wallet);
      postings.push({ posting, id: place + 1, entry: bet.id - block.base });
    }
    const known = counted.get(bet.userId) ?? playOf.get(bet.userId);
    if (known?.play) {
      const play =
        round.number === null
          ? reverseUsage(known.play, { madeAt: bet.madeAt, staked: bet.stakedUsd })
          : recordUsage(known.play, { at: block.at, staked: 0n, paid: payoutUsd });
      counted.set(bet.userId, { ...known, play });
    }
  }
  if (ended.length === 0) return [];
  return [
    ...(postings.length > 0 ? writeStatements([...touched.values()], postings) : []),
    changeOpen(ended),
    ...(counted.size > 0 ? [writePlayStatement([...counted.values()])] : []),
  ];
}

/** What each bet of the players pays, decided over all that they made in the round. */
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

const nameOf = ({ userId, currencyId }: { userId: number; currencyId: string }) => `${userId}:${currencyId}`;
