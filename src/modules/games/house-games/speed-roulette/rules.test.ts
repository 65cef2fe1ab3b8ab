import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { currencyToUsdDown, ONE, units } from '../../../../platform/money.ts';
import { payoutsOf } from '../../betting/rules.ts';
import { hashServerSeed } from '../../fairness/hash.ts';
import { forgeChain, LINKS_APART, linkAt } from './commit.ts';
import {
  COLORS,
  type Color,
  canBeCut,
  colorOf,
  multiplierOf,
  payRound,
  positionOf,
  type RoundBet,
  replaySpeedRoulette,
} from './rules.ts';

describe('positions and colours', () => {
  test('defines 1 green, 7 red and 7 black positions', () => {
    const colors = Array.from({ length: 15 }, (_, position) => colorOf(position));
    expect(colors).toEqual(['GREEN', ...Array(7).fill('RED'), ...Array(7).fill('BLACK')]);
  });

  test('gives each position an equal share of the 2^32 random words', () => {
    const WORDS = 2 ** 32;
    const first = Array.from({ length: 16 }, (_, position) => Math.ceil((position * WORDS) / 15));
    for (let position = 0; position < 15; position++) {
      expect(positionOf(first[position]!)).toBe(position);
      expect(positionOf(first[position + 1]! - 1)).toBe(position);
      expect(Math.abs(first[position + 1]! - first[position]! - WORDS / 15)).toBeLessThan(1);
    }
    expect(first[15]).toBe(WORDS);
  });

  test.each(COLORS)('computes an RTP of exactly 14/15 for %s', (color) => {
    const paid = Array.from({ length: 15 }, (_, position) => multiplierOf(color, position));
    expect(paid.reduce((sum, multiplier) => sum + multiplier, 0n)).toBe(14n);
    expect(new Set(paid)).toEqual(new Set([0n, color === 'GREEN' ? 14n : 2n]));
  });
});

describe('a replayed bet', () => {
  const bet = (inputs: unknown) => ({ game: 'speed-roulette', rtpBp: 9333, inputs, outcome: null });
  const terms = { betUsd: ONE, stake: ONE, rate: 10n ** 12n, decimals: 8, maxProfitUsd: 100n * ONE };

  test('replays a bet with the outcome of the round and pays by its colour', () => {
    const replayed = replaySpeedRoulette(bet({ color: 'GREEN' }), () => 0)!;
    expect(replayed.outcome).toEqual({ position: 0, color: 'GREEN' });
    expect(replayed.pay(terms)).toEqual({ payout: 14n * ONE, payoutUsd: 14n * ONE });
    const lost = replaySpeedRoulette(bet({ color: 'RED' }), () => 0)!;
    expect(lost.pay(terms)).toEqual({ payout: 0n, payoutUsd: 0n });
  });

  test.each([null, {}, { color: 'PINK' }, { color: 'red' }, { color: ['RED'] }])(
    'rejects a bet with unknown inputs: %j',
    (inputs) => expect(replaySpeedRoulette(bet(inputs), () => 0)).toBeUndefined(),
  );
});

const DOLLAR = { rate: 10n ** 12n, decimals: 6, currencyId: 'USDT' };
const usd = (amount: string, color: string = 'RED', terms = DOLLAR): RoundBet => {
  const stakedUsd = units(amount);
  return { ...terms, stakedUsd, isByWish: false, stake: (stakedUsd * 10n ** 12n) / terms.rate, color };
};
/** 1 is red. */
const RED = 1;

