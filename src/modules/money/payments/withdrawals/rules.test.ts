import { describe, expect, test } from 'vitest';
import { units } from '../../../../platform/money.ts';
import { isMemo } from '../recipient.ts';
import { statsOf } from './list.ts';
import { minimumOf } from './pricing.ts';
import {
  beforeIdentity,
  canTransition,
  checkAfterSeconds,
  HELD,
  type InitialFacts,
  idIn,
  initialStatus,
  KYC_HOURS,
  kycTierFor,
  legsOf,
  needsFourEyes,
  nextStatus,
  playerStatusOf,
  plusUsd,
  pointsOf,
  referenceOf,
  riskOf,
  STATUSES,
  statusesOf,
  type WithdrawalStatus,
} from './rules.ts';

describe('states', () => {
  test.each<[WithdrawalStatus, WithdrawalStatus[]]>([
    ['WAITING_FOR_APPROVAL', ['APPROVED', 'REJECTED', 'CANCELLED']],
    ['ON_HOLD', ['WAITING_FOR_APPROVAL', 'APPROVED', 'REJECTED']],
    ['APPROVED', ['ON_HOLD', 'PROCESSING', 'SENT', 'COMPLETED', 'FAILED']],
    ['PROCESSING', ['APPROVED', 'UNKNOWN_OUTCOME', 'SENT', 'COMPLETED', 'FAILED']],
    ['UNKNOWN_OUTCOME', ['APPROVED', 'PROCESSING', 'SENT', 'COMPLETED', 'FAILED']],
    ['SENT', ['COMPLETED', 'FAILED']],
    ['COMPLETED', []],
    ['REJECTED', []],
    ['CANCELLED', []],
    ['FAILED', ['APPROVED']],
  ])('allows a withdrawal to change from the status %s only to %j', (from, allowed) => {
    expect(STATUSES.filter((to) => canTransition(from, to))).toEqual(allowed);
  });

  test('shows UNKNOWN_OUTCOME to players as PROCESSING, and every other status unchanged', () => {
    for (const status of STATUSES) {
      expect(playerStatusOf(status)).toBe(status === 'UNKNOWN_OUTCOME' ? 'PROCESSING' : status);
      if (status === 'PROCESSING') expect(statusesOf(status)).toEqual(['PROCESSING', 'UNKNOWN_OUTCOME']);
      else expect(statusesOf(status)).toEqual([status]);
    }
  });

  test('moves no money between two final statuses', () => {
    expect(legsOf('FAILED', 'REJECTED')).toEqual([]);
  });

  test('holds exactly the amount that the withdrawal still needs, whatever the sequence of statuses', () => {
    const isGone = (status: string) => status === 'SENT' || status === 'COMPLETED';
    for (const from of STATUSES)
      for (const to of STATUSES.filter((status) => canTransition(from, status))) {
        const hold = { hold: 1, sent: -1, return: 1, release: -1 } as const;
        const gone = { hold: 0, sent: 1, return: -1, release: 0 } as const;
        const legs = legsOf(from, to);
        const sum = (of: Record<string, number>) => legs.reduce((all, leg) => all + of[leg]!, 0);
        expect([from, to, sum(hold)]).toEqual([
          from,
          to,
          Number(HELD.includes(to)) - Number(HELD.includes(from)),
        ]);
        expect([from, to, sum(gone)]).toEqual([from, to, Number(isGone(to)) - Number(isGone(from))]);
      }
  });

  test('allows no transition from a final status, or from a status to itself', () => {
    for (const from of ['REJECTED', 'CANCELLED', 'COMPLETED'] as const)
      expect(STATUSES.filter((to) => canTransition(from, to))).toEqual([]);
    expect(STATUSES.filter((status) => canTransition(status, status))).toEqual([]);
    expect(STATUSES.filter((to) => canTransition('FAILED', to))).toEqual(['APPROVED']);
  });

  test.each([
    ['PROCESSING', 'SENT', 1, 'SENT'],
    ['PROCESSING', 'SENT', 20, 'COMPLETED'],
    ['PROCESSING', 'PROCESSING', 0, undefined],
    ['UNKNOWN_OUTCOME', 'PROCESSING', 0, 'PROCESSING'],
    ['UNKNOWN_OUTCOME', 'FAILED', 0, 'FAILED'],
    ['APPROVED', 'COMPLETED', 0, 'COMPLETED'],
    ['SENT', 'PROCESSING', 0, undefined],
    ['SENT', 'FAILED', 0, 'FAILED'],
    ['COMPLETED', 'SENT', 0, undefined],
    ['COMPLETED', 'FAILED', 0, 'contradiction'],
    ['FAILED', 'PROCESSING', 0, undefined],
    ['FAILED', 'SENT', 0, 'contradiction'],
    ['FAILED', 'FAILED', 0, undefined],
    ['REJECTED', 'COMPLETED', 0, 'contradiction'],
    ['CANCELLED', 'FAILED', 0, undefined],
    ['PROCESSING', 'SENT', 19, 'SENT'],
    ['PROCESSING', 'FAILED', 20, 'FAILED'],
    ['UNKNOWN_OUTCOME', 'PROCESSING', 20, 'PROCESSING'],
    ['WAITING_FOR_APPROVAL', 'FAILED', 0, undefined],
    ['ON_HOLD', 'FAILED', 0, undefined],
    ['SENT', 'SENT', 0, undefined],
    ['COMPLETED', 'COMPLETED', 0, undefined],
    ['COMPLETED', 'PROCESSING', 0, undefined],
  ] as const)(
    'given the status %s, a report of %s with %i confirmations changes it to: %s',
    (status, told, confirmations, next) => {
      expect(nextStatus(status, { status: told, confirmations }, 20)).toBe(next);
    },
  );

  test('checks at growing intervals of at most an hour, and never checks a final status', () => {
    expect([0, 1, 2, 30].map((checks) => checkAfterSeconds('UNKNOWN_OUTCOME', checks))).toEqual([
      5, 10, 20, 3600,
    ]);
    const first = Object.fromEntries(STATUSES.map((status) => [status, checkAfterSeconds(status, 0)]));
    expect(first).toEqual({ APPROVED: 5, PROCESSING: 60, UNKNOWN_OUTCOME: 5, SENT: 300 });
  });

  test('gives each attempt its own reference, which contains the withdrawal id', () => {
    const id = '0193c5e4-7b1a-7000-8000-00000000000a';
    expect([1, 2, 17].map((attempt) => referenceOf(id, attempt))).toEqual([id, `${id}.2`, `${id}.17`]);
    for (const attempt of [1, 2, 17]) expect(idIn(referenceOf(id, attempt))).toBe(id);
    for (const text of ['', 'w-1', `${id}.`, `${id}.x`, ` ${id}`, `${id}\n`, id.toUpperCase()])
      expect(idIn(text)).toBeUndefined();
  });

  test('counts each status in exactly one counter', () => {
    const all = new Map(STATUSES.map((status) => [status, 1]));
    expect(statsOf(all)).toEqual({ total: 10, waitingForApproval: 2, approved: 5, rejected: 2, failed: 1 });
  });
});

