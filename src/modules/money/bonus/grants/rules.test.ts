import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_UNITS, ONE, type Units, units } from '../../../../platform/money.ts';
import {
  bonusOn,
  type Correcting,
  convertible,
  corrected,
  lostOf,
  outcomeOf,
  progressPercent,
  turnoverOf,
  type Undoing,
  type Undone,
  undone,
} from './rules.ts';
import { GrantStatus } from './schemas.ts';

const total = (amounts: readonly Units[]) => amounts.reduce((sum, amount) => sum + amount, 0n);

test.each([
  ['50', 1000, '500'],
  ['150', 3000, '4500'],
  ['0.00000003', 50, '0.00000001'],
  ['10', 0, '0'],
])('multiplies %s by %i hundredths, which gives a requirement of %s', (base, multiplierE2, required) => {
  expect(turnoverOf(units(base), multiplierE2)).toBe(units(required));
});

test.each([
  ['half of a deposit', '100', 5000, null, 6, '50'],
  ['limited by the maximum', '1000', 5000, '200', 6, '200'],
  ['below the maximum', '100', 5000, '200', 6, '50'],
  ['exactly the maximum', '400', 5000, '200', 6, '200'],
  ['rounded down to the decimals of the currency', '0.333333', 5000, null, 6, '0.166666'],
  ['the maximum rounded down to the decimals of the currency', '9', 10_000, '1.23456789', 2, '1.23'],
  ['less than the smallest unit', '0.000001', 5000, null, 6, '0'],
])('computes a percentage bonus: %s', (_, deposit, percentBp, most, decimals, bonus) => {
  const max = most === null ? null : units(most);
  expect(bonusOn(units(deposit), { percentBp, max, decimals })).toBe(units(bonus));
});

test.each([
  [500n, 500n, 10n, false, 'COMPLETED'],
  [500n, 501n, 10n, true, 'COMPLETED'],
  [500n, 500n, 0n, false, 'COMPLETED'],
  [500n, 499n, 10n, false, undefined],
  [500n, 499n, 0n, true, undefined],
  [500n, 499n, 0n, false, 'LOST'],
  [0n, 0n, 10n, false, 'COMPLETED'],
])(
  'given a requirement of %i, %i wagered, a balance of %i and money in open bets %s, returns the outcome %s',
  (wagerRequired, wagerDone, balance, isOut, end) => {
    expect(outcomeOf({ wagerRequired, wagerDone, balance }, isOut)).toBe(end);
  },
);

test.each([
  ['500', '107', 21.4],
  ['3', '1', 33.33],
  ['3', '2', 66.66],
  ['500', '-1', 0],
  ['500', '0', 0],
  ['500', '499.99999999', 99.99],
  ['500', '500', 100],
  ['500', '700', 100],
  ['0', '0', 100],
])(
  'given a requirement of %s and %s wagered, reports a progress of %d percent',
  (required, done, percent) => {
    const wagerDone = done.startsWith('-') ? -units(done.slice(1)) : units(done);
    expect(progressPercent({ wagerRequired: units(required), wagerDone })).toBe(percent);
  },
);

describe('a conversion', () => {
  const grant = { grantedAmount: units('50'), converted: 0n, decimals: 6 };
  test.each([
    ['converts everything without a cap', '70.5', null, '0', '70.5'],
    ['converts an amount within the cap', '70', 200, '0', '70'],
    ['converts up to the cap', '170', 200, '0', '100'],
    ['converts what the cap still allows', '70', 200, '60', '40'],
    ['converts nothing once the cap is reached', '70', 200, '100', '0'],
    ['converts nothing if the cap was already exceeded', '70', 100, '60', '0'],
    ['converts nothing with a cap of zero', '70', 0, '0', '0'],
    ['does not convert dust', '0.12345678', null, '0', '0.123456'],
    ['converts no dust up to a cap either', '70', 1, '0', '0.5'],
  ])('%s', (_, amount, maxWithdrawalMultiplierE2, converted, to) => {
    const capped = { ...grant, converted: units(converted), maxWithdrawalMultiplierE2 };
    expect(convertible(units(amount), capped)).toBe(units(to));
  });

  test('converts the largest amount that a balance can have', () => {
    const capped = { ...grant, decimals: 8, maxWithdrawalMultiplierE2: null };
    expect(convertible(MAX_UNITS, capped)).toBe(MAX_UNITS);
  });
});

