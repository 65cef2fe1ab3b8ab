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
  ])('allows %s to become only %j', (from, allowed) => {
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

  test('holds exactly the amount that the withdrawal still needs on every path of statuses', () => {
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

  test('allows no transition from final statuses or from a status to itself', () => {
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
  ] as const)('%s, told %s with %i confirmations: %s', (status, told, confirmations, next) => {
    expect(nextStatus(status, { status: told, confirmations }, 20)).toBe(next);
  });

  test('looks come later each time, once an hour at last; what is over is never looked at', () => {
    expect([0, 1, 2, 30].map((checks) => checkAfterSeconds('UNKNOWN_OUTCOME', checks))).toEqual([
      5, 10, 20, 3600,
    ]);
    const first = Object.fromEntries(STATUSES.map((status) => [status, checkAfterSeconds(status, 0)]));
    expect(first).toEqual({ APPROVED: 5, PROCESSING: 60, UNKNOWN_OUTCOME: 5, SENT: 300 });
  });

  test('each attempt has a name of its own that says which withdrawal it is', () => {
    const id = '0193c5e4-7b1a-7000-8000-00000000000a';
    expect([1, 2, 17].map((attempt) => referenceOf(id, attempt))).toEqual([id, `${id}.2`, `${id}.17`]);
    for (const attempt of [1, 2, 17]) expect(idIn(referenceOf(id, attempt))).toBe(id);
    for (const text of ['', 'w-1', `${id}.`, `${id}.x`, ` ${id}`, `${id}\n`, id.toUpperCase()])
      expect(idIn(text)).toBeUndefined();
  });

  test('counters: each state stands in one', () => {
    const all = new Map(STATUSES.map((status) => [status, 1]));
    expect(statsOf(all)).toEqual({ total: 10, waitingForApproval: 2, approved: 5, rejected: 2, failed: 1 });
  });
});

describe('amounts', () => {
  const rate = 2_000_000_000_000n;
  test('the least is the larger of the network’s and the site’s, rounded up; without a price the network’s', () => {
    const terms = { minWithdraw: units('3'), rate, isPriced: true };
    expect(minimumOf({ ...terms, minUsd: units('1') })).toBe(units('3'));
    expect(minimumOf({ ...terms, minUsd: units('10') })).toBe(units('5'));
    expect(minimumOf({ ...terms, minUsd: 1n, minWithdraw: 0n })).toBe(1n);
    expect(minimumOf({ ...terms, minUsd: units('10'), isPriced: false })).toBe(units('3'));
  });

  test('memos', () => {
    for (const memo of ['0', '7', '4294967295']) expect(isMemo('xrp', memo)).toBe(true);
    for (const memo of ['', '01', '-1', '4294967296', '1e3', '7 ']) expect(isMemo('xrp', memo)).toBe(false);
    expect(isMemo('eth', 'a text')).toBe(true);
    expect(isMemo('eth', 'a\ntext')).toBe(false);
  });
});

describe('who looks', () => {
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
  ] as const)('level %i, deposits %s, before %s, amount %s: %s', (...row) => {
    const [kycLevel, deposits, recentUsd, usdAmount, tier] = row;
    expect(kycTierFor({ kycLevel, depositsUsd: units(deposits), recentUsd, usdAmount }, kyc)).toBe(tier);
  });

  test('what may be asked for before identity has to be verified: one unit more reaches the threshold', () => {
    expect(beforeIdentity({ kycLevel: 1, recentUsd: units('10') }, '50')).toBe(units('39.99999999'));
    expect(beforeIdentity({ kycLevel: 1, recentUsd: units('60') }, '50')).toBeLessThan(0n);
    expect(beforeIdentity({ kycLevel: 1, recentUsd: null }, '50')).toBeLessThan(0n);
    expect(beforeIdentity({ kycLevel: 2, recentUsd: null }, '50')).toBeNull();
  });

  test('risk: points add up, and say for what', () => {
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
    ['nothing speaks against it', {}, {}, { status: 'APPROVED' }],
    ['too much', { usdAmount: units('20.01') }, {}, { status: 'WAITING_FOR_APPROVAL' }],
    ['up to the limit, with what left within a day', { dayUsd: units('10') }, {}, { status: 'APPROVED' }],
    ['too much in a day', { dayUsd: units('10.01') }, {}, { status: 'WAITING_FOR_APPROVAL' }],
    ['a day without a price', { dayUsd: null }, {}, { status: 'WAITING_FOR_APPROVAL' }],
    [
      'a daily total that needs two approvers',
      { dayUsd: units('8') },
      { fourEyesUsd: units('18') },
      { status: 'WAITING_FOR_APPROVAL' },
    ],
    ['no rule', { usdAmount: 0n }, { autoApproveLimitUsd: '0' }, { status: 'WAITING_FOR_APPROVAL' }],
    [
      'an amount that needs two approvers',
      {},
      { fourEyesUsd: units('5') },
      { status: 'WAITING_FOR_APPROVAL' },
    ],
    ['a young account', { accountSince: hours(-24 * 6) }, {}, { status: 'WAITING_FOR_APPROVAL' }],
    ['an account just old enough', { accountSince: hours(-24 * 7) }, {}, { status: 'APPROVED' }],
    ['risk just low enough', { risk: { score: 20 } }, {}, { status: 'APPROVED' }],
    ['some risk', { risk: { score: 21 } }, {}, { status: 'WAITING_FOR_APPROVAL' }],
    ['all risk', { risk: { score: 100 } }, {}, { status: 'ON_HOLD', reason: 'RISK' }],
    ['no price', { isPriced: false }, {}, { status: 'ON_HOLD', reason: 'UNPRICED' }],
    [
      'a new address also used by a concurrent request, with no delay configured',
      { addressSince: hours(0.001) },
      { newAddressDelayHours: 0 },
      { status: 'APPROVED' },
    ],
    [
      'a new address',
      { addressSince: null },
      {},
      { status: 'ON_HOLD', reason: 'NEW_ADDRESS', releaseAt: hours(6) },
    ],
    [
      'an address of an hour',
      { addressSince: hours(-1) },
      {},
      { status: 'ON_HOLD', reason: 'NEW_ADDRESS', releaseAt: hours(5) },
    ],
    [
      'a new address without a delay',
      { addressSince: null },
      { newAddressDelayHours: 0 },
      { status: 'APPROVED' },
    ],
    [
      'a recovery code',
      { factorResetAt: hours(-23), addressSince: null },
      { newAddressDelayHours: 0 },
      { status: 'ON_HOLD', reason: 'SECOND_FACTOR_RESET', releaseAt: hours(1) },
    ],
    [
      'both: the longer',
      { factorResetAt: hours(-23), addressSince: null },
      {},
      { status: 'ON_HOLD', reason: 'NEW_ADDRESS', releaseAt: hours(6) },
    ],
    ['a recovery code of yesterday', { factorResetAt: hours(-24) }, {}, { status: 'APPROVED' }],
  ])('%s', (_, changed, ruled, start) => {
    expect(initialStatus({ ...facts, ...changed }, { ...rules, ...ruled })).toEqual(start);
  });

  test('returns no sum if an amount has no price', () => {
    expect([plusUsd(1n, 2n), plusUsd(null, 2n), plusUsd(1n, null), plusUsd(null, null)]).toEqual([
      3n,
      null,
      null,
      null,
    ]);
  });

  test('adds up thirty days for identity verification', () => expect(KYC_HOURS).toBe(720));

  test('requires two people at the threshold and for a value without a price', () => {
    const sums = [units('4999.99999999'), units('5000'), null];
    expect(sums.map((sum) => needsFourEyes(sum, units('5000')))).toEqual([false, true, true]);
  });
});