describe('the payout of a round', () => {
  test('pays twice the stake or nothing when the profit is below the limit', () => {
    const paid = payRound([usd('1'), usd('2', 'BLACK'), usd('3')], RED, units('100'));
    expect(paid.map((p) => p.payoutUsd)).toEqual([units('2'), 0n, units('6')]);
    expect(paid.map((p) => p.payout)).toEqual([units('2'), 0n, units('6')]);
  });

  test('reduces the payouts of the last bets first when the profit is above the limit', () => {
    const paid = payRound([usd('10'), usd('10'), usd('10')], RED, units('12'));
    expect(paid.map((p) => p.payoutUsd)).toEqual([units('20'), units('20'), units('2')]);
    const harder = payRound([usd('10'), usd('10'), usd('10')], RED, units('5'));
    expect(harder.map((p) => p.payout)).toEqual([units('20'), units('15'), 0n]);
  });

  test("allows a higher payout under the profit limit when another of the player's bets loses", () => {
    const paid = payRound([usd('10'), usd('10', 'BLACK')], RED, units('1'));
    expect(paid.map((p) => p.payoutUsd)).toEqual([units('20'), 0n]);
  });

  test('pays nothing for a bet without a colour, and pays other bets as usual', () => {
    const paid = payRound([usd('10', 'PINK'), usd('1')], RED, units('100'));
    expect(paid.map((p) => p.payoutUsd)).toEqual([0n, units('2')]);
  });

  test('applies the profit limit in dollars across several currencies', () => {
    const btc = { rate: 50_000n * 10n ** 12n, decimals: 8, currencyId: 'BTC' };
    const paid = payRound([usd('100', 'RED', btc), usd('100')], RED, units('150'));
    expect(paid[0]).toEqual({ payout: units('0.004'), payoutUsd: units('200') });
    expect(paid[1]).toEqual({ payout: units('150'), payoutUsd: units('150') });
    const reversed = payRound([usd('100'), usd('100', 'RED', btc)], RED, units('150'));
    expect(reversed[1]).toEqual({ payout: units('0.003'), payoutUsd: units('150') });
    const all = payRound([usd('5', 'GREEN'), usd('100', 'RED', btc)], 0, units('10'));
    expect(all.map((p) => p.payoutUsd)).toEqual([units('70'), 0n]);
  });

  const rates = [10n ** 12n, 50_123n * 10n ** 12n, 333_333_333n];
  const anyBet = fc.record({
    cents: fc.bigInt({ min: 1n, max: 100_000n }),
    rate: fc.constantFrom(...rates),
    color: fc.constantFrom(...COLORS),
  });
  const toBets = (bets: { cents: bigint; rate: bigint; color: string }[]) =>
    bets.map(({ cents, rate, color }): RoundBet => {
      const stakedUsd = cents * 1_000_000n;
      const stake = (stakedUsd * 10n ** 12n) / rate;
      return { stakedUsd, isByWish: true, stake, rate, decimals: 8, currencyId: `C${rate}`, color };
    });

  test('pays a single bet as every other game does', () => {
    fc.assert(
      fc.property(
        anyBet,
        fc.nat(14),
        fc.bigInt({ min: 0n, max: 10n ** 12n }),
        (one, position, maxProfitUsd) => {
          const [bet] = toBets([one]) as [RoundBet];
          const multiplier = multiplierOf(one.color, position);
          const expected = payoutsOf({ ...bet, betUsd: bet.stakedUsd, multiplier, scale: 1n, maxProfitUsd });
          expect(payRound([bet], position, maxProfitUsd)).toEqual([expected]);
        },
      ),
      { seed: 15, numRuns: 2000 },
    );
  });

  test('computes the profit from the credited amounts, and keeps the total profit within the limit', () => {
    fc.assert(
      fc.property(
        fc.array(anyBet, { minLength: 1, maxLength: 12 }),
        fc.nat(14),
        fc.bigInt({ min: 0n, max: 10n ** 11n }),
        (list, position, maxProfitUsd) => {
          const bets = toBets(list).map((bet) => {
            const stakedUsd = currencyToUsdDown(bet.stake, bet.rate);
            return { ...bet, stakedUsd, isByWish: false };
          });
          const paid = payRound(bets, position, maxProfitUsd);
          let profit = 0n;
          paid.forEach(({ payout, payoutUsd }, i) => {
            expect(payoutUsd).toBe(currencyToUsdDown(payout, bets[i]!.rate));
            profit += payoutUsd - bets[i]!.stakedUsd;
          });
          // The total in each currency is exact, but the dollar value of each bet is rounded down to eight decimals.
          expect(profit).toBeLessThanOrEqual(maxProfitUsd + BigInt(bets.length));
        },
      ),
      { seed: 16, numRuns: 2000 },
    );
  });

  test('never exceeds the profit limit, and reduces only the last bets', () => {
    fc.assert(
      fc.property(
        fc.array(anyBet, { minLength: 1, maxLength: 12 }),
        fc.nat(14),
        fc.bigInt({ min: 0n, max: 10n ** 11n }),
        (list, position, maxProfitUsd) => {
          const bets = toBets(list);
          const paid = payRound(bets, position, maxProfitUsd);
          const full = list.map(({ color }, i) => bets[i]!.stakedUsd * multiplierOf(color, position));
          const sum = (of: readonly bigint[]) => of.reduce((total, one) => total + one, 0n);
          const staked = sum(bets.map((bet) => bet.stakedUsd));
          const got = sum(paid.map((p) => p.payoutUsd));
          const due = sum(full);
          expect(got).toBe(due - staked > maxProfitUsd ? staked + maxProfitUsd : due);
          const cut = full.findIndex((amount, i) => paid[i]!.payoutUsd < amount);
          if (cut >= 0) for (const { payoutUsd } of paid.slice(cut + 1)) expect(payoutUsd).toBe(0n);
          paid.forEach(({ payout, payoutUsd }, i) => {
            expect(payout).toBeGreaterThanOrEqual(0n);
            expect(payout).toBeLessThanOrEqual(bets[i]!.stake * multiplierOf(list[i]!.color, position));
            if (payoutUsd === full[i] && i !== cut && cut < 0)
              expect(payout).toBe(bets[i]!.stake * multiplierOf(list[i]!.color, position));
          });
        },
      ),
      { seed: 12, numRuns: 2000 },
    );
  });
});

