import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  amountsOf,
  awardsOf,
  isEnough,
  lastPrizePlace,
  nextPrizePlace,
  type Prize,
  type Standing,
} from './rules.ts';

const prizes = (amounts: Record<number, bigint | number>): Prize[] =>
  Object.entries(amounts).map(([place, usdAmount]) => ({
    place: Number(place),
    usdAmount: BigInt(usdAmount),
  }));
/** Returns one player per letter. Capital letters represent skipped players. */
const stand = (letters: string): Standing[] =>
  [...letters].map((letter, i) => ({ userId: i + 1, isSkipped: letter === letter.toUpperCase() }));
const shown = (letters: string, of: Record<number, number>, movesUp: boolean) =>
  awardsOf(stand(letters), prizes(of), movesUp).map(
    ({ userId, prizeUsd }) => `${userId}:${prizeUsd ?? 'skipped'}`,
  );

const THREE = { 1: 100, 2: 50, 3: 25 };

describe('awardsOf', () => {
  test.each([
    ['abc', THREE, false, ['1:100', '2:50', '3:25']],
    ['abcd', THREE, false, ['1:100', '2:50', '3:25']],
    ['ab', THREE, false, ['1:100', '2:50']],
    ['', THREE, false, []],
    ['aBcd', THREE, false, ['1:100', '2:skipped', '3:25']],
    ['aBcd', THREE, true, ['1:100', '2:skipped', '3:50', '4:25']],
    ['ABCd', THREE, false, ['1:skipped', '2:skipped', '3:skipped']],
    ['ABCd', THREE, true, ['1:skipped', '2:skipped', '3:skipped', '4:100']],
    ['abcD', THREE, true, ['1:100', '2:50', '3:25']],
    ['abcd', { 2: 7, 4: 9 }, false, ['2:7', '4:9']],
    ['aBcd', { 2: 7, 3: 9 }, true, ['2:skipped', '3:7', '4:9']],
    ['AbC', { 2: 7 }, true, []],
    ['AbCd', { 2: 7 }, true, ['3:skipped', '4:7']],
  ] as const)('awards prizes for the standings "%s"', (letters, of, movesUp, expected) => {
    const all = shown(letters, of, movesUp);
    expect(movesUp && letters === 'AbC' ? all.filter((one) => !one.endsWith('skipped')) : all).toEqual(
      expected,
    );
  });

  const letters = fc.array(fc.constantFrom('a', 'A'), { maxLength: 20 }).map((all) => all.join(''));
  const somePrizes = fc.dictionary(
    fc.integer({ min: 1, max: 12 }).map(String),
    fc.bigInt({ min: 1n, max: 1000n }),
    { minKeys: 1 },
  );
  test('awards each prize at most once, and awards none to skipped players', () => {
    fc.assert(
      fc.property(letters, somePrizes, fc.boolean(), (of, amounts, movesUp) => {
        const all = stand(of);
        const awards = awardsOf(all, prizes(amounts), movesUp);
        const byId = new Map(all.map((one) => [one.userId, one]));
        expect(new Set(awards.map(({ userId }) => userId)).size).toBe(awards.length);
        for (const { userId, prizeUsd } of awards)
          expect(prizeUsd === null).toBe(byId.get(userId)!.isSkipped);
        const given = awards.flatMap(({ prizeUsd }) => (prizeUsd === null ? [] : [prizeUsd]));
        // Each prize is awarded at most once, in the order of ranks.
        const inOrder = prizes(amounts).sort((a, b) => a.place - b.place);
        const able = movesUp ? all.filter(({ isSkipped }) => !isSkipped) : all;
        const expected = inOrder.flatMap(({ place, usdAmount }) => {
          const holder = able[place - 1];
          return holder && !holder.isSkipped ? [usdAmount] : [];
        });
        expect(given).toEqual(expected);
      }),
    );
  });

  test('awards the same prizes from a long enough top part of the standings as from the full standings', () => {
    fc.assert(
      fc.property(letters, somePrizes, fc.boolean(), (of, amounts, movesUp) => {
        const all = stand(of);
        const enough = all.findIndex((_, i) => isEnough(all.slice(0, i + 1), prizes(amounts), movesUp));
        if (enough < 0) return;
        expect(awardsOf(all.slice(0, enough + 1), prizes(amounts), movesUp)).toEqual(
          awardsOf(all, prizes(amounts), movesUp),
        );
        expect(isEnough(all.slice(0, enough), prizes(amounts), movesUp)).toBe(false);
      }),
    );
  });
});

test.each([
  ['ab', false, false],
  ['abc', false, true],
  ['aBc', false, true],
  ['aBc', true, false],
  ['aBcd', true, true],
  ['ABC', false, true],
  ['ABC', true, false],
  ['abcd', true, true],
  ['', false, false],
] as const)(
  'decides whether the standings %s are enough to award three prizes (moving up: %s): %s',
  (letters, movesUp, enough) => {
    expect(isEnough(stand(letters), prizes(THREE), movesUp)).toBe(enough);
  },
);

test('returns the lowest rank with a prize', () => {
  expect([lastPrizePlace(prizes(THREE)), lastPrizePlace(prizes({ 9: 1, 4: 2 })), lastPrizePlace([])]).toEqual(
    [3, 9, 0],
  );
});

test.each([
  [null, 3],
  [1, undefined],
  [2, 1],
  [3, 2],
  [4, 3],
  [100, 3],
])('for rank %j, finds the next better rank with a prize: %j', (place, next) => {
  expect(nextPrizePlace(prizes(THREE), place)).toBe(next);
});

type Wanted = { usdAmount?: number; fullUsdAmount?: number };
const inUnits = (wanted: Wanted) =>
  Object.fromEntries(Object.entries(wanted).map(([name, amount]) => [name, BigInt(amount)]));

test.each([
  [{}, { usdAmount: 100, fullUsdAmount: 100 }],
  [{ usdAmount: 40 }, { usdAmount: 40, fullUsdAmount: 100 }],
  [
    { usdAmount: 40, fullUsdAmount: 40 },
    { usdAmount: 40, fullUsdAmount: 40 },
  ],
  [
    { usdAmount: 100, fullUsdAmount: 100 },
    { usdAmount: 100, fullUsdAmount: 100 },
  ],
  [{ usdAmount: 1 }, { usdAmount: 1, fullUsdAmount: 100 }],
  [{ usdAmount: 0 }, undefined],
  [{ usdAmount: -1 }, undefined],
  [{ usdAmount: 101 }, undefined],
  [{ usdAmount: 41, fullUsdAmount: 40 }, undefined],
  [{ usdAmount: 40, fullUsdAmount: 101 }, undefined],
  // The amount to pay defaults to the full prize of 100, which exceeds the given `fullUsdAmount` of 40.
  [{ fullUsdAmount: 40 }, undefined],
])(
  'for a prize of 100, fills in the missing amounts of %j: %j',
  (wanted: Wanted, expected: Wanted | undefined) => {
    expect(amountsOf(100n, inUnits(wanted))).toEqual(expected && inUnits(expected));
  },
);
