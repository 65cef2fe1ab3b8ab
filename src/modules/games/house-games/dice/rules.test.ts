import { describe, expect, test } from 'vitest';
import { given } from '../../../../../test/kit/games/chance.ts';
import { sixDigits } from '../../../../../test/kit/games/exact.ts';
import { firstNumber } from '../../fairness/hash.ts';
import { DICE_SCALE, type DiceInputs, diceOdds, playDice, replayDice, rollDice } from './rules.ts';

const DEFAULTS = { rtpBp: 9900, maxMultiplier: 9900 };
const WORDS = 2n ** 32n;
const RESULTS = 10_001n;

const over = (threshold: number): DiceInputs => ({ threshold, above: true });
const under = (threshold: number): DiceInputs => ({ threshold, above: false });

/** Every accepted bet in the form that clients send: a string with two decimals, parsed as a JSON number. */
const accepted = [true, false].flatMap((above) =>
  Array.from({ length: 10_001 }, (_, t) => ({ t, inputs: { threshold: Number(decimal(t)), above } })).filter(
    ({ inputs }) => diceOdds(inputs, DEFAULTS) !== undefined,
  ),
);

describe('accepted thresholds', () => {
  test('accepts exactly the thresholds from 2.00 to 99.99 for bets above and from 0.01 to 98.00 for bets below', () => {
    const thresholds = (above: boolean) =>
      accepted.filter((bet) => bet.inputs.above === above).map(({ t }) => t);
    expect(accepted).toHaveLength(19_600);
    expect(thresholds(true)).toEqual(Array.from({ length: 9800 }, (_, i) => 200 + i));
    expect(thresholds(false)).toEqual(Array.from({ length: 9800 }, (_, i) => 1 + i));
  });

  test.each([
    [over(2), 9800, 10_102n],
    [over(99.99), 1, 99_000_000n],
    [over(50), 5000, 19_800n],
    [over(1e1), 9000, 11_000n],
    [under(0.01), 1, 99_000_000n],
    [under(98), 9800, 10_102n],
    [under(1.1), 110, 900_000n],
    [under(0.29), 29, 3_413_793n],
    [under(64.1), 6410, 15_444n],
    [under(33.33), 3333, 29_702n],
  ])('computes the odds of %j', (inputs, winning, multiplier) => {
    expect(diceOdds(inputs, DEFAULTS)).toEqual({ winning, multiplier });
  });

  test.each([
    over(1.99),
    over(100),
    over(100.01),
    over(0),
    over(-0.01),
    under(0),
    under(-0),
    under(98.01),
    under(100),
    under(-1),
    under(1.001),
    under(50.005),
    under(1.1 * 100 - 60),
    under(0.1 + 0.2),
    under(1.1 + Number.EPSILON),
    under(49.99999999999999),
    under(1e-7),
    under(Number.MIN_VALUE),
    under(Number.NaN),
    over(Number.NaN),
    over(Number.POSITIVE_INFINITY),
    under(Number.POSITIVE_INFINITY),
    over(Number.NEGATIVE_INFINITY),
    under(Number.NEGATIVE_INFINITY),
    under(1e21),
  ])('rejects %j', (inputs) => {
    expect(diceOdds(inputs, DEFAULTS)).toBeUndefined();
  });

  test('rejects the floating-point neighbours of each threshold', () => {
    const wrong = accepted.filter(({ inputs: { threshold, above } }) =>
      neighbours(threshold).some((other) => diceOdds({ threshold: other, above }, DEFAULTS) !== undefined),
    );
    expect(wrong).toEqual([]);
  });

  test.each([
    ['the lowest multiplier', { rtpBp: 8080, maxMultiplier: 9900 }, 8000, 8001, 10_100n],
    ['the lowest multiplier, rounded', { rtpBp: 8000, maxMultiplier: 9900 }, 7920, 7921, 10_101n],
    ['the highest multiplier', { rtpBp: 9990, maxMultiplier: 9900 }, 2, 1, 49_950_000n],
    ['a configured maximum', { rtpBp: 9900, maxMultiplier: 2 }, 4950, 4949, 20_000n],
    ['a configured maximum with decimals', { rtpBp: 9900, maxMultiplier: 2.0004 }, 4949, 4948, 20_004n],
  ])('accepts odds up to %s and rejects the next threshold', (_, settings, winning, refused, multiplier) => {
    expect(diceOdds(under(winning / 100), settings)).toEqual({ winning, multiplier });
    expect(diceOdds(over((10_000 - winning) / 100), settings)).toEqual({ winning, multiplier });
    expect(diceOdds(under(refused / 100), settings)).toBeUndefined();
    expect(diceOdds(over((10_000 - refused) / 100), settings)).toBeUndefined();
  });
});

