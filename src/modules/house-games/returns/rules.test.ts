import { describe, expect, test } from 'vitest';
import { theoryOf } from './rules.ts';

const bet = (game: string, inputs: unknown, more: object = {}) =>
  theoryOf({ game, inputs, rtpBp: 9900, stake: 1, outcome: {}, ...more });
const percent = (part: number) => (100 * part).toFixed(6);

describe('dice', () => {
  const all = Array.from({ length: 10_001 }, (_, t) =>
    [true, false].map((above) => ({ threshold: t / 100, above })),
  )
    .flat()
    .flatMap((inputs) => bet('dice', inputs) ?? []);

  test('returns of all accepted bets lie between the two of the table', () => {
    expect(all).toHaveLength(19_600);
    const returns = all.map(({ expected }) => expected);
    expect([percent(Math.min(...returns)), percent(Math.max(...returns))]).toEqual([
      '98.980422',
      '98.990101',
    ]);
  });

  test('expected value and variance are those of all 10,001 results', () => {
    for (const inputs of [
      { threshold: 50, above: true },
      { threshold: 0.01, above: false },
      { threshold: 57.29, above: true },
    ]) {
      const limit = Math.round(inputs.threshold * 100);
      const wins = (roll: number) => (inputs.above ? roll > limit : roll < limit);
      const { most } = bet('dice', inputs)!;
      const paid = Array.from({ length: 10_001 }, (_, roll) => (wins(roll) ? most : 0));
      const mean = paid.reduce((a, b) => a + b, 0) / 10_001;
      const variance = paid.reduce((a, b) => a + (b - mean) ** 2, 0) / 10_001;
      const theory = bet('dice', inputs, { stake: 3 })!;
      expect(theory.expected).toBeCloseTo(3 * mean, 9);
      expect(theory.variance / (9 * variance)).toBeCloseTo(1, 9);
      expect(theory.most).toBe(3 * most);
    }
  });

  test('follows the return that the bet was made with', () => {
    expect(bet('dice', { threshold: 50, above: true }, { rtpBp: 9050 })!.most).toBe(1.81);
  });
});

test.each([
  ['a game without theory', 'slot', {}],
  ['a name of every object', 'toString', {}],
  ['inputs that are none', 'dice', { threshold: 200, above: true }],
])('of %s nothing is known', (_, game, inputs) => expect(bet(game, inputs)).toBeUndefined());
