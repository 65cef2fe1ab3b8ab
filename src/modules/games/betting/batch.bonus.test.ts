/** Bonus money in a batch: what stakes are paid from, how payouts are shared, and what is written of both. */
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
} from '../../../../test/kit/batch.ts';
import { createBooks } from '../../money/bonus/books.ts';
import { writeBetGrants, writeBonusBets } from '../../money/bonus/queries.ts';
import type { BetGrant, BonusBet } from '../../money/bonus/rules.ts';
import { type PlacedPosting, writeStatements } from '../../money/ledger/queries.ts';
import type { BookedPosting, Wallet } from '../../money/ledger/rules.ts';
import { changeOpen, insertOpen, insertSettled } from '../bets/queries.ts';
import { planBatch, type Readings } from './batch.ts';
import type { Batch, Credit, Effect, GameRequest } from './request.ts';

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
/** A bet that is open, made with four of bonus. */
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
/** Of a stake of ten the player has six in cash. */
const withGrant = ({ bets = [], ...change }: Partial<BetGrant> & { bets?: BonusBet[] } = {}): Readings => {
  const own = grant(change);
  return readings({
    players: new Map([[11, player({ hasGrant: true })]]),
    wallets: new Map([['11:USDT', purse(6n, own.balance)]]),
    bonus: createBooks(() => ({ slug: 'test', providerId: 1, categories: [] }), { grants: [own], bets }),
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
/** What happens to a bet that was made before. */
const later = (effect: Partial<Effect>) => request({ entry: { betId: 900n }, changed: CHANGE, ...effect });

type Move = [kind: 'bet.stake' | Credit['kind'], account: 'cash' | 'bonus', amount: bigint, after: bigint];
const placed = (entry: number | bigint, first: number, moves: Move[]): PlacedPosting[] =>
  moves.map(([kind, account, amount, after], i) => {
    const move = { userId: 11, currencyId: 'USDT', kind, amount };
    const posting: BookedPosting =
      kind === 'bet.stake'
        ? { ...move, debit: account, credit: 'house', debitAfter: after, creditAfter: null }
        : { ...move, debit: 'house', credit: account, debitAfter: null, creditAfter: after };
    return { posting, id: first + i, entry };
  });

describe('a bet in one step', () => {
  test('is paid from cash and then from bonus, its payout is shared as its stake was, and it counts', () => {
    const first = placed(0, 1, [
      ['bet.stake', 'cash', 6n, 0n],
      ['bet.stake', 'bonus', 4n, 46n],
      ['bet.payout', 'cash', 15n, 15n],
      ['bet.payout', 'bonus', 10n, 56n],
    ]);
    // The first took five ids: of its bet and of four postings.
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

  test('in one round trip is written relative to the block that is reserved then', () => {
    const { statements } = planBatch([bet(0n), bet(0n)], withGrant({ balance: 14n }));
    expect(statements.at(-1)).toEqual(
      writeBonusBets(
        [bonusBet({ betId: 0n, counted: 10n }), bonusBet({ betId: 3n, bonusStaked: 10n, counted: 10n })],
        true,
      ),
    );
  });

  test('that cash and bonus together do not cover is refused and moves nothing', () => {
    const { statements, outcomes } = planBatch([bet(0n)], withGrant({ balance: 3n }), BLOCK);
    expect(statements).toEqual([]);
    expect(outcomes(BLOCK)).toMatchObject([{ refusal: { code: 'INSUFFICIENT_BALANCE' } }]);
  });
});

describe('a bet that stays open', () => {
  test('is paid from both and counts nothing yet', () => {
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

  test('and goes on moves no bonus money', () => {
    const changed = { ...CHANGE, status: 'CREATED' } as const;
    expect(statementsOf([later({ changed })], withOpenBet())).toEqual([changeOpen([changed])]);
  });

  test('is paid as its stake was shared when it ends, and counts then', () => {
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

  test('and is void gives each part back to where it came from, and counts nothing', () => {
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

  test('and was made without the grant is paid in cash and does not count', () => {
    expect(statementsOf([later({ credit: won(25n) })], withGrant())).toEqual([
      ...writeStatements([purse(31n, 50n)], placed(-124n, 1, [['bet.payout', 'cash', 25n, 31n]])),
      changeOpen([CHANGE]),
    ]);
  });
});

describe('a plan names the grants', () => {
  const grantsOf = (read: Readings) => {
    const { movedGrants, dueGrants } = planBatch([bet(0n)], read, BLOCK);
    return { movedGrants, dueGrants };
  };

  test('that have moved and go on', () => {
    const after = grant({ balance: 46n, wagerDone: 10n });
    expect(grantsOf(withGrant())).toEqual({ movedGrants: [after], dueGrants: [] });
  });

  test('that may be at their end: what they require is wagered', () => {
    expect(grantsOf(withGrant({ wagerRequired: 10n }))).toEqual({ movedGrants: [], dueGrants: [70n] });
  });

  test('and none where nobody has one', () => {
    expect(grantsOf(readings())).toEqual({ movedGrants: [], dueGrants: [] });
  });
});
