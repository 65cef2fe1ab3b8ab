import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { commonErrors } from '../../../platform/errors.ts';
import {
  currencyToUsdDown,
  formatUnits,
  MAX_UNITS,
  ONE,
  parseRate,
  type Rate,
  roundDown,
  units,
} from '../../../platform/money.ts';
import { shownMultiplier } from '../bets/rules.ts';
import {
  hundredths,
  isInRange,
  payoutsOf,
  type Range,
  type Return,
  shownRange,
  stakeIn,
  stakeOf,
  type Terms,
  usdDecimals,
} from './rules.ts';

const RATE_ONE = 10n ** 12n;
const DOLLAR = { rate: RATE_ONE, decimals: 2, scale: 10_000n, maxProfitUsd: units('100000') };

describe('stake', () => {
  test.each([
    ['10', '1', 2, '10'],
    ['0.01', '1', 2, '0.01'],
    ['1', '3', 8, '0.33333333'],
    ['1', '3', 2, '0.33'],
    ['0.01', '64000.5', 8, '0.00000015'],
    ['0.01', '3', 2, '0'],
    ['0.01', '9000000', 8, '0'],
    ['1000', '0.000007', 8, '142857142.85714285'],
    ['0.123456', '1.000001', 6, '0.123455'],
  ])('converts %s USD at the rate %s with %i decimals to a stake of %s', (bet, rate, decimals, stake) => {
    expect(formatUnits(stakeOf(units(bet), parseRate(rate)!, decimals))).toBe(stake);
  });

  test.each([
    [0, 2],
    [2, 2],
    [6, 6],
    [8, 8],
  ])('for a currency with %i decimals, uses %i decimals in the dollar amounts of bets', (decimals, q) =>
    expect(usdDecimals(decimals)).toBe(q),
  );
});

describe('payout', () => {
  test.each([
    ['0.01', 10_312n, '100000', '0.01'],
    ['1.23', 11_250n, '100000', '1.38'],
    ['33.33', 39_600n, '100000', '131.98'],
    ['1000', 10_000_000n, '50000', '51000'],
    ['5', 0n, '100000', '0'],
  ])('pays %s × %i / 10,000 with a maximum profit of %s as %s', (bet, multiplier, maxProfit, payout) => {
    const [betUsd, maxProfitUsd] = [units(bet), units(maxProfit)];
    const paid = payoutsOf({ ...DOLLAR, betUsd, stake: betUsd, multiplier, maxProfitUsd });
    expect(paid).toEqual({ payout: units(payout), payoutUsd: units(payout) });
  });

  test.each([
    ['the cap itself', 510_000n, '51', '51'],
    ['one step below', 509_999n, '50.99', '50.99'],
    ['above', 510_100n, '51', '51'],
    ['far above', 99_000_000n, '51', '51'],
  ])('caps the payout of a stake of 1 at a profit of 50: %s', (_, multiplier, payout, payoutUsd) => {
    const bet = { ...DOLLAR, betUsd: ONE, stake: ONE, multiplier, maxProfitUsd: units('50') };
    expect(payoutsOf(bet)).toEqual({ payout: units(payout), payoutUsd: units(payoutUsd) });
  });

  test('rounds the capped payout down, both in the currency and in displayed dollars', () => {
    const rate = parseRate('3')!;
    const bet = {
      betUsd: units('10'),
      stake: stakeOf(units('10'), rate, 2),
      multiplier: 900_000n,
      scale: 100n,
    };
    const paid = payoutsOf({ ...bet, rate, decimals: 2, maxProfitUsd: units('100.005') });
    expect(bet.stake).toBe(units('3.33'));
    expect(paid).toEqual({ payout: units('36.66'), payoutUsd: units('110') });
  });

  test('accepts the total stake as the scale of the multiplier when the stake has several parts', () => {
    const bet = { ...DOLLAR, betUsd: units('3'), stake: units('3'), multiplier: 36n * ONE, scale: 3n * ONE };
    expect(payoutsOf(bet).payout).toBe(units('36'));
  });

  test('returns the dollar payout with cents for a currency without decimals', () => {
    const bet = { betUsd: units('1.5'), stake: 1n * ONE, multiplier: 150n, scale: 100n, rate: RATE_ONE };
    const paid = payoutsOf({ ...bet, decimals: 0, maxProfitUsd: units('100000') });
    expect(paid).toEqual({ payout: ONE, payoutUsd: units('2.25') });
  });
});

