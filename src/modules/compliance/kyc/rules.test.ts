import { describe, expect, test } from 'vitest';
import {
  type ACTIONS,
  afterDecision,
  afterNotice,
  afterReport,
  ageOn,
  asOfNow,
  canResubmit,
  isApproved,
  isClosed,
  isInReview,
  levelOf,
  nothingIn,
  type ReportStatus,
  STATUSES,
  type Status,
  sameness,
  shownStatus,
  TIERS,
  type TierReport,
  type TierState,
} from './rules.ts';

const at = (seconds: number) => new Date(1_800_000_000_000 + seconds * 1000);
const NOW = at(1000);
const tier = (status: Status, fields: Partial<TierState> = {}): TierState => ({
  ...nothingIn('IDENTITY', at(0)),
  status,
  ...fields,
});
const report = (status: ReportStatus, fields: Partial<TierReport> = {}): TierReport => ({
  provider: 'sandbox',
  status,
  checks: [],
  rejectType: null,
  rejectLabels: [],
  expiresAt: null,
  moderationComment: null,
  clientComment: null,
  at: at(10),
  ...fields,
});
const statusAfter = (state: TierState, said: TierReport) => {
  const { outcome, next } = afterReport(state, said, NOW);
  return outcome === 'APPLIED' ? next.status : outcome;
};

