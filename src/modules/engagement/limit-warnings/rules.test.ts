import { expect, test } from 'vitest';
import { units } from '../../../platform/money.ts';
import { type Limits, noPlay, type Restrictions } from '../../compliance/gate/rules.ts';
import { depositWarnings, eventData, playWarnings } from './rules.ts';

const AT = new Date('2026-11-21T12:00:00Z');
const STARTS = {
  DAY: new Date('2026-11-21T00:00:00Z'),
  WEEK: new Date('2026-11-16T00:00:00Z'),
  MONTH: new Date('2026-11-01T00:00:00Z'),
};
const restricted = (limits: Limits, play: Restrictions['play'] = null): Restrictions => ({
  userId: 7,
  excludedUntil: null,
  playFrom: null,
  limits,
  play,
});
const played = () => {
  const play = noPlay(AT);
  const used = { staked: units('80'), paid: units('30'), playedMs: 50 * 60_000 };
  return { ...play, DAY: { ...play.DAY, ...used }, MONTH: { ...play.MONTH, ...used } };
};

test('warns when 80 % of a limit is used, and never for a limit of 0', () => {
  const warn = (amount: bigint, used: bigint) =>
    depositWarnings(restricted({ DEPOSIT: { DAY: amount } }), { DAY: used, WEEK: 0n, MONTH: 0n }, AT).length;
  expect([warn(10n, 7n), warn(10n, 8n), warn(10n, 99n), warn(1n, 0n), warn(0n, 0n), warn(0n, 5n)]).toEqual([
    0, 1, 1, 0, 0, 0,
  ]);
});

test('compares each limit on play with its usage in the same period', () => {
  const limits: Limits = {
    DEPOSIT: { DAY: 1n },
    WAGER: { DAY: units('100'), WEEK: units('1'), MONTH: units('100.01') },
    LOSS: { DAY: units('62.5'), MONTH: units('62.51') },
    SESSION: { DAY: 63n, MONTH: 62n },
  };
  const common = { userId: 7 };
  expect(playWarnings(restricted(limits, played()), AT)).toEqual([
    {
      ...common,
      type: 'WAGER',
      period: 'DAY',
      periodStart: STARTS.DAY,
      amount: units('100'),
      used: units('80'),
    },
    {
      ...common,
      type: 'LOSS',
      period: 'DAY',
      periodStart: STARTS.DAY,
      amount: units('62.5'),
      used: units('50'),
    },
    { ...common, type: 'SESSION', period: 'MONTH', periodStart: STARTS.MONTH, amount: 62n, used: 50n },
  ]);
  expect(playWarnings(restricted({}, played()), AT)).toEqual([]);
  expect(playWarnings(restricted(limits), AT)).toEqual([]);
});

test('compares deposit limits with the deposits in the same period', () => {
  const deposited = { DAY: units('10'), WEEK: units('10'), MONTH: units('10') };
  const limits: Limits = { DEPOSIT: { DAY: units('13'), WEEK: units('12') }, WAGER: { MONTH: 1n } };
  expect(depositWarnings(restricted(limits), deposited, AT)).toEqual([
    {
      userId: 7,
      type: 'DEPOSIT',
      period: 'WEEK',
      periodStart: STARTS.WEEK,
      amount: units('12'),
      used: units('10'),
    },
  ]);
  expect(depositWarnings(restricted({ WAGER: { DAY: 1n } }), deposited, AT)).toEqual([]);
});

test('reports amounts in dollars, and session limits in minutes', () => {
  const warning = { userId: 7, period: 'WEEK', periodStart: STARTS.WEEK } as const;
  expect(eventData({ ...warning, type: 'LOSS', amount: units('12.5'), used: units('10') })).toEqual({
    type: 'LOSS',
    period: 'WEEK',
    limit: '12.5',
    used: '10',
    periodEndsAt: '2026-11-23T00:00:00.000Z',
  });
  expect(eventData({ ...warning, type: 'SESSION', amount: 60n, used: 50n })).toMatchObject({
    limit: '60',
    used: '50',
  });
});