describe('range', () => {
  const range: Range = {
    currencyId: 'EUR',
    rate: 2n * RATE_ONE,
    decimals: 2,
    minStake: units('3'),
    minBet: units('5'),
    maxBet: units('100'),
  };

  test.each([
    ['the larger of both in dollars: of the currency', {}, '6'],
    ['the same in both', { minBet: units('6') }, '6'],
    ['the larger of both in dollars: of the game', { minBet: units('6.01') }, '6.01'],
    ['rounded up to a valid bet', { rate: 2n * RATE_ONE + 1n }, '6.01'],
  ])('shows the minimum bet %s', (_, change, minBet) => {
    const shown = shownRange({ ...range, ...change });
    expect(shown).toEqual({ currencyId: 'EUR', minBet, maxBet: '100', minStake: '3' });
  });

  test.each([
    ['5', '3', true],
    ['100', '50', true],
    ['4.99', '3', false],
    ['100.01', '50', false],
    ['5', '2.99', false],
    ['4.99', '2.99', false],
    ['100.01', '2.99', false],
  ])('checks whether %s dollars and %s units are within the bet limits: %s', (usd, stake, expected) => {
    expect(isInRange({ usd: units(usd), units: units(stake) }, range)).toBe(expected);
  });

  const refusal = commonErrors.AMOUNT_OUT_OF_RANGE(shownRange(range));

  test.each([
    ['5.99', '2.99', refusal],
    ['6', '3', undefined],
    ['6.01', '3', undefined],
    ['100', '50', undefined],
    ['100.01', '50', refusal],
    ['92233720368.54', '46116860184.27', refusal],
  ])('converts a bet of %s dollars to a stake of %s', (amount, stake, expected) => {
    const entered = stakeIn('betAmount', amount, range);
    expect(entered).toEqual({ usd: units(amount), units: units(stake), refusal: expected });
  });

  test('rejects huge amounts as out of range, not as malformed', () => {
    for (const amount of ['92233720368.55', '999999999999.99'])
      expect(stakeIn('betAmount', amount, range)).toEqual({ usd: MAX_UNITS, units: 0n, refusal });
  });

  test.each([
    ['0', 2],
    ['0.00', 2],
    ['10.001', 2],
    ['92233720368.551', 2],
    ['10.001', 0],
    ['10.000000001', 8],
    ['-10', 2],
    ['ten', 2],
  ])('rejects %s in a currency of %i decimals as malformed', (amount, decimals) => {
    const message = `needs to be above zero with at most ${Math.max(2, decimals)} decimals`;
    expect(() => stakeIn('bets.0', amount, { ...range, decimals })).toThrow(
      commonErrors.VALIDATION_FAILED({ fields: [{ path: 'bets.0', message }] }),
    );
  });

  test('rejects a zero stake, even when the minimum is zero', () => {
    const free = { ...range, minBet: 0n, minStake: 0n };
    expect(isInRange({ usd: ONE, units: 0n }, free)).toBe(false);
    expect(isInRange({ usd: ONE, units: 1n }, free)).toBe(true);
    expect(isInRange({ usd: 0n, units: 1n }, free)).toBe(true);
  });
});

test.each([
  ['1.98', '1', 1.98],
  ['0.01', '0.03', 0.3333],
  ['0', '5', 0],
  ['1.03', '1.02', 1.0098],
  ['99000', '10', 9900],
  ['182908.44', '1', 182_908.44],
  ['0.29', '1', 0.29],
])('shows a payout of %s on a stake of %s as the multiplier %d', (payout, stake, shown) => {
  expect(shownMultiplier(units(payout), units(stake))).toBe(shown);
});

test('converts a number to hundredths if its shortest decimal form has at most two decimals', () => {
  const number = fc.oneof(
    fc.double({ noNaN: false }),
    fc.double({ min: -1e6, max: 1e6 }),
    fc.integer({ min: -1e9, max: 1e9 }).map((n) => n / 1000),
    fc.integer({ min: 0, max: 1e8 }).map((n) => (n / 100) * (1 + Number.EPSILON)),
    fc.constantFrom(1.1, 0.29, 1.005, 4.35, 64.1, 1e6, 999_999.99, 0.1 + 0.2, Number.POSITIVE_INFINITY),
  );
  fc.assert(
    fc.property(number, (value) => {
      const match = /^-?(\d+)(?:\.(\d{1,2}))?$/.exec(String(value));
      const whole = match && Number(match[1] + (match[2] ?? '').padEnd(2, '0'));
      const expected = whole !== null && Number.isSafeInteger(whole) ? whole : undefined;
      const found = hundredths(value);
      expect(found === undefined ? found : Math.abs(found)).toBe(expected);
      if (found) expect(found < 0).toBe(value < 0);
    }),
    { seed: 4, numRuns: 20_000 },
  );
});