test('reports that a payout can be limited exactly when it is limited at some position', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.constantFrom(...COLORS), fc.bigInt({ min: 1n, max: 200n })), {
        minLength: 1,
        maxLength: 5,
      }),
      fc.bigInt({ min: 0n, max: 1500n }),
      (list, dollars) => {
        const limit = dollars * ONE;
        const bets = list.map(([color, stake]) => usd(`${stake}`, color));
        const isCut = [0, 1, 8].some((position) =>
          payRound(bets, position, limit).some(
            ({ payoutUsd }, i) => payoutUsd < bets[i]!.stakedUsd * multiplierOf(list[i]![0], position),
          ),
        );
        const staked: Partial<Record<Color, bigint>> = {};
        for (const [color, stake] of list) staked[color] = (staked[color] ?? 0n) + stake * ONE;
        expect(canBeCut(staked, limit)).toBe(isCut);
      },
    ),
    { seed: 15, numRuns: 1000 },
  );
});

describe('the seed chain', () => {
  test.each([1, 2, 999, 1000, 1001, 2500])(
    'hashes each of %i chain links to the next one, and the last link to the commitment',
    async (length) => {
      const { commitment, links } = await forgeChain(length);
      expect(links.length).toBe(Math.ceil(length / LINKS_APART) * 32);
      let link = linkAt(links, 0);
      expect(link).toMatch(/^[0-9a-f]{64}$/);
      for (let i = 1; i <= length; i++) {
        link = hashServerSeed(link);
        expect(linkAt(links, i)).toBe(link);
      }
      expect(link).toBe(commitment);
    },
  );

  test('generates a different chain each time', async () => {
    const [a, b] = await Promise.all([forgeChain(3), forgeChain(3)]);
    expect(a.commitment).not.toBe(b.commitment);
  });
});
