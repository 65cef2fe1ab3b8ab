import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  closed,
  countedChange,
  type Round,
  userIdOf,
  withoutStake,
  withoutWin,
  withStake,
  withWin,
} from './rules.ts';

const RATE = 2_000_000_000_000n;
const [AT, LATER] = [new Date('2026-11-23T10:00:00Z'), new Date('2026-11-23T11:00:00Z')];
const EMPTY: Round = {
  id: 1n,
  providerId: 1,
  userId: 7,
  ref: 'r',
  gameId: 5,
  currencyId: 'USDT',
  status: 'OPEN',
  stakes: 0,
  wins: 0,
  version: 0,
  payload: null,
  hasBonus: false,
  bet: undefined,
};
const stake = (units: bigint, betId = 11n) => ({ betId, units, rate: RATE, edgePpm: 40_000, at: AT });
const open = withStake(EMPTY, stake(10n));

test('creates the bet with the first stake above zero and adds later stakes to it', () => {
  expect(open).toEqual({
    ...EMPTY,
    stakes: 1,
    bet: {
      id: 11n,
      rate: RATE,
      edgePpm: 40_000,
      createdAt: AT,
      status: 'CREATED',
      amount: 10n,
      usdAmount: 20n,
      payout: 0n,
      usdPayout: 0n,
      countsAt: null,
      undecided: 0n,
      shown: { amount: 10n, usdAmount: 20n },
    },
  });
  expect(withStake(EMPTY, stake(0n))).toEqual({ ...EMPTY, stakes: 1 });
  const more = withStake(open, { ...stake(5n, 99n), rate: 1n, edgePpm: 1, at: LATER });
  expect(more).toMatchObject({
    stakes: 2,
    bet: { id: 11n, rate: RATE, edgePpm: 40_000, createdAt: AT, amount: 15n },
  });
  expect(countedChange(open, more)).toEqual({ staked: 10n, paid: 0n });
  expect(countedChange(EMPTY, open)).toEqual({ staked: 20n, paid: 0n });
  expect(countedChange(EMPTY, EMPTY)).toEqual({ staked: 0n, paid: 0n });
});

test('adds wins while the round is open and settles the bet once at its end', () => {
  const won = withWin(open, 25n, AT);
  expect(won).toMatchObject({
    wins: 1,
    status: 'OPEN',
    bet: { status: 'CREATED', payout: 25n, usdPayout: 50n, countsAt: null },
  });
  expect(countedChange(open, won)).toEqual({ staked: 0n, paid: 50n });
  const ended = closed(won, LATER);
  expect(ended).toMatchObject({
    status: 'CLOSED',
    version: 1,
    bet: { status: 'SETTLED', amount: 10n, payout: 25n, countsAt: LATER },
  });
  expect(closed(ended, AT)).toEqual(ended);
  expect(closed(open, LATER).bet).toMatchObject({ status: 'SETTLED', payout: 0n, countsAt: LATER });
  expect(withWin(EMPTY, 5n, AT)).toEqual({ ...EMPTY, wins: 1 });
  expect(closed(EMPTY, AT)).toEqual({ ...EMPTY, status: 'CLOSED', version: 1 });
});

test('voids a round without stakes or wins, and shows the original stakes', () => {
  const gone = withoutStake(open, 10n, LATER);
  expect(gone).toMatchObject({
    status: 'CLOSED',
    stakes: 0,
    version: 1,
    bet: {
      status: 'ROLLBACK',
      amount: 0n,
      usdAmount: 0n,
      countsAt: null,
      shown: { amount: 10n, usdAmount: 20n },
    },
  });
  const two = withStake(open, stake(5n));
  expect(withoutStake(two, 5n, LATER)).toMatchObject({
    status: 'OPEN',
    stakes: 1,
    bet: { status: 'CREATED', amount: 10n },
  });
  const won = withWin(open, 3n, AT);
  expect(withoutStake(won, 10n, LATER)).toMatchObject({
    status: 'OPEN',
    stakes: 0,
    wins: 1,
    bet: { amount: 0n, payout: 3n },
  });
  expect(withoutWin(won, 3n, LATER)).toMatchObject({
    status: 'OPEN',
    wins: 0,
    bet: { payout: 0n, usdPayout: 0n },
  });
  expect(withoutStake(withStake(EMPTY, stake(0n)), 0n, AT)).toEqual({
    ...EMPTY,
    status: 'CLOSED',
    version: 1,
  });
});

test('changes a settled bet after its round has ended, without changing the time from which the bet counts', () => {
  const ended = closed(withWin(open, 5n, AT), AT);
  expect(withWin(ended, 4n, LATER).bet).toMatchObject({ status: 'SETTLED', payout: 9n, countsAt: AT });
  const stakeless = withoutStake(ended, 10n, LATER);
  expect(stakeless).toMatchObject({
    version: 1,
    bet: { status: 'SETTLED', amount: 0n, payout: 5n, countsAt: AT },
  });
  expect(withoutWin(stakeless, 5n, LATER).bet).toMatchObject({ status: 'ROLLBACK', countsAt: null });
  const void_ = withoutStake(open, 10n, AT);
  expect(withWin(void_, 2n, LATER).bet).toMatchObject({ status: 'SETTLED', payout: 2n, countsAt: LATER });
});

test('keeps the bet equal to the sum of its valid transactions in any order, and never counts an open round', () => {
  const event = fc.record({
    kind: fc.constantFrom('stake', 'win', 'unstake', 'unwin', 'end'),
    units: fc.bigInt(0n, 9n),
  });
  fc.assert(
    fc.property(fc.array(event, { maxLength: 30 }), (events) => {
      let round = EMPTY;
      const [stakes, wins]: bigint[][] = [[], []];
      for (const { kind, units } of events) {
        if (kind === 'stake' && round.status === 'OPEN') {
          round = withStake(round, stake(units));
          stakes!.push(units);
        } else if (kind === 'win' && round.bet) {
          round = withWin(round, units, AT);
          wins!.push(units);
        } else if (kind === 'unstake' && stakes!.length > 0) round = withoutStake(round, stakes!.pop()!, AT);
        else if (kind === 'unwin' && wins!.length > 0) round = withoutWin(round, wins!.pop()!, AT);
        else if (kind === 'end') round = closed(round, AT);
        const sum = (of: bigint[]) => of.reduce((a, b) => a + b, 0n);
        expect([round.stakes, round.wins]).toEqual([stakes!.length, wins!.length]);
        if (!round.bet) continue;
        expect([round.bet.amount, round.bet.payout]).toEqual([sum(stakes!), sum(wins!)]);
        const isVoid = round.bet.amount === 0n && round.bet.payout === 0n;
        const due = round.status === 'OPEN' ? 'CREATED' : isVoid ? 'ROLLBACK' : 'SETTLED';
        expect([round.bet.status, round.bet.countsAt !== null]).toEqual([due, due === 'SETTLED']);
      }
    }),
  );
});

test('accepts only whole numbers that fit the database column as user ids', () => {
  expect(['1', '42', '2147483647'].map(userIdOf)).toEqual([1, 42, 2_147_483_647]);
  for (const text of ['', '0', '01', '-1', '1.5', ' 1', '1 ', '2147483648', '99999999999', 'x', 'a1', '1a'])
    expect(userIdOf(text), text).toBeUndefined();
});
