import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { edgePpmOf, effectiveOf, type Priced, percentOf, type Rule, readPercent } from './rules.ts';

const rule = (id: number, category: string | null, gameId: number | null, percent: string): Rule => ({
  id,
  providerId: 7,
  category,
  gameId,
  ppm: readPercent(percent)!,
  payload: null,
  createdAt: new Date(0),
  updatedAt: new Date(0),
});
const game = (id: number, categories: string[], more: Partial<Priced> = {}): Priced => ({
  id,
  type: 'SLOTS',
  categories,
  rtp: null,
  ...more,
});

const RULES = [
  rule(1, null, null, '4.5'),
  rule(2, 'SLOTS', null, '3.5'),
  rule(3, null, 101, '2'),
  rule(4, 'CRASH', 101, '1.5'),
];

describe('the most specific rule applies', () => {
  test.each<[string, Priced, readonly Rule[], string, string, number | null]>([
    ['of a category and the game', game(101, ['SLOTS', 'CRASH']), RULES, '1.5', 'PROVIDER_CATEGORY_GAME', 4],
    ['of the game', game(101, ['SLOTS', 'CRASH']), RULES.slice(0, 3), '2', 'PROVIDER_GAME', 3],
    ['of its category', game(102, ['SLOTS']), RULES, '3.5', 'PROVIDER_CATEGORY', 2],
    ['of the provider', game(103, ['LIVE']), RULES, '4.5', 'PROVIDER', 1],
    [
      'of the first category that has one',
      game(104, ['LIVE', 'SLOTS']),
      RULES,
      '3.5',
      'PROVIDER_CATEGORY',
      2,
    ],
    ['none: a slot', game(105, ['SLOTS']), [], '4', 'TYPE_DEFAULT', null],
    ['none: a live game', game(106, [], { type: 'EVO_GAME' }), [], '0.5', 'TYPE_DEFAULT', null],
    ['none: the sportsbook', game(107, [], { type: 'SPORTSBOOK' }), [], '3', 'TYPE_DEFAULT', null],
    [
      'none: dice at 99',
      game(1, ['HOUSE_GAME'], { type: 'HOUSE_GAME', rtp: 99 }),
      [],
      '1',
      'TYPE_DEFAULT',
      null,
    ],
    [
      'none: a return with decimals',
      game(1, [], { type: 'HOUSE_GAME', rtp: 99.56 }),
      [],
      '0.44',
      'TYPE_DEFAULT',
      null,
    ],
    ['none: a return that is not known', game(1, [], { type: 'HOUSE_GAME' }), [], '0', 'TYPE_DEFAULT', null],
  ])('%s', (_, of, rules, percent, match, id) => {
    const found = effectiveOf(of, rules);
    expect([percentOf(found.ppm), found.match, found.rule?.id ?? null]).toEqual([percent, match, id]);
    expect(edgePpmOf(of, rules)).toBe(found.ppm);
  });

  test("uses the first of a game's categories that has a rule, regardless of the order of the rules", () => {
    const rules = [
      rule(1, 'CRASH', null, '1'),
      rule(2, 'LIVE', null, '2'),
      rule(3, 'CRASH', 5, '3'),
      rule(4, 'LIVE', 5, '4'),
    ];
    for (const all of [rules, rules.toReversed()]) {
      expect(effectiveOf(game(6, ['LIVE', 'CRASH']), all).rule?.id).toBe(2);
      expect(effectiveOf(game(6, ['CRASH', 'LIVE']), all).rule?.id).toBe(1);
      expect(effectiveOf(game(5, ['LIVE', 'CRASH']), all).rule?.id).toBe(4);
      expect(effectiveOf(game(5, ['CRASH', 'LIVE']), all).rule?.id).toBe(3);
    }
  });
});

test('computes $3 of theoretical GGR for $200 at 1.5 percent', () => {
  expect((200 * edgePpmOf(game(101, ['CRASH']), RULES)) / 1_000_000).toBe(3);
});

describe('percent', () => {
  test.each(['', '-1', '1,5', '1.23456', '100.0001', '101', '1000', '1e2', ' 1', '.5', '1.', 'NaN'])(
    'rejects %j',
    (text) => {
      expect(readPercent(text)).toBeUndefined();
    },
  );

  test.each([
    ['0', 0],
    ['0.0001', 1],
    ['0.05', 500],
    ['4.5', 45_000],
    ['4.5000', 45_000],
    ['007', 70_000],
    ['100', 1_000_000],
    ['100.0000', 1_000_000],
  ])('reads %s as %i millionths', (text, ppm) => {
    expect(readPercent(text)).toBe(ppm);
  });

  test('formats a rate and reads the same value back', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1_000_000 }), (ppm) => {
        const text = percentOf(ppm);
        expect(text).toMatch(/^\d+(\.\d*[1-9])?$/);
        expect(readPercent(text)).toBe(ppm);
      }),
      { seed: 1 },
    );
  });
});
