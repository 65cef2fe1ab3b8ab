import { describe, expect, test } from 'vitest';
import { units } from '../../../platform/money.ts';
import {
  holdEnd,
  isAdvanceWithin,
  isContradiction,
  movementAt,
  nextStatus,
  type Risk,
  riskOf,
  SKIN_STATUSES,
  type SkinStatus,
} from './rules.ts';

/** The rows of the table are the current statuses and the columns are the reported ones; "-" means no change. */
const TABLE = `
              PENDING IN_HOLD SUCCESS FAIL          HOLD_APPROVED HOLD_RETURNED
PENDING       -       IN_HOLD SUCCESS FAIL          HOLD_APPROVED HOLD_RETURNED
IN_HOLD       -       -       SUCCESS FAIL          HOLD_APPROVED HOLD_RETURNED
SUCCESS       -       -       -       -             -             -
FAIL          -       -       -       -             -             -
HOLD_APPROVED -       -       SUCCESS HOLD_RETURNED -             HOLD_RETURNED
HOLD_RETURNED -       -       -       -             -             -
`;

test('allows only the forward status changes listed in this test', () => {
  const [head, ...rows] = TABLE.trim()
    .split('\n')
    .map((line) => line.trim().split(/ +/) as SkinStatus[]);
  for (const [from, ...cells] of rows)
    for (const [column, cell] of cells.entries())
      expect([from, head![column], nextStatus(from!, head![column]!) ?? '-']).toEqual([
        from,
        head![column],
        cell,
      ]);
  expect(rows).toHaveLength(SKIN_STATUSES.length);
});

test('treats incompatible final statuses as contradictions, but not repeated or late statuses', () => {
  const pairs = SKIN_STATUSES.flatMap((end) =>
    SKIN_STATUSES.filter((said) => isContradiction(end, said)).map((said) => `${end} ${said}`),
  );
  expect(pairs).toEqual(['SUCCESS FAIL', 'SUCCESS HOLD_RETURNED', 'FAIL SUCCESS', 'HOLD_RETURNED SUCCESS']);
});

test('credits only once, in advance or on success, and reverses only the credited amount', () => {
  const both = (status: SkinStatus, mayAdvance = true) =>
    [false, true].map((isCredited) => movementAt(status, { isCredited, mayAdvance }));
  expect(both('PENDING')).toEqual([undefined, undefined]);
  expect(both('IN_HOLD')).toEqual([undefined, undefined]);
  expect(both('HOLD_APPROVED')).toEqual(['credit', undefined]);
  expect(both('HOLD_APPROVED', false)).toEqual([undefined, undefined]);
  expect(both('SUCCESS', false)).toEqual(['credit', undefined]);
  expect(both('FAIL')).toEqual([undefined, 'reverse']);
  expect(both('HOLD_RETURNED')).toEqual([undefined, 'reverse']);
});

describe('the risk of a player', () => {
  test.each<[unknown, Risk]>([
    [0, 'LOW'],
    [30, 'LOW'],
    [30.5, 'MEDIUM'],
    [70, 'MEDIUM'],
    [70.01, 'HIGH'],
    [100, 'HIGH'],
    [-1, 'HIGH'],
    [Number.NaN, 'HIGH'],
    ['10', 'LOW'],
    ['1e1', 'LOW'],
    ['ten', 'HIGH'],
    ['', 'HIGH'],
    [null, 'HIGH'],
    [undefined, 'HIGH'],
  ])('derives the risk of a player from the score: %s gives %s', (score, risk) =>
    expect(riskOf({ score })).toBe(risk),
  );

  test.each<[Risk | null, string, string, boolean]>([
    ['LOW', '0', '500', true],
    ['LOW', '0', '500.00000001', false],
    ['LOW', '450', '50', true],
    ['LOW', '450.00000001', '50', false],
    ['MEDIUM', '0', '100', true],
    ['MEDIUM', '60', '41', false],
    ['HIGH', '0', '0.01', false],
    [null, '0', '0.01', false],
    ['HIGH', '0', '0', true],
    [null, '0', '0', true],
  ])(
    'decides whether a player with risk %s and open advances of %s may receive %s: %s',
    (risk, outstanding, usd, may) => {
      const sums = { outstandingUsd: units(outstanding), usdAmount: units(usd) };
      expect(isAdvanceWithin(risk, sums)).toBe(may);
    },
  );
});

test('ends a hold after eight days', () => {
  expect(holdEnd(new Date('2026-11-21T12:00:00Z'))).toEqual(new Date('2026-11-29T12:00:00Z'));
});