describe('provider report', () => {
  const FROM: [Status, Partial<TierState>][] = [
    ...STATUSES.filter((s) => s !== 'REJECTED').map((s): [Status, Partial<TierState>] => [s, {}]),
    ['REJECTED', { rejectType: 'RETRY' }],
  ];

  test.each(FROM)('changes a tier with status %s and %j', (status, fields) => {
    const byStaff = status === 'MANUALLY_APPROVED';
    const from = tier(status, fields);
    expect(statusAfter(from, report('PENDING'))).toBe(byStaff ? 'STAFF_DECIDED' : 'PENDING');
    expect(statusAfter(from, report('ON_HOLD'))).toBe('ON_HOLD');
    expect(statusAfter(from, report('APPROVED'))).toBe(byStaff ? 'STAFF_DECIDED' : 'APPROVED');
    expect(statusAfter(from, report('REJECTED', { rejectType: 'RETRY' }))).toBe('RESUBMIT');
    expect(statusAfter(from, report('REJECTED', { rejectType: 'FINAL' }))).toBe('REJECTED');
    expect(statusAfter(from, report('EXPIRED'))).toBe('EXPIRED');
    expect(statusAfter(from, report('RESET'))).toBe(byStaff ? 'STAFF_DECIDED' : 'NONE');
  });

  test('ignores all reports after the tier is closed', () => {
    const closed = tier('REJECTED', { rejectType: 'FINAL' });
    for (const status of ['PENDING', 'ON_HOLD', 'APPROVED', 'REJECTED', 'EXPIRED', 'RESET'] as const)
      expect(statusAfter(closed, report(status)), status).toBe('CLOSED');
  });

  test('approves only if every check of the attempt has passed', () => {
    const check = (name: string, result: 'PASSED' | 'FAILED' | 'PENDING') => ({ name, result, detail: null });
    const pending = afterReport(
      tier('NONE'),
      report('PENDING', { checks: [check('face', 'PENDING'), check('document', 'PASSED')] }),
      NOW,
    ).next;
    const next = (checks: TierReport['checks'], from = pending) =>
      statusAfter(from, report('APPROVED', { at: at(20), checks }));
    expect(next([])).toBe('PENDING');
    expect(next([check('face', 'PASSED')])).toBe('APPROVED');
    expect(next([check('face', 'FAILED')])).toBe('PENDING');
    expect(next([check('face', 'PASSED'), check('document', 'FAILED')])).toBe('PENDING');
    expect(next([], { ...pending, status: 'ON_HOLD' })).toBe('ON_HOLD');
    // A new attempt does not take over the failed checks of the previous one.
    expect(next([check('face', 'PASSED')], { ...pending, status: 'RESUBMIT' })).toBe('APPROVED');
    expect(next([check('face', 'PENDING')], tier('APPROVED'))).toBe('PENDING');
  });

  test('applies a report with the same time and status rank as the last one, because it may contain more details', () => {
    const first = afterReport(tier('NONE'), report('PENDING'), NOW).next;
    const checks = [{ name: 'face', result: 'PASSED', detail: null } as const];
    const { outcome, next } = afterReport(first, report('PENDING', { checks }), NOW);
    expect(outcome).toBe('APPLIED');
    expect(next.checks).toEqual([{ ...checks[0], at: at(10) }]);
  });

  test('stores the labels and comments of a report and its provider', () => {
    const said = { rejectLabels: ['BLURRED'], moderationComment: 'page 2', clientComment: 'Try again' };
    const { next } = afterReport(tier('PENDING'), report('REJECTED', said), NOW);
    // A rejection without a reject type is not final.
    expect(next).toEqual({
      ...tier('RESUBMIT'),
      ...said,
      rejectType: 'RETRY',
      provider: 'sandbox',
      asOf: at(10),
      submittedAt: at(10),
      decidedAt: at(10),
    });
  });

  test('starts a new attempt unless an attempt is in review', () => {
    const submitted = (state: TierState, status: ReportStatus) =>
      afterReport(state, report(status), NOW).next.submittedAt;
    for (const status of ['PENDING', 'ON_HOLD'] as const) {
      expect(submitted(tier(status, { submittedAt: at(3) }), 'PENDING')).toEqual(at(3));
      expect(submitted(tier(status), 'ON_HOLD')).toEqual(at(10));
    }
    expect(submitted(tier('RESUBMIT', { submittedAt: at(3) }), 'PENDING')).toEqual(at(10));
    expect(submitted(tier('PENDING', { submittedAt: at(3) }), 'APPROVED')).toEqual(at(3));
    expect(submitted(tier('NONE'), 'APPROVED')).toEqual(at(10));
  });

  test('keeps the decision, checks and expiry when the provider reports that the approval has expired', () => {
    const checks = [{ name: 'face', result: 'PASSED', detail: null, at: at(2) } as const];
    const approved = tier('APPROVED', { submittedAt: at(1), decidedAt: at(2), expiresAt: at(9), checks });
    const ended = (state: TierState, expiresAt: Date | null) =>
      afterReport(state, report('EXPIRED', { expiresAt }), NOW).next;
    expect(ended(approved, at(8))).toEqual({
      ...approved,
      status: 'EXPIRED',
      asOf: at(10),
      provider: 'sandbox',
      expiresAt: at(8),
    });
    expect(ended(approved, null).expiresAt).toEqual(at(9));
    expect(ended({ ...approved, expiresAt: null }, null).expiresAt).toEqual(at(10));
    // After any status other than an expiry, the next attempt begins without checks.
    expect(afterReport(approved, report('PENDING'), NOW).next.checks).toEqual([]);
  });

  test('treats a report as late if it is older than the last accepted one, whatever the order of arrival', () => {
    const said = [
      report('PENDING', { at: at(1) }),
      report('ON_HOLD', { at: at(2) }),
      report('REJECTED', { at: at(3), rejectType: 'RETRY' }),
      report('PENDING', { at: at(4) }),
      report('APPROVED', { at: at(5) }),
    ];
    const orders = permutations(said);
    expect(orders.length).toBe(120);
    for (const order of orders) {
      const end = order.reduce((state, one) => afterReport(state, one, NOW).next, tier('NONE'));
      expect([end.status, end.asOf, end.decidedAt]).toEqual(['APPROVED', at(5), at(5)]);
    }
  });

  test('applies the decision when a decision and other reports have the same time, whatever the order of arrival', () => {
    const said = [report('PENDING'), report('REJECTED', { rejectType: 'RETRY' }), report('APPROVED')];
    for (const order of permutations(said)) {
      const end = order.reduce((state, one) => afterReport(state, one, NOW).next, tier('NONE'));
      expect(end.status).toBe('RESUBMIT');
    }
  });

  test('accepts later reports after a report from a provider whose clock is fast', () => {
    const first = afterReport(tier('NONE'), report('PENDING', { at: at(999_999) }), NOW).next;
    expect(first.asOf).toEqual(NOW);
    expect(afterReport(first, report('APPROVED', { at: at(1001) }), at(1001)).next.status).toBe('APPROVED');
  });

  test('does not approve a tier if the approval has already expired', () => {
    expect(statusAfter(tier('PENDING'), report('APPROVED', { expiresAt: NOW }))).toBe('EXPIRED');
    expect(statusAfter(tier('PENDING'), report('APPROVED', { expiresAt: at(1001) }))).toBe('APPROVED');
  });
});