describe('roll', () => {
  test('rolls values from 0.00 to 100.00, and loses bets above and below when the roll equals the threshold', () => {
    expect(rollDice(over(50), 0)).toEqual({ roll: 0, didWin: false });
    expect(rollDice(under(50), 0)).toEqual({ roll: 0, didWin: true });
    expect(rollDice(over(99.99), 2 ** 32 - 1)).toEqual({ roll: 10_000, didWin: true });
    expect(rollDice(over(50), start(5000))).toEqual({ roll: 5000, didWin: false });
    expect(rollDice(under(50), start(5000))).toEqual({ roll: 5000, didWin: false });
    expect(rollDice(over(50), start(5001))).toEqual({ roll: 5001, didWin: true });
    expect(rollDice(under(50), start(5000) - 1)).toEqual({ roll: 4999, didWin: true });
  });

  test('wins on exactly as many results as the odds of each accepted bet imply', () => {
    const wrong = accepted.filter(({ t, inputs }) => {
      const at = (roll: number) => rollDice(inputs, start(roll)).didWin;
      const { winning } = diceOdds(inputs, DEFAULTS)!;
      const edges = inputs.above ? [!at(t - 1), !at(t), at(t + 1)] : [at(t - 1), !at(t), !at(t + 1)];
      return !edges.every(Boolean) || winning !== (inputs.above ? 10_000 - t : t);
    });
    expect(wrong).toEqual([]);
    for (const inputs of [over(2), over(99.99), over(57.29), under(0.01), under(98), under(57.29)]) {
      const wins = Array.from({ length: 10_001 }, (_, roll) => rollDice(inputs, start(roll))).filter(
        (r) => r.didWin,
      );
      expect(wins).toHaveLength(diceOdds(inputs, DEFAULTS)!.winning);
    }
  });

  test("computes the roll from the bet's random stream", () => {
    const seed = '0123456789abcdef'.repeat(4);
    expect(rollDice(over(45.19), firstNumber(seed, 'fair', 0))).toEqual({ roll: 4520, didWin: true });
    expect(rollDice(over(45.2), firstNumber(seed, 'fair', 0))).toEqual({ roll: 4520, didWin: false });
    expect(rollDice(under(39.43), firstNumber(seed, 'fair', 1))).toEqual({ roll: 3942, didWin: true });
  });
});

test('shows the roll and the offered multiplier for won and lost bets', () => {
  const odds = diceOdds(over(50), DEFAULTS)!;
  expect(playDice(over(50), odds, start(7512))).toEqual({
    outcome: { randomValue: 75.12, didWin: true, multiplier: 1.98 },
    multiplier: 19_800n,
    scale: DICE_SCALE,
  });
  expect(playDice(over(50), odds, start(5000))).toEqual({
    outcome: { randomValue: 50, didWin: false, multiplier: 1.98 },
    multiplier: 0n,
    scale: DICE_SCALE,
  });
});

describe('replay', () => {
  const stored = (inputs: unknown) => ({ game: 'dice', rtpBp: 9900, inputs, outcome: {} });
  const terms = { betUsd: 200n, stake: 200n, rate: 10n ** 12n, decimals: 8, maxProfitUsd: 10n ** 12n };

  test('replays a bet with the same outcome and payout', () => {
    for (const u0 of [0, start(5000), start(5001), 2 ** 32 - 1])
      for (const inputs of [over(50), under(50)]) {
        const { outcome, multiplier } = playDice(inputs, diceOdds(inputs, DEFAULTS)!, u0);
        const again = replayDice(stored(inputs), given([u0]))!;
        expect(again.outcome).toEqual(outcome);
        expect(again.pay(terms)).toEqual({ payout: multiplier / 50n, payoutUsd: multiplier / 50n });
      }
  });

  test('rejects invalid bets', () => {
    const unsided = [undefined, null, 1, 'true'].map((above) => ({ threshold: 50, above }));
    for (const inputs of [over(100), under(0), { above: true }, {}, ...unsided])
      expect(replayDice(stored(inputs), given([0]))).toBeUndefined();
  });
});

describe('RTP of all 19,600 bets, in rational arithmetic', () => {
  test('computes RTPs from 98.980422 % to 98.990101 % when all results are equally likely', () => {
    const returns = accepted.map(({ inputs }) => {
      const { winning, multiplier } = diceOdds(inputs, DEFAULTS)!;
      return multiplier * BigInt(winning);
    });
    const percent = (value: bigint) => sixDigits(value, DICE_SCALE * RESULTS);
    expect([percent(least(returns)), percent(most(returns))]).toEqual(['98.980422', '98.990101']);
  });

  test('computes RTPs from 98.980422 % to 98.990151 % when results are drawn from 2^32 random words', () => {
    const returns = accepted.map(({ t, inputs }) => {
      const words = inputs.above ? 2 ** 32 - start(t + 1) : start(t);
      return diceOdds(inputs, DEFAULTS)!.multiplier * BigInt(words);
    });
    const percent = (value: bigint) => sixDigits(value, DICE_SCALE * WORDS);
    expect([percent(least(returns)), percent(most(returns))]).toEqual(['98.980422', '98.990151']);
  });
});

/**
 * Returns the lowest 32-bit word that gives this roll. The roll never decreases as the word grows, so the number of words for each roll
 * follows from these borders.
 */
function start(roll: number): number {
  const word = Number((BigInt(roll) * WORDS + RESULTS - 1n) / RESULTS);
  if (rollDice(under(50), word).roll !== roll) throw new Error(`${word} does not roll ${roll}`);
  if (roll > 0 && rollDice(under(50), word - 1).roll !== roll - 1)
    throw new Error(`${word - 1} rolls ${roll}`);
  return word;
}

function decimal(t: number): string {
  return `${Math.floor(t / 100)}.${String(t % 100).padStart(2, '0')}`;
}

function neighbours(value: number): number[] {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  return [bits - 1n, bits + 1n].map((other) => {
    view.setBigUint64(0, other);
    return view.getFloat64(0);
  });
}

function least(values: readonly bigint[]): bigint {
  return values.reduce((a, b) => (a < b ? a : b));
}

function most(values: readonly bigint[]): bigint {
  return values.reduce((a, b) => (a > b ? a : b));
}
