import { expect, test } from 'vitest';
import { canTransition, isInTime, isOffered, refusalOfPromo, STATUSES, sourceKeyOf } from './rules.ts';

test('allows only the documented status changes', () => {
  const ways = STATUSES.flatMap((from) =>
    STATUSES.flatMap((to) => (canTransition(from, to) ? [`${from} ${to}`] : [])),
  );
  expect(ways).toEqual(['DRAFT ACTIVE', 'ACTIVE PAUSED', 'PAUSED ACTIVE', 'PAUSED ARCHIVED']);
});

const at = new Date('2026-11-24T12:00:00.000Z');
const later = new Date(at.getTime() + 1);
const earlier = new Date(at.getTime() - 1);

test.each([
  [null, null, true],
  [at, null, true],
  [earlier, null, true],
  [later, null, false],
  [null, at, false],
  [null, earlier, false],
  [null, later, true],
  [earlier, later, true],
  [later, later, false],
  [earlier, earlier, false],
])('decides whether a promotion from %j to %j is running: %s', (startAt, endAt, expected) => {
  expect(isInTime({ startAt, endAt }, at)).toBe(expected);
});

test('offers only WELCOME and DEPOSIT promotions without a code', () => {
  expect((['WELCOME', 'DEPOSIT', 'CODE', 'MANUAL'] as const).filter(isOffered)).toEqual([
    'WELCOME',
    'DEPOSIT',
  ]);
});

const always = { startAt: null, endAt: null };
const over = { startAt: null, endAt: earlier };
test.each([
  ['WELCOME', 'ACTIVE', always, 'id', undefined],
  ['WELCOME', 'ACTIVE', always, 'code', undefined],
  ['DEPOSIT', 'ACTIVE', always, 'id', undefined],
  ['CODE', 'ACTIVE', always, 'code', undefined],
  ['CODE', 'ACTIVE', always, 'id', 'PROMO_NOT_FOUND'],
  ['CODE', 'ARCHIVED', always, 'id', 'PROMO_NOT_FOUND'],
  ['MANUAL', 'ACTIVE', always, 'id', 'PROMO_NOT_FOUND'],
  ['MANUAL', 'ACTIVE', always, 'code', 'PROMO_NOT_FOUND'],
  ['MANUAL', 'ARCHIVED', over, 'code', 'PROMO_NOT_FOUND'],
  ['DEPOSIT', 'DRAFT', always, 'id', 'PROMO_NOT_FOUND'],
  ['DEPOSIT', 'DRAFT', over, 'id', 'PROMO_NOT_FOUND'],
  ['CODE', 'PAUSED', always, 'code', 'PROMO_NOT_FOUND'],
  ['CODE', 'ARCHIVED', always, 'code', 'PROMO_EXPIRED'],
  ['WELCOME', 'ARCHIVED', over, 'id', 'PROMO_EXPIRED'],
  ['WELCOME', 'ACTIVE', over, 'id', 'PROMO_EXPIRED'],
  ['CODE', 'ACTIVE', { startAt: later, endAt: null }, 'code', 'PROMO_EXPIRED'],
] as const)(
  'for a %s promotion with status %s and period %j that a player redeems by %s, returns: %s',
  (type, status, period, by, code) => {
    expect(refusalOfPromo({ type, status, ...period }, { isByCode: by === 'code', at })?.code).toBe(code);
  },
);

test('uses one source key per player, and a separate source key per staff request', () => {
  expect(sourceKeyOf(7n, 12)).toBe('7:12');
  expect(sourceKeyOf(7n, 12, '3:key')).toBe('7:admin:3:key:12');
});