describe("end of the provider's record", () => {
  const ended = (state: TierState, seconds = 10) => {
    const notice = { provider: 'sumsub', status: 'DELETED', at: at(seconds) } as const;
    return afterNotice(state, notice, NOW);
  };

  test.each(STATUSES)('puts a tier with status %s on hold if it is approved or in review', (status) => {
    const { outcome, next } = ended(tier(status));
    const isHeld = isApproved({ status }) || isInReview({ status });
    expect([outcome, next.status]).toEqual(['APPLIED', isHeld ? 'ON_HOLD' : status]);
  });

  test('tells staff the reason, and lets a later review approve again', () => {
    const { next } = ended(tier('APPROVED'));
    expect(next).toMatchObject({ moderationComment: null, clientComment: expect.stringMatching(/deleted/) });
    const passed = { name: 'review', result: 'PASSED', detail: null } as const;
    expect(statusAfter(next, report('APPROVED', { at: at(20), checks: [passed] }))).toBe('APPROVED');
  });

  test.each(STATUSES)(
    'outweighs an earlier approval of a tier with status %s, whatever the order of arrival',
    (status) => {
      const { next } = ended(tier(status));
      expect(statusAfter(next, report('APPROVED', { at: at(5) }))).toBe('STALE');
      expect(ended(tier(status, { asOf: at(20) })).outcome).toBe('STALE');
    },
  );

  test('leaves a final rejection unchanged', () => {
    const closed = tier('REJECTED', { rejectType: 'FINAL' });
    expect(ended(closed)).toEqual({ outcome: 'CLOSED', next: closed });
  });
});

describe('decision by staff', () => {
  const decide = (state: TierState, action: (typeof ACTIONS)[number], rejectType?: 'RETRY' | 'FINAL') =>
    afterDecision(state, { action, rejectType, by: 7 }, NOW);

  test.each(STATUSES)('changes a tier with status %s', (status) => {
    expect(decide(tier(status), 'APPROVE')?.status).toBe(
      status === 'MANUALLY_APPROVED' ? undefined : 'MANUALLY_APPROVED',
    );
    expect(decide(tier(status), 'REQUEST_RESUBMIT')?.status).toBe(
      status === 'RESUBMIT' ? undefined : 'RESUBMIT',
    );
    expect(decide(tier(status), 'RESET')?.status).toBe(status === 'NONE' ? undefined : 'NONE');
    expect(decide(tier(status), 'REJECT', 'FINAL')).toMatchObject({
      status: 'REJECTED',
      rejectType: 'FINAL',
    });
  });

  test('ignores a rejection that is already in effect but applies a different one', () => {
    const rejected = tier('REJECTED', { rejectType: 'RETRY' });
    expect(decide(rejected, 'REJECT', 'RETRY')).toBeUndefined();
    expect(decide(rejected, 'REJECT', 'FINAL')?.rejectType).toBe('FINAL');
    expect(decide(tier('RESUBMIT', { rejectType: 'RETRY' }), 'REJECT', 'RETRY')?.status).toBe('REJECTED');
  });

  test('replaces the previous decision and keeps the checks', () => {
    const shown = {
      submittedAt: at(1),
      provider: 'sandbox',
      checks: [{ name: 'face', result: 'PASSED', detail: null, at: at(2) }],
    } as const;
    const before = {
      decidedAt: at(2),
      expiresAt: at(9),
      rejectLabels: ['BLURRED'],
      clientComment: 'Try again',
    };
    expect(decide(tier('ON_HOLD', { ...shown, ...before }), 'APPROVE')).toEqual({
      ...tier('MANUALLY_APPROVED', shown),
      asOf: NOW,
      decidedAt: NOW,
      decidedBy: 7,
    });
  });

  test('treats provider reports from before the decision as late', () => {
    const reset = decide(tier('APPROVED', { asOf: at(5) }), 'RESET')!;
    expect(statusAfter(reset, report('APPROVED', { at: at(999) }))).toBe('STALE');
    expect(afterReport(reset, report('PENDING', { at: at(1001) }), at(1001)).next.status).toBe('PENDING');
  });

  test('does not extend the expiry of a document', () => {
    const expiresAt = at(2000);
    expect(decide(tier('APPROVED', { expiresAt }), 'APPROVE')?.expiresAt).toEqual(expiresAt);
    expect(decide(tier('EXPIRED', { expiresAt: at(1) }), 'APPROVE')?.expiresAt).toBeNull();
  });
});

test('computes the level as the number of approved tiers before the first unapproved tier', () => {
  for (let bits = 0; bits < 16; bits++) {
    const states = TIERS.map((name, i) => ({
      ...tier(bits & (1 << i) ? 'APPROVED' : 'PENDING'),
      tier: name,
    }));
    const expected = [...'0123'].findIndex((i) => !(bits & (1 << Number(i))));
    expect(levelOf(states, NOW)).toBe(expected < 0 ? 4 : expected);
  }
  const ending = { ...tier('MANUALLY_APPROVED', { expiresAt: NOW }), tier: 'BASIC' as const };
  expect([levelOf([ending], at(999)), levelOf([ending], NOW)]).toEqual([1, 0]);
  expect(isApproved(asOfNow(ending, NOW))).toBe(false);
});