describe('late payouts', () => {
  test.each([
    [[5, 3], 8, [0, 0]],
    [[5, 3], 6, [0, 2]],
    [[5, 3], 5, [0, 3]],
    [[5, 3], 4, [1, 3]],
    [[5, 3], 0, [5, 3]],
    [[], 4, []],
  ])('given late payouts of %j, of which %i is kept, deducts the amounts %j', (payouts, kept, lost) => {
    expect(lostOf(payouts.map(BigInt), BigInt(kept))).toEqual(lost.map(BigInt));
  });

  test('deducts exactly the total that is not kept, and from each payout no more than it paid', () => {
    const amounts = fc.array(fc.bigInt({ min: 0n, max: 10n ** 18n }), { maxLength: 6 });
    fc.assert(
      fc.property(amounts, fc.bigInt({ min: 0n, max: 100n }), (payouts, percent) => {
        const kept = (total(payouts) * percent) / 100n;
        const lost = lostOf(payouts, kept);
        expect(total(lost)).toBe(total(payouts) - kept);
        expect(lost.every((amount, i) => amount >= 0n && amount <= payouts[i]!)).toBe(true);
      }),
      { seed: 40 },
    );
  });
});

describe('the bonus money of a bet that is rolled back', () => {
  const GRANT: Undoing = {
    status: 'ACTIVE',
    balance: 0n,
    converted: 0n,
    toStart: 0n,
    mayStartAgain: true,
    grantedAmount: 50n * ONE,
    maxWithdrawalMultiplierE2: 100,
    decimals: 6,
  };
  const bet = (staked: bigint, paid: bigint, lost = 0n) => ({
    staked: staked * ONE,
    paid: paid * ONE,
    lost: lost * ONE,
  });
  const movesOf = ({ moves }: Undone) =>
    moves.filter(({ amount }) => amount > 0n).map(({ kind, amount }) => [kind, Number(amount / ONE)]);
  /** Lists the moves with their accounts, omitting zero amounts. */
  const waysOf = ({ moves }: Undone) =>
    moves
      .filter(({ amount }) => amount > 0n)
      .map(({ kind, debit, credit, amount }) => `${amount / ONE} ${kind}: ${debit} → ${credit}`);
  const undoing = (grant: Partial<Undoing>, of: ReturnType<typeof bet>) => undone({ ...GRANT, ...grant }, of);

  test('returns bonus stakes to an active grant, and debits bonus payouts from it', () => {
    const done = undoing({ balance: 60n * ONE }, bet(7n, 17n));
    expect(done).toMatchObject({ balance: 50n * ONE, writtenOff: 0n, status: 'ACTIVE' });
    expect(movesOf(done)).toEqual([
      ['bet.stake.rollback', 7],
      ['bet.payout.rollback', 17],
    ]);
  });

  test('writes off the amount that an active grant can no longer pay', () => {
    const done = undoing({ balance: 4n * ONE }, bet(7n, 17n));
    expect(done).toMatchObject({ balance: 0n, writtenOff: 6n * ONE });
    expect(movesOf(done)).toEqual([
      ['bet.stake.rollback', 7],
      ['promo.write-off', 6],
      ['bet.payout.rollback', 17],
    ]);
  });

  test('converts the money up to the cap of a completed grant', () => {
    const done = undoing({ status: 'COMPLETED', converted: 45n * ONE }, bet(10n, 2n));
    expect(done).toMatchObject({ converted: 5n * ONE, forfeited: 3n * ONE, balance: 0n });
    expect(movesOf(done)).toEqual([
      ['bet.stake.rollback', 10],
      ['bet.payout.rollback', 2],
      ['promo.conversion', 5],
      ['promo.forfeit', 3],
    ]);
  });

  test('debits a reversed win from the converted amount of a completed grant, and writes off the rest', () => {
    const done = undoing({ status: 'COMPLETED', converted: 20n * ONE }, bet(10n, 35n));
    expect(done).toMatchObject({ converted: -20n * ONE, forfeited: 0n, writtenOff: 5n * ONE });
    expect(movesOf(done)).toEqual([
      ['bet.stake.rollback', 10],
      ['promo.conversion.back', 20],
      ['promo.write-off', 5],
      ['bet.payout.rollback', 35],
    ]);
  });

  test('debits nothing from a player who did not keep the money', () => {
    const done = undoing({ status: 'COMPLETED', converted: 50n * ONE }, bet(10n, 35n, 20n));
    expect(done).toMatchObject({ converted: -5n * ONE, forfeited: -20n * ONE, writtenOff: 0n });
    expect(movesOf(done)).toEqual([
      ['bet.stake.rollback', 10],
      ['promo.forfeit.back', 20],
      ['promo.conversion.back', 5],
      ['bet.payout.rollback', 35],
    ]);
  });

  test('queues a lost grant again with the returned money, and moves the money to the promo account for other ended grants', () => {
    expect(undoing({ status: 'LOST' }, bet(10n, 4n))).toMatchObject({
      status: 'PENDING',
      toStart: 6n * ONE,
      forfeited: 6n * ONE,
    });
    expect(undoing({ status: 'LOST', mayStartAgain: false }, bet(10n, 4n))).toMatchObject({
      status: 'LOST',
      toStart: 0n,
    });
    expect(undoing({ status: 'LOST' }, bet(4n, 10n))).toMatchObject({ status: 'LOST', writtenOff: 6n * ONE });
    for (const status of ['FORFEITED', 'EXPIRED', 'CANCELLED'] as const)
      expect(undoing({ status }, bet(10n, 4n))).toMatchObject({ status, toStart: 0n, forfeited: 6n * ONE });
  });

  test.each([
    ['COMPLETED', bet(10n, 2n), ['8 promo.conversion: bonus → cash']],
    [
      'COMPLETED',
      bet(1n, 5n, 2n),
      ['2 promo.forfeit.back: promo → bonus', '2 promo.conversion.back: cash → bonus'],
    ],
    ['FORFEITED', bet(10n, 2n), ['8 promo.forfeit: bonus → promo']],
    ['LOST', bet(1n, 5n), ['4 promo.write-off: promo → bonus']],
    ['ACTIVE', bet(1n, 5n), ['4 promo.write-off: promo → bonus']],
  ] as const)(
    'passes through the bonus account when its grant is %s, and the difference is posted',
    (status, of, rest) => {
      const ways = waysOf(undoing({ status, converted: 5n * ONE }, of));
      expect(ways).toContain(`${of.staked / ONE} bet.stake.rollback: house → bonus`);
      expect(ways).toContain(`${of.paid / ONE} bet.payout.rollback: bonus → house`);
      expect(ways.filter((way) => !way.includes('bet.'))).toEqual(rest);
    },
  );

  test('changes the amount of a queued grant after another rollback, and ends the grant when its amount is zero', () => {
    const waiting = { status: 'PENDING', toStart: 6n * ONE } as const;
    expect(undoing(waiting, bet(3n, 1n))).toMatchObject({ status: 'PENDING', toStart: 8n * ONE });
    expect(undoing(waiting, bet(1n, 3n))).toMatchObject({
      status: 'PENDING',
      toStart: 4n * ONE,
      forfeited: -2n * ONE,
      writtenOff: 0n,
    });
    expect(undoing(waiting, bet(1n, 10n))).toMatchObject({
      status: 'LOST',
      toStart: 0n,
      forfeited: -6n * ONE,
      writtenOff: 3n * ONE,
    });
  });

  test('never makes the bonus negative, and never loses or creates money', () => {
    const amount = fc.bigInt({ min: 0n, max: 10n ** 12n });
    const status = fc.constantFrom(...GrantStatus.options);
    fc.assert(
      fc.property(
        status,
        fc.array(amount, { minLength: 7, maxLength: 7 }),
        fc.boolean(),
        (name, a, mayStartAgain) => {
          const [balance, converted, toStart, staked, paid, lost, grantedAmount] = a as [
            bigint,
            bigint,
            bigint,
            bigint,
            bigint,
            bigint,
            bigint,
          ];
          const grant = {
            ...GRANT,
            status: name,
            balance: name === 'ACTIVE' ? balance : 0n,
            converted: name === 'COMPLETED' ? converted : 0n,
            toStart: name === 'PENDING' ? toStart : 0n,
            mayStartAgain,
            grantedAmount,
          };
          const of = { staked, paid, lost: lost > paid ? paid : lost };
          const done = undone(grant, of);
          let bonus = grant.balance;
          for (const { debit, credit, amount: moved } of done.moves) {
            expect(moved >= 0n).toBe(true);
            if (credit === 'bonus') bonus += moved;
            if (debit === 'bonus') bonus -= moved;
            expect(bonus >= 0n).toBe(true);
          }
          expect(bonus).toBe(done.balance);
          expect(grant.converted + done.converted >= 0n && done.toStart >= 0n).toBe(true);
          // granted = converted + forfeited + balance + staked − paid − written off, checked both with and without the bet.
          expect(done.converted + done.forfeited + done.balance - grant.balance - done.writtenOff).toBe(
            staked - paid,
          );
        },
      ),
    );
  });
});