describe('rounding never favours the player', () => {
  test.each([2, 6, 8])(
    'never favours the player in 250,000 stakes and payouts at %i decimals',
    (decimals) => {
      const below = randomBelow(`bets of ${decimals} decimals`, 2_250_000);
      const bets = Array.from({ length: 250_000 }, () => randomBet(below, decimals));
      expect(bets.filter((bet) => !isFair(bet))).toEqual([]);
      expect(bets.filter(({ stake }) => stake > 0n).length).toBeGreaterThan(200_000);
    },
  );

  test('never favours the player at boundary values that failed in earlier runs', () => {
    const amount = fc.bigInt({ min: 0n, max: 10n ** 19n });
    const rate = fc.bigInt({ min: 1n, max: 10n ** 19n });
    const share = fc.tuple(fc.bigInt({ min: 0n, max: 10n ** 8n }), fc.constantFrom(100n, 10_000n));
    fc.assert(
      fc.property(
        amount,
        rate,
        share,
        amount,
        fc.constantFrom(0, 2, 6, 8),
        (betUsd, r, [m, scale], most, d) => {
          const stake = stakeOf(betUsd, r, d);
          const bet = { betUsd, stake, multiplier: m, scale, rate: r, decimals: d, maxProfitUsd: most };
          expect(isFair(bet)).toBe(true);
        },
      ),
      { seed: 5, numRuns: 5000 },
    );
  });
});

/** Checks every guarantee about a bet's amounts, with exact products instead of the divisions in the code. */
function isFair(bet: Terms & Return): boolean {
  const { betUsd, stake, multiplier, scale, rate, decimals, maxProfitUsd } = bet;
  const { payout, payoutUsd } = payoutsOf(bet);
  const [step, cent] = [10n ** BigInt(8 - decimals), 10n ** BigInt(8 - usdDecimals(decimals))];
  const profit = payout > stake ? payout - stake : 0n;
  const profitUsd = payoutUsd > betUsd ? payoutUsd - betUsd : 0n;
  const isCut = (profit + step) * rate > maxProfitUsd * RATE_ONE;
  const isCutUsd = profitUsd + cent > maxProfitUsd;
  return (
    stake * rate <= betUsd * RATE_ONE &&
    (stake + step) * rate > betUsd * RATE_ONE &&
    currencyToUsdDown(stake, rate) <= betUsd &&
    [stake, payout].every((amount) => amount >= 0n && amount % step === 0n) &&
    payout * scale <= stake * multiplier &&
    profit * rate <= maxProfitUsd * RATE_ONE &&
    (isCut || (payout + step) * scale > stake * multiplier) &&
    payoutUsd * scale <= betUsd * multiplier &&
    profitUsd <= maxProfitUsd &&
    (isCutUsd || (payoutUsd + cent) * scale > betUsd * multiplier)
  );
}

function randomBet(below: (limit: bigint) => bigint, decimals: number): Terms & Return {
  const betUsd = roundDown(below(10n ** (7n + below(5n))), usdDecimals(decimals));
  const rate: Rate = 1n + below(10n ** (6n + below(11n)));
  const scale = below(2n) === 0n ? 100n : 10_000n;
  const multiplier = below(scale * 10n ** below(5n));
  const maxProfitUsd = below(10n ** (10n + below(4n)));
  return { betUsd, stake: stakeOf(betUsd, rate, decimals), multiplier, scale, rate, decimals, maxProfitUsd };
}

/** A deterministic source of `count` numbers, each below the requested limit. */
function randomBelow(seed: string, count: number): (limit: bigint) => bigint {
  const bytes = createHash('shake256', { outputLength: count * 8 })
    .update(seed)
    .digest();
  const words = new BigUint64Array(Uint8Array.from(bytes).buffer);
  let at = 0;
  return (limit) => words[at++]! % limit;
}