test('shows players an approval by staff as an ordinary approval, and other statuses unchanged', () => {
  for (const status of STATUSES)
    expect(shownStatus(status)).toBe(status === 'MANUALLY_APPROVED' ? 'APPROVED' : status);
});

test('treats pending tiers as in review and finally rejected ones as closed', () => {
  expect(STATUSES.filter((status) => isInReview(tier(status)))).toEqual(['PENDING', 'ON_HOLD']);
  const closed = (rejectType: 'RETRY' | 'FINAL') =>
    STATUSES.filter((status) => isClosed(tier(status, { rejectType })));
  expect([closed('RETRY'), closed('FINAL')]).toEqual([[], ['REJECTED']]);
});

test('decides by the status and reject type whether a new submission is allowed', () => {
  const open = STATUSES.filter((status) => canResubmit(tier(status, { rejectType: 'RETRY' })));
  expect(open).toEqual(['REJECTED', 'RESUBMIT', 'EXPIRED']);
  expect(canResubmit(tier('REJECTED', { rejectType: 'FINAL' }))).toBe(false);
});

test.each([
  ['2008-11-21', '2026-11-20T23:59:59.999Z', 17],
  ['2008-11-21', '2026-11-21T00:00:00.000Z', 18],
  ['2008-02-29', '2026-02-28T23:59:59.999Z', 17],
  ['2008-02-29', '2026-03-01T00:00:00.000Z', 18],
  ['2008-02-29', '2028-02-29T00:00:00.000Z', 20],
  ['2008-12-31', '2026-01-01T00:00:00.000Z', 17],
  ['2030-01-01', '2026-01-01T00:00:00.000Z', -4],
])('computes for a person born on %s the age at %s: %i years', (birthDate, now, age) => {
  expect(ageOn(birthDate, new Date(now), 'GB')).toBe(age);
});

test.each([
  ['DE', '2026-11-20T22:59:59Z', 17],
  ['DE', '2026-11-20T23:00:00Z', 18],
  ['NZ', '2026-11-20T10:14:59Z', 17],
  ['NZ', '2026-11-20T11:00:00Z', 18],
  ['US', '2026-11-21T09:59:59Z', 17],
  ['US', '2026-11-21T10:00:00Z', 18],
  ['PT', '2026-11-21T00:59:59Z', 17],
  ['PT', '2026-11-21T01:00:00Z', 18],
  ['QQ', '2026-11-21T11:59:59Z', 17],
  ['QQ', '2026-11-21T12:00:00Z', 18],
  [null, '2026-11-21T11:59:59Z', 17],
  ['DE NZ', '2026-11-20T22:59:59Z', 17],
  ['DE NZ', '2026-11-20T23:00:00Z', 18],
  ['NZ US', '2026-11-21T09:59:59Z', 17],
  ['NZ ZZ', '2026-11-21T11:59:59Z', 17],
])(
  'counts a birthday in the country %s only after it has begun in its last time zone: at %s',
  (country, now, age) => {
    expect(ageOn('2008-11-21', new Date(now), country)).toBe(age);
  },
);

test('recognizes the same person in different spellings of the name', () => {
  const one = sameness({ firstName: 'Zoë Marie', lastName: "O'Hára", birthDate: '1990-01-01' });
  for (const [firstName, lastName] of [
    ['zoe', 'MARIE O HARA'],
    ['O’Hara', 'Marie-Zoe'],
    ['Zoe\u0308 Marie', 'O-Hara'],
  ] as const)
    expect(sameness({ firstName, lastName, birthDate: '1990-01-01' })).toBe(one);
  expect(one).toBe('hara marie o zoe|1990-01-01');
  expect(sameness({ firstName: '-', lastName: '42', birthDate: '1990-01-01' })).toBe('|1990-01-01');
  expect(sameness({ firstName: 'Zoe', lastName: 'Ohara', birthDate: '1990-01-01' })).not.toBe(one);
  expect(sameness({ firstName: 'Zoë Marie', lastName: "O'Hára", birthDate: '1990-01-02' })).not.toBe(one);
});

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length < 2) return [[...items]];
  return items.flatMap((item, i) =>
    permutations([...items.slice(0, i), ...items.slice(i + 1)]).map((rest) => [item, ...rest]),
  );
}