describe('settling an ended grant', () => {
  const ended = (of: Partial<Correcting> & Pick<Correcting, 'status'>) =>
    corrected({ balance: 0n, toTakeBack: 0n, toStart: 0n, converted: 0n, mayStartAgain: true, ...of });
  const nothing = { repaid: 0n, waits: 0n, passesOn: 0n, ofWaiting: 0n, ofConverted: 0n, toStart: 0n };

  test.each<
    [string, Partial<Correcting> & Pick<Correcting, 'status'>, Partial<ReturnType<typeof corrected>>]
  >([
    ['settles a late payout', { status: 'COMPLETED', balance: 7n }, { passesOn: 7n }],
    [
      'takes back at most the converted amount',
      { status: 'COMPLETED', toTakeBack: 7n, converted: 5n },
      { ofConverted: 5n },
    ],
    [
      'offsets late and reversed payouts',
      { status: 'COMPLETED', balance: 7n, toTakeBack: 4n, converted: 9n },
      { repaid: 4n, passesOn: 3n },
    ],
    [
      'takes the amount that is missing in the balance from the converted money',
      { status: 'COMPLETED', balance: 4n, toTakeBack: 7n, converted: 9n },
      { repaid: 4n, ofConverted: 3n },
    ],
    [
      'takes nothing from the player for a forfeited grant',
      { status: 'FORFEITED', balance: 4n, toTakeBack: 7n, converted: 9n },
      { repaid: 4n },
    ],
    [
      'lets a lost grant wait to start again',
      { status: 'LOST', balance: 7n, toTakeBack: 2n },
      { repaid: 2n, waits: 5n, toStart: 5n, status: 'PENDING' },
    ],
    [
      'settles the payout of a lost grant that may not start again',
      { status: 'LOST', balance: 7n, mayStartAgain: false },
      { passesOn: 7n },
    ],
    ['takes nothing for a reversed payout of a lost grant', { status: 'LOST', toTakeBack: 7n }, {}],
    [
      'adds a late payout to a waiting grant',
      { status: 'PENDING', balance: 7n, toStart: 3n, mayStartAgain: false },
      { waits: 7n, toStart: 10n },
    ],
    [
      'subtracts a reversed payout from a waiting grant',
      { status: 'PENDING', toTakeBack: 2n, toStart: 3n },
      { ofWaiting: 2n, toStart: 1n },
    ],
    [
      'marks a waiting grant as lost when it has no money left',
      { status: 'PENDING', toTakeBack: 4n, toStart: 3n },
      { ofWaiting: 3n, status: 'LOST' },
    ],
  ])('%s', (_, grant, expected) => {
    expect(ended(grant)).toEqual({ ...nothing, status: grant.status, ...expected });
  });
});
