/** Bonus money in a batch: which money stakes are taken from, how payouts are split, and which rows are written. */
import { describe, expect, test } from 'vitest';
import {
  AT,
  BLOCK,
  CHANGE,
  moved,
  NEW_BET,
  OPEN_BET,
  player,
  readings,
  request,
  wallet,
  won,
} from '../../../../test/kit/money/batch.ts';
import { type BookTerms, createBooks } from '../../money/bonus/books.ts';
import { writeBetGrants, writeBonusBets } from '../../money/bonus/queries.ts';
import type { BetGrant, BonusBet } from '../../money/bonus/rules.ts';
import { writeStatements } from '../../money/ledger/queries.ts';
import type { BookedPosting, PlacedPosting, Wallet } from '../../money/ledger/rules.ts';
import { changeOpen, insertOpen, insertSettled } from '../bets/queries.ts';
import { planBatch } from './batch.ts';
import type { Readings } from './books.ts';
import type { BetDraft } from './play.ts';
import type { Batch, GameRequest } from './request.ts';

const grant = (change: Partial<BetGrant> = {}): BetGrant => ({
  id: 70n,
  userId: 11,
  currencyId: 'USDT',
  decimals: 8,
  status: 'ACTIVE',
  wagerRequired: 1000n,
  wagerDone: 0n,
  balance: 50n,
  writtenOff: 0n,
  maxBetUsd: null,
  games: {},
  expiresAt: null,
  isDue: false,
  refusedBets: 0,
  toTakeBack: 0n,
  turnoverOwed: 0n,
  ...change,
});
const BEFORE = { balance: 50n, wagerDone: 0n };
/** An open bet whose stake includes four units of bonus money. */
const bonusBet = (change: Partial<BonusBet> = {}): BonusBet => ({
  betId: 900n,
  userId: 11,
  grantId: 70n,
  currencyId: 'USDT',
  bonusStaked: 4n,
  bonusPaid: 0n,
  bonusLost: 0n,
  bonusPassed: null,
  counted: null,
  contributionBp: 10_000,
  ...change,
});
const purse = (cash: bigint, bonus: bigint): Wallet => ({ ...wallet(cash), bonus });
const TERMS: BookTerms = {
  factsOf: () => ({ slug: 'test', providerId: 1, categories: [] }),
  lowRisk: () => ({
    maxWinChancePercent: 95,
    minMultiplier: 1.1,
    maxCoveragePercent: 90,
    countsOpposites: false,
  }),
};
/** Readings for a player with six units of cash and a grant. */
const withGrant = ({ bets = [], ...change }: Partial<BetGrant> & { bets?: BonusBet[] } = {}): Readings => {
  const own = grant(change);
  return readings({
    players: new Map([[11, player({ hasGrant: true })]]),
    wallets: new Map([['11:USDT', purse(6n, own.balance)]]),
    bonus: createBooks(TERMS, { grants: [own], bets }),
  });
};
const withOpenBet = () => withGrant({ bets: [bonusBet()] });
const statementsOf = (requests: GameRequest[], read: Readings) => planBatch(requests, read, BLOCK).statements;

const stakeOf = (batch: Batch) => {
  const own = batch.wallet(11, 'USDT');
  const funds = batch.fund({ wallet: own, units: 10n, usd: 20n, gameId: 1 });
  return { wallet: own, staked: moved(10n), funds };
};
const bet = (pays: bigint) =>
  request((batch) => ({
    ...stakeOf(batch),
    credit: won(pays),
    settled: { ...NEW_BET, id: batch.offset, payout: pays },
  }));
/** A request with these effects on a bet that was placed earlier. */
const later = (effect: Partial<BetDraft>) => request({ entry: { betId: 900n }, changed: CHANGE, ...effect });

type Move = [
  kind: 'bet.stake' | BetDraft['credit']['kind'],
  account: 'cash' | 'bonus',
  amount: bigint,
  after: bigint,
];
const placed = (entry: number | bigint, first: number, moves: Move[]): PlacedPosting[] =>
  moves.map(([kind, account, amount, after], i) => {
    const move = { userId: 11, currencyId: 'USDT', kind, amount };
    const posting: BookedPosting =
      kind === 'bet.stake'
        ? { ...move, debit: account, credit: 'house', debitAfter: after, creditAfter: null }
        : { ...move, debit: 'house', credit: account, debitAfter: null, creditAfter: after };
    return { posting, id: first + i, entry };
  });