describe('amounts', () => {
  const rate = 2_000_000_000_000n;
  test('uses the higher minimum of the network and the site, rounded up, or the network’s minimum if there is no price', () => {
    const terms = { minWithdraw: units('3'), rate, isPriced: true };
    expect(minimumOf({ ...terms, minUsd: units('1') })).toBe(units('3'));
    expect(minimumOf({ ...terms, minUsd: units('10') })).toBe(units('5'));
    expect(minimumOf({ ...terms, minUsd: 1n, minWithdraw: 0n })).toBe(1n);
    expect(minimumOf({ ...terms, minUsd: units('10'), isPriced: false })).toBe(units('3'));
  });

  test('accepts only whole 32-bit numbers as XRP memos, and printable text on other networks', () => {
    for (const memo of ['0', '7', '4294967295']) expect(isMemo('xrp', memo)).toBe(true);
    for (const memo of ['', '01', '-1', '4294967296', '1e3', '7 ']) expect(isMemo('xrp', memo)).toBe(false);
    expect(isMemo('eth', 'a text')).toBe(true);
    expect(isMemo('eth', 'a\ntext')).toBe(false);
  });
});

describe('verification and review', () => {
  const kyc = { kycThresholdUsd: '100', kycSingleThresholdUsd: '50' };
  test.each([
    [0, '0', 0n, units('49.99'), null],
    [0, '0', 0n, units('50'), 'IDENTITY'],
    [0, '0', units('10'), units('39.99999999'), null],
    [0, '0', units('10'), units('40'), 'IDENTITY'],
    [0, '0', units('49.99999998'), undefined, null],
    [0, '0', units('49.99999999'), undefined, 'IDENTITY'],
    [0, '0', units('50'), 0n, 'IDENTITY'],
    [0, '0', null, 0n, 'IDENTITY'],
    [0, '100', 0n, undefined, 'IDENTITY'],
    [1, '99.99', 0n, undefined, null],
    [1, '0', 0n, null, 'IDENTITY'],
    [2, '1000', null, null, null],
  ] as const)(
    'with KYC level %i, deposits %s, recent withdrawals %s and amount %s, the required tier is %s',
    (...row) => {
      const [kycLevel, deposits, recentUsd, usdAmount, tier] = row;
      expect(kycTierFor({ kycLevel, depositsUsd: units(deposits), recentUsd, usdAmount }, kyc)).toBe(tier);
    },
  );

  test('returns the largest amount below the threshold of identity verification', () => {
    expect(beforeIdentity({ kycLevel: 1, recentUsd: units('10') }, '50')).toBe(units('39.99999999'));
    expect(beforeIdentity({ kycLevel: 1, recentUsd: units('60') }, '50')).toBeLessThan(0n);
    expect(beforeIdentity({ kycLevel: 1, recentUsd: null }, '50')).toBeLessThan(0n);
    expect(beforeIdentity({ kycLevel: 2, recentUsd: null }, '50')).toBeNull();
  });

  test('adds up the risk points and returns their reasons', () => {
    const calm = {
      worstNote: null,
      hasSecondFactor: true,
      isNewAddress: false,
      isFirst: false,
      country: 'DE',
      accountCountry: 'DE',
      isTurnoverWaived: false,
    };
    expect(riskOf(calm)).toEqual({ score: 0, reasons: [] });
    expect(riskOf({ ...calm, country: 'FR', hasSecondFactor: false })).toEqual({
      score: 35,
      reasons: ['NO_SECOND_FACTOR', 'OTHER_COUNTRY'],
    });
    expect(riskOf({ ...calm, country: null }).score).toBe(0);
    expect(riskOf({ ...calm, accountCountry: null }).score).toBe(0);
    expect(riskOf({ ...calm, worstNote: 'MEDIUM' })).toEqual({ score: 40, reasons: ['NOTE_MEDIUM'] });
    expect(riskOf({ ...calm, worstNote: 'LOW' })).toEqual({ score: 0, reasons: [] });
    expect(riskOf({ ...calm, isNewAddress: true, isFirst: true, isTurnoverWaived: true })).toEqual({
      score: 60,
      reasons: ['NEW_ADDRESS', 'FIRST_WITHDRAWAL', 'TURNOVER_WAIVED'],
    });
    expect(riskOf({ ...calm, worstNote: 'HIGH', isFirst: true }).score).toBe(100);
  });

  test('returns the points of known reasons only', () => {
    expect(pointsOf(['NEW_ADDRESS', 'OTHER_COUNTRY'])).toEqual({ NEW_ADDRESS: 10, OTHER_COUNTRY: 25 });
    expect(pointsOf(['MOON_PHASE', 'toString'])).toEqual({});
  });

  const at = new Date('2026-11-21T12:00:00Z');
  const hours = (n: number) => new Date(Number(at) + n * 3_600_000);
  const facts: InitialFacts = {
    at,
    isPriced: true,
    usdAmount: units('10'),
    dayUsd: 0n,
    risk: { score: 0 },
    accountSince: hours(-24 * 30),
    factorResetAt: null,
    addressSince: hours(-100),
  };
  const rules = {
    autoApproveLimitUsd: '20',
    autoApproveMinAccountDays: 7,
    autoApproveMaxRisk: 20,
    newAddressDelayHours: 6,
    fourEyesUsd: units('5000'),
  };
  test.each<[string, Partial<InitialFacts>, Partial<typeof rules>, object]>([
    ['approves automatically by default', {}, {}, { status: 'APPROVED' }],
    [
      'requires approval above the limit',
      { usdAmount: units('20.01') },
      {},
      { status: 'WAITING_FOR_APPROVAL' },
    ],
    [
      'approves at the limit, including the withdrawals of the last day',
      { dayUsd: units('10') },
      {},
      { status: 'APPROVED' },
    ],
    [
      'requires approval when the total of the day exceeds the limit',
      { dayUsd: units('10.01') },
      {},
      { status: 'WAITING_FOR_APPROVAL' },
    ],
    [
      'requires approval when the total of the day has no price',
      { dayUsd: null },
      {},
      { status: 'WAITING_FOR_APPROVAL' },
    ],
    [
      'requires approval when the total of the day needs two approvers',
      { dayUsd: units('8') },
      { fourEyesUsd: units('18') },
      { status: 'WAITING_FOR_APPROVAL' },
    ],
    [
      'requires approval without an automatic limit',
      { usdAmount: 0n },
      { autoApproveLimitUsd: '0' },
      { status: 'WAITING_FOR_APPROVAL' },
    ],
    [
      'requires approval when the amount needs two approvers',
      {},
      { fourEyesUsd: units('5') },
      { status: 'WAITING_FOR_APPROVAL' },
    ],
    [
      'requires approval for a young account',
      { accountSince: hours(-24 * 6) },
      {},
      { status: 'WAITING_FOR_APPROVAL' },
    ],
    [
      'approves for an account that is just old enough',
      { accountSince: hours(-24 * 7) },
      {},
      { status: 'APPROVED' },
    ],
    ['approves when the risk is just low enough', { risk: { score: 20 } }, {}, { status: 'APPROVED' }],
    [
      'requires approval when the risk is too high',
      { risk: { score: 21 } },
      {},
      { status: 'WAITING_FOR_APPROVAL' },
    ],
    [
      'holds for review at the maximum risk',
      { risk: { score: 100 } },
      {},
      { status: 'ON_HOLD', reason: 'RISK' },
    ],
    ['holds for review without a price', { isPriced: false }, {}, { status: 'ON_HOLD', reason: 'UNPRICED' }],
    [
      'approves without a configured delay when a concurrent request also uses the new address',
      { addressSince: hours(0.001) },
      { newAddressDelayHours: 0 },
      { status: 'APPROVED' },
    ],
    [
      'holds for the delay when the address is new',
      { addressSince: null },
      {},
      { status: 'ON_HOLD', reason: 'NEW_ADDRESS', releaseAt: hours(6) },
    ],
    [
      'holds for the remaining delay when the address is an hour old',
      { addressSince: hours(-1) },
      {},
      { status: 'ON_HOLD', reason: 'NEW_ADDRESS', releaseAt: hours(5) },
    ],
    [
      'approves for a new address without a configured delay',
      { addressSince: null },
      { newAddressDelayHours: 0 },
      { status: 'APPROVED' },
    ],
    [
      'holds for a day after a recovery code was used',
      { factorResetAt: hours(-23), addressSince: null },
      { newAddressDelayHours: 0 },
      { status: 'ON_HOLD', reason: 'SECOND_FACTOR_RESET', releaseAt: hours(1) },
    ],
    [
      'holds until the later end when both delays apply',
      { factorResetAt: hours(-23), addressSince: null },
      {},
      { status: 'ON_HOLD', reason: 'NEW_ADDRESS', releaseAt: hours(6) },
    ],
    [
      'approves a day after a recovery code was used',
      { factorResetAt: hours(-24) },
      {},
      { status: 'APPROVED' },
    ],
  ])('%s', (_, changed, ruled, start) => {
    expect(initialStatus({ ...facts, ...changed }, { ...rules, ...ruled })).toEqual(start);
  });

  test('returns no total if an amount has no price', () => {
    expect([plusUsd(1n, 2n), plusUsd(null, 2n), plusUsd(1n, null), plusUsd(null, null)]).toEqual([
      3n,
      null,
      null,
      null,
    ]);
  });

  test('adds up the withdrawals of 30 days for identity verification', () => expect(KYC_HOURS).toBe(720));

  test('requires two people at the threshold, and when there is no price', () => {
    const sums = [units('4999.99999999'), units('5000'), null];
    expect(sums.map((sum) => needsFourEyes(sum, units('5000')))).toEqual([false, true, true]);
  });
});