describe('a one-step bet', () => {
  test('takes a stake from cash before bonus, splits the payout like the stake, and counts the bet towards wagering', () => {
    const first = placed(0, 1, [
      ['bet.stake', 'cash', 6n, 0n],
      ['bet.stake', 'bonus', 4n, 46n],
      ['bet.payout', 'cash', 15n, 15n],
      ['bet.payout', 'bonus', 10n, 56n],
    ]);
    // The first request took five ids: one for its bet and four for its postings.
    const second = placed(5, 6, [['bet.stake', 'cash', 10n, 5n]]);
    expect(statementsOf([bet(25n), bet(0n)], withGrant())).toEqual([
      ...writeStatements([purse(5n, 56n)], [...first, ...second]),
      insertSettled([
        { ...NEW_BET, id: 0, payout: 25n },
        { ...NEW_BET, id: 5, payout: 0n },
      ]),
      writeBetGrants([[grant({ balance: 56n, wagerDone: 20n }), BEFORE]]),
      writeBonusBets(
        [
          bonusBet({ betId: 1024n, bonusPaid: 10n, counted: 10n }),
          bonusBet({ betId: 1029n, bonusStaked: 0n, counted: 10n }),
        ],
        false,
      ),
    ]);
  });

  test('uses ids relative to the id block when the batch is sent in one round trip', () => {
    const { statements } = planBatch([bet(0n), bet(0n)], withGrant({ balance: 14n }));
    expect(statements.at(-1)).toEqual(
      writeBonusBets(
        [bonusBet({ betId: 0n, counted: 10n }), bonusBet({ betId: 3n, bonusStaked: 10n, counted: 10n })],
        true,
      ),
    );
  });

  test('rejects a stake that cash and bonus do not cover, without moving money', () => {
    const { statements, outcomes } = planBatch([bet(0n)], withGrant({ balance: 3n }), BLOCK);
    expect(statements).toEqual([]);
    expect(outcomes(BLOCK)).toMatchObject([{ refusal: { code: 'INSUFFICIENT_BALANCE' } }]);
  });
});

describe('a bet that stays open', () => {
  test('takes a stake from cash and bonus, and does not count a bet towards wagering while it stays open', () => {
    const open = request((batch) => ({ ...stakeOf(batch), opened: OPEN_BET }));
    expect(statementsOf([open], withGrant())).toEqual([
      ...writeStatements(
        [purse(0n, 46n)],
        placed(0, 1, [
          ['bet.stake', 'cash', 6n, 0n],
          ['bet.stake', 'bonus', 4n, 46n],
        ]),
      ),
      insertOpen([OPEN_BET]),
      writeBetGrants([[grant({ balance: 46n }), BEFORE]]),
      writeBonusBets([bonusBet({ betId: 1024n })], false),
    ]);
  });

  test('moves no bonus money while a bet continues', () => {
    const changed = { ...CHANGE, status: 'CREATED' } as const;
    expect(statementsOf([later({ changed })], withOpenBet())).toEqual([changeOpen([changed])]);
  });

  test('splits the payout like the stake when a bet ends, and counts the bet towards wagering only then', () => {
    expect(statementsOf([later({ credit: won(25n) })], withOpenBet())).toEqual([
      ...writeStatements(
        [purse(21n, 60n)],
        placed(-124n, 1, [
          ['bet.payout', 'cash', 15n, 21n],
          ['bet.payout', 'bonus', 10n, 60n],
        ]),
      ),
      changeOpen([CHANGE]),
      writeBetGrants([[grant({ balance: 60n, wagerDone: 10n }), BEFORE]]),
      writeBonusBets([bonusBet({ bonusPaid: 10n, counted: 10n })], false),
    ]);
  });

  test('returns each part of a void stake to its source, and does not count the bet towards wagering', () => {
    const credit = { kind: 'bet.stake.rollback', madeAt: AT, ...moved(10n) } as const;
    const changed = { ...CHANGE, status: 'ROLLBACK' } as const;
    expect(statementsOf([later({ credit, changed })], withOpenBet())).toEqual([
      ...writeStatements(
        [purse(12n, 54n)],
        placed(-124n, 1, [
          ['bet.stake.rollback', 'cash', 6n, 12n],
          ['bet.stake.rollback', 'bonus', 4n, 54n],
        ]),
      ),
      changeOpen([changed]),
      writeBetGrants([[grant({ balance: 54n }), BEFORE]]),
      writeBonusBets([bonusBet({ bonusStaked: 0n, counted: 0n })], false),
    ]);
  });

  test('pays an open bet in cash and does not count it towards wagering when it was placed without the grant', () => {
    expect(statementsOf([later({ credit: won(25n) })], withGrant())).toEqual([
      ...writeStatements([purse(31n, 50n)], placed(-124n, 1, [['bet.payout', 'cash', 25n, 31n]])),
      changeOpen([CHANGE]),
    ]);
  });
});

describe('a plan', () => {
  const grantsOf = (read: Readings) => {
    const { movedGrants, dueGrants } = planBatch([bet(0n)], read, BLOCK);
    return { movedGrants, dueGrants };
  };

  test('lists the changed grants that have not ended', () => {
    const after = grant({ balance: 46n, wagerDone: 10n });
    expect(grantsOf(withGrant())).toEqual({ movedGrants: [after], dueGrants: [] });
  });

  test('lists the grants that have met their wagering requirement', () => {
    expect(grantsOf(withGrant({ wagerRequired: 10n }))).toEqual({ movedGrants: [], dueGrants: [70n] });
  });

  test('lists no grants for players without a grant', () => {
    expect(grantsOf(readings())).toEqual({ movedGrants: [], dueGrants: [] });
  });
});
