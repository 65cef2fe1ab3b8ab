import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { units } from '../../../platform/money.ts';
import { periodStart } from '../../../platform/periods.ts';
import {
  CLOSED_BY_EXCLUSION,
  type GatedAction,
  type GateFacts,
  HIGHEST_LIMIT,
  LIMIT_PERIODS,
  type Limits,
  noPlay,
  type Play,
  type Restrictions,
  recordUsage,
  refusalOf,
  refusalsOf,
  reverseUsage,
  rollPeriods,
  shownLimit,
  usedOf,
} from './rules.ts';

const AT = new Date('2026-11-21T12:00:00.000Z');
const later = (ms: number) => new Date(AT.getTime() + ms);
const restricted = (more: Partial<Restrictions> = {}): Restrictions => ({
  userId: 7,
  excludedUntil: null,
  playFrom: null,
  limits: {},
  play: null,
  ...more,
});
const NOTHING = { DAY: 0n, WEEK: 0n, MONTH: 0n };
const FREE: GateFacts = {
  at: AT,
  isBanned: false,
  isGeoBlocked: false,
  isPlayOpen: true,
  isDepositOpen: true,
  isWithdrawOpen: true,
  minBetIntervalMs: 0,
  keepsBetTimes: false,
  stakeUsd: units('1'),
  depositedUsd: NOTHING,
  depositKycTier: null,
  withdrawal: { block: null, kycTier: null, wagerRemainingUsd: 0n, keptWagerUsd: 0n, openGrant: null },
};
const limited = (limits: Limits, play: Play | null = noPlay(AT)) => ({
  restrictions: restricted({ limits, play }),
});

const EXCLUDED = restricted({ excludedUntil: later(1), playFrom: later(1) });
const EXCLUDED_FROM = Object.fromEntries(
  ['bet', 'deposit', 'bonus', 'claim', 'transfer', 'chat'].map((action) => [action, 'SELF_EXCLUDED']),
);
/** Facts, each on its own, with the actions that it blocks and the resulting errors. All other actions are allowed. */
const FACTS: Record<string, [facts: Partial<GateFacts>, refusals: Partial<Record<GatedAction, string>>]> = {
  nothing: [{}, {}],
  banned: [
    { isBanned: true },
    Object.fromEntries(
      ['vault', 'bet', 'deposit', 'bonus', 'claim', 'transfer', 'chat', 'withdraw'].map((a) => [
        a,
        'USER_BANNED',
      ]),
    ),
  ],
  excluded: [{ restrictions: EXCLUDED }, EXCLUDED_FROM],
  'an exclusion without a time for play': [
    { restrictions: restricted({ excludedUntil: later(1) }) },
    EXCLUDED_FROM,
  ],
  'an exclusion that is longer than the time for play': [
    { restrictions: restricted({ excludedUntil: later(1), playFrom: later(-1) }) },
    EXCLUDED_FROM,
  ],
  'the pause after an exclusion': [
    { restrictions: restricted({ excludedUntil: AT, playFrom: later(1) }) },
    { bet: 'SELF_EXCLUDED' },
  ],
  'an exclusion that is over': [{ restrictions: restricted({ excludedUntil: AT, playFrom: AT }) }, {}],
  'a blocked country': [
    { isGeoBlocked: true },
    Object.fromEntries(['bet', 'deposit', 'bonus', 'transfer', 'chat'].map((a) => [a, 'AUTH_GEO_BLOCKED'])),
  ],
  'play stopped': [{ isPlayOpen: false }, { bet: 'PLAY_STOPPED' }],
  'deposits stopped': [{ isDepositOpen: false }, { deposit: 'DEPOSIT_DISABLED' }],
  'withdrawals stopped': [{ isWithdrawOpen: false }, { withdraw: 'WITHDRAW_DISABLED' }],
  'a WAGER limit reached': [limited({ WAGER: { DAY: units('0.99') } }), { bet: 'LIMIT_REACHED' }],
  'a WAGER limit just kept': [limited({ WAGER: { DAY: units('1') } }), {}],
  'a LOSS limit reached': [limited({ LOSS: { WEEK: units('0.99') } }), { bet: 'LIMIT_REACHED' }],
  'a LOSS limit just kept': [limited({ LOSS: { WEEK: units('1') } }), {}],
  'a SESSION limit reached': [
    limited({ SESSION: { MONTH: 1n } }, played('MONTH', { playedMs: 60_000 })),
    { bet: 'LIMIT_REACHED' },
  ],
  'a SESSION limit just kept': [
    limited({ SESSION: { MONTH: 1n } }, played('MONTH', { playedMs: 59_999 })),
    {},
  ],
  'a DEPOSIT limit reached': [
    { ...limited({ DEPOSIT: { DAY: 5n } }), depositedUsd: { ...NOTHING, DAY: 5n } },
    { deposit: 'LIMIT_REACHED' },
  ],
  'a DEPOSIT limit just kept': [
    { ...limited({ DEPOSIT: { DAY: 5n } }), depositedUsd: { ...NOTHING, DAY: 4n } },
    {},
  ],
  'a deposit that needs a tier': [{ depositKycTier: 'TIER_2' }, { deposit: 'KYC_REQUIRED' }],
  'a withdrawal block': [
    { withdrawal: { ...FREE.withdrawal!, block: { reasonPublic: null, blockUntil: null } } },
    { withdraw: 'WITHDRAWAL_BLOCKED' },
  ],
  'a withdrawal that needs a tier': [
    { withdrawal: { ...FREE.withdrawal!, kycTier: 'TIER_1' } },
    { withdraw: 'KYC_REQUIRED' },
  ],
  'rollover open': [
    { withdrawal: { ...FREE.withdrawal!, wagerRemainingUsd: 1n } },
    { withdraw: 'ROLLOVER_OPEN' },
  ],
  'a bonus active': [
    {
      withdrawal: {
        ...FREE.withdrawal!,
        openGrant: { grantId: '7', wagerRemaining: '1', currencyId: 'USDT' },
      },
    },
    { withdraw: 'ROLLOVER_OPEN' },
  ],
};
const ACTIONS: GatedAction[] = [
  ...([
    'none',
    'finish',
    'staff',
    'vault',
    'bet',
    'launch',
    'deposit',
    'bonus',
    'claim',
    'transfer',
    'chat',
    'withdraw',
  ] as const),
];

function played(period: 'DAY' | 'WEEK' | 'MONTH', more: Partial<Play['DAY']>): Play {
  const play = noPlay(AT);
  return { ...play, [period]: { ...play[period], ...more } };
}

describe('the gate, for each action and each fact', () => {
  const cases = Object.entries(FACTS).flatMap(([fact, [facts, due]]) =>
    // The conditions for starting a game are the same for real money and play money.
    ACTIONS.map((action) => [action, fact, facts, due[action === 'launch' ? 'bet' : action]] as const),
  );
  test.each(cases)('%s, %s', (action, _, facts, due) => {
    const asked = { ...FREE, ...facts };
    expect(refusalOf(action, asked)?.code).toBe(due);
    expect(refusalsOf(action, asked).map(({ code }) => code)).toEqual(due ? [due] : []);
  });

  test('returns errors in the order ban, exclusion, country, disabled feature, limit', () => {
    const all: Partial<GateFacts> = Object.assign({}, ...Object.values(FACTS).map(([facts]) => facts));
    const worst: GateFacts = {
      ...FREE,
      ...all,
      restrictions: restricted({
        excludedUntil: later(5),
        playFrom: later(9),
        play: noPlay(AT),
        limits: { WAGER: { DAY: 0n }, DEPOSIT: { DAY: 0n } },
      }),
      withdrawal: {
        block: { reasonPublic: 'x', blockUntil: null },
        kycTier: 'T',
        wagerRemainingUsd: 1n,
        keptWagerUsd: 0n,
        openGrant: null,
      },
    };
    const codes = (action: GatedAction) => refusalsOf(action, worst).map(({ code }) => code);
    const protection = ['USER_BANNED', 'SELF_EXCLUDED', 'AUTH_GEO_BLOCKED'];
    expect(codes('bet')).toEqual([...protection, 'PLAY_STOPPED', 'LIMIT_REACHED']);
    expect(codes('deposit')).toEqual([...protection, 'DEPOSIT_DISABLED', 'LIMIT_REACHED', 'KYC_REQUIRED']);
    expect(codes('bonus')).toEqual(protection);
    expect(codes('transfer')).toEqual(protection);
    expect(codes('chat')).toEqual(protection);
    // Players can claim their earnings in every country.
    expect(codes('claim')).toEqual(['USER_BANNED', 'SELF_EXCLUDED']);
    const ofWithdrawals = ['USER_BANNED', 'WITHDRAW_DISABLED', 'WITHDRAWAL_BLOCKED', 'KYC_REQUIRED'];
    // A self-excluded player cannot wager, so open turnover does not block their withdrawal. During a time-out, which ends automatically,
    // it does.
    expect(codes('withdraw')).toEqual(ofWithdrawals);
    worst.restrictions = { ...worst.restrictions!, playFrom: null };
    expect(codes('withdraw')).toEqual([...ofWithdrawals, 'ROLLOVER_OPEN']);
    worst.restrictions = { ...worst.restrictions, playFrom: later(9) };
    expect(codes('vault')).toEqual(['USER_BANNED']);
    for (const action of ['none', 'finish', 'staff'] as const) expect(codes(action)).toEqual([]);
    const until = (action: GatedAction) => refusalsOf(action, worst)[1]!.details;
    expect(until('bet')).toEqual({ until: later(9).toISOString() });
    expect(until('deposit')).toEqual({ until: later(5).toISOString() });
  });

  test('names the unmet requirement in the details of each withdrawal or deposit error', () => {
    const withdrawal = { ...FREE.withdrawal! };
    const openGrant = { grantId: '7', wagerRemaining: '12.5', currencyId: 'USDT' };
    const block = { reasonPublic: 'Chargeback', blockUntil: '2026-12-01T00:00:00.000Z' };
    const details = (facts: Partial<GateFacts['withdrawal'] & object>) =>
      refusalOf('withdraw', { ...FREE, withdrawal: { ...withdrawal, ...facts } })?.details;
    expect(details({ block })).toEqual(block);
    expect(details({ kycTier: 'TIER_1' })).toEqual({ tier: 'TIER_1' });
    expect(details({ wagerRemainingUsd: units('1.5') })).toEqual({ wagerRemainingUsd: '1.5' });
    expect(details({ openGrant })).toEqual(openGrant);
    expect(refusalOf('deposit', { ...FREE, depositKycTier: 'TIER_2' })?.details).toEqual({ tier: 'TIER_2' });
  });

  test('allows a withdrawal when the facts contain nothing about withdrawals', () => {
    const { withdrawal: _, ...facts } = FREE;
    expect(refusalsOf('withdraw', facts)).toEqual([]);
  });

  // Play may start immediately after a time-out, but only some time after the end of an exclusion.
  test.each([
    ['an exclusion in force, play a moment later', later(5), later(6), undefined],
    ['a time-out', later(5), later(5), 'ROLLOVER_OPEN'],
    ['an exclusion that ends now', AT, later(6), 'ROLLOVER_OPEN'],
    ['an exclusion that is over', later(-5), later(6), 'ROLLOVER_OPEN'],
    ['an exclusion longer than the time for play', later(5), later(4), 'ROLLOVER_OPEN'],
    ['only a time for play', null, later(6), 'ROLLOVER_OPEN'],
    ['only an exclusion', later(5), null, 'ROLLOVER_OPEN'],
    ['neither', null, null, 'ROLLOVER_OPEN'],
  ])('checks a withdrawal with an open wagering requirement and %s', (_, excludedUntil, playFrom, code) => {
    const facts = {
      restrictions: restricted({ excludedUntil, playFrom }),
      withdrawal: { ...FREE.withdrawal!, wagerRemainingUsd: 1n },
    };
    expect(refusalOf('withdraw', { ...FREE, ...facts })?.code).toBe(code);
  });

  test('requires a self-excluded player to complete only turnover that does not come from a deposit', () => {
    const restrictions = restricted({ excludedUntil: later(5), playFrom: later(6) });
    const withdrawal = { ...FREE.withdrawal!, wagerRemainingUsd: units('3'), keptWagerUsd: units('2') };
    const refusal = (facts: Partial<GateFacts>) => refusalOf('withdraw', { ...FREE, withdrawal, ...facts });
    expect(refusal({ restrictions })?.details).toEqual({ wagerRemainingUsd: '2' });
    expect(refusal({})?.details).toEqual({ wagerRemainingUsd: '3' });
  });

  test('blocks only deposits, play, bonuses, claims, transfers and chat during an exclusion', () => {
    expect([...CLOSED_BY_EXCLUSION].sort()).toEqual([
      'bet',
      'bonus',
      'chat',
      'claim',
      'deposit',
      'launch',
      'transfer',
    ]);
  });

  test('throws if a limit cannot be checked because the play or deposit figures are missing', () => {
    for (const limits of [{ WAGER: { DAY: 9n } }, { LOSS: { DAY: 9n } }, { SESSION: { DAY: 9n } }])
      expect(() => refusalOf('bet', { ...FREE, ...limited(limits, null) })).toThrow(/not known/);
    expect(refusalOf('bet', { ...FREE, ...limited({ DEPOSIT: { DAY: 0n } }, null) })).toBeUndefined();
    const { depositedUsd: _, ...unknown } = FREE;
    const deposit = (limits: Limits) => refusalOf('deposit', { ...unknown, ...limited(limits) });
    expect(() => deposit({ DEPOSIT: { DAY: 9n } })).toThrow(/not known/);
    expect(deposit({ WAGER: { DAY: 0n } })).toBeUndefined();
  });
});

describe('limits', () => {
  const refusal = (limits: Limits, play: Play, stake: string, at = AT) =>
    refusalOf('bet', { ...FREE, ...limited(limits, play), stakeUsd: units(stake), at })?.details;
  const staked = (stake: string, paid = '0', at = AT) =>
    recordUsage(noPlay(at), { at, staked: units(stake), paid: units(paid) });

  test('blocks stakes and deposits at a limit of 0, even for players who have won', () => {
    const facts = { type: 'LOSS', period: 'DAY', limit: '0', used: '0' };
    expect(refusal({ LOSS: { DAY: 0n } }, staked('1', '50'), '0.01')).toMatchObject(facts);
    expect(refusal({ WAGER: { DAY: 0n } }, noPlay(AT), '0.01')).toMatchObject({ type: 'WAGER' });
    const deposit = refusalOf('deposit', { ...FREE, ...limited({ DEPOSIT: { MONTH: 0n } }) });
    expect(deposit?.details).toMatchObject({ type: 'DEPOSIT', period: 'MONTH' });
  });

  test('computes the loss as stakes minus payouts, and assumes that the new stake is lost', () => {
    const limits = { LOSS: { DAY: units('10') } };
    expect(refusal(limits, staked('12', '5'), '3')).toBeUndefined();
    expect(refusal(limits, staked('12', '5'), '3.00000001')).toEqual({
      type: 'LOSS',
      period: 'DAY',
      limit: '10',
      used: '7',
      periodEndsAt: '2026-11-22T00:00:00.000Z',
    });
    // Players may stake their winnings again.
    expect(refusal(limits, staked('1', '21'), '30')).toBeUndefined();
    expect(refusal(limits, staked('1', '21'), '30.01')).toMatchObject({ used: '0' });
  });

  test("ends a limit's period with the current day, week or month", () => {
    const ends = LIMIT_PERIODS.map((p) => refusal({ WAGER: { [p]: 1n } }, noPlay(AT), '1')!.periodEndsAt);
    // The current day is a Saturday.
    expect(ends).toEqual(['2026-11-22', '2026-11-23', '2026-12-01'].map((day) => `${day}T00:00:00.000Z`));
  });

  test('counts play time until the moment of the check, without breaks', () => {
    const limits = { SESSION: { DAY: 5n } };
    const play = { ...played('DAY', { playedMs: 240_000 }), lastAt: AT };
    expect(refusal(limits, play, '1', later(59_999))).toBeUndefined();
    expect(refusal(limits, play, '1', later(60_000))).toEqual({
      type: 'SESSION',
      period: 'DAY',
      limit: '5',
      used: '5',
      periodEndsAt: '2026-11-22T00:00:00.000Z',
    });
    expect(refusal(limits, play, '1', later(600_000))).toMatchObject({ used: '14' });
    expect(refusal(limits, play, '1', later(600_001))).toBeUndefined();
  });

  test('shows limits in dollars, or in minutes for SESSION, up to one billion', () => {
    expect(shownLimit('WAGER', units('12.5'))).toBe('12.5');
    expect(shownLimit('DEPOSIT', HIGHEST_LIMIT)).toBe('1000000000');
    expect(shownLimit('SESSION', 90n)).toBe('90');
  });

  test('measures the play time of a thousand bets, each up to a second apart, to the millisecond', () => {
    for (const gap of [1, 3, 333, 400, 499, 1000]) {
      let play = noPlay(AT);
      for (let i = 0; i <= 1000; i++) play = recordUsage(play, { at: later(i * gap), staked: 1n, paid: 0n });
      expect(play.DAY.playedMs, `${gap} ms`).toBe(1000 * gap);
    }
  });
});

describe('recordUsage and rollPeriods compared with a model that stores every event', () => {
  type Event = { at: Date; staked: bigint; paid: bigint };
  const BREAK_MS = 600_000;
  /**
   * Computes the result directly from the definition: the sums of the events of the period, and the time between consecutive events unless
   * it is a break.
   */
  const model = (events: readonly Event[], at: Date): Omit<Play, 'lastAt'> => {
    const on = (period: (typeof LIMIT_PERIODS)[number]) => {
      const start = periodStart(period, at);
      const inside = events.filter((e) => e.at >= start);
      const times = [...events.map((e) => e.at.getTime()), at.getTime()];
      const playedMs = times.slice(1).reduce((sum, to, i) => {
        const from = times[i]!;
        return to - from > BREAK_MS ? sum : sum + Math.max(0, to - Math.max(from, start.getTime()));
      }, 0);
      const total = (key: 'staked' | 'paid') => inside.reduce((all, e) => all + e[key], 0n);
      return { start, staked: total('staked'), paid: total('paid'), playedMs };
    };
    return { DAY: on('DAY'), WEEK: on('WEEK'), MONTH: on('MONTH') };
  };
  // Gaps of a few moments, of about the length of a break, and of hours, days and weeks. Together they cross every boundary in every
  // possible way.
  const gap = fc.oneof(
    fc.integer({ min: 0, max: 2000 }),
    fc.integer({ min: BREAK_MS - 2, max: BREAK_MS + 2 }),
    fc.integer({ min: 0, max: 86_400_000 }),
    fc.integer({ min: 0, max: 40 * 86_400_000 }),
  );
  const event = fc.record({ gap, staked: fc.bigInt(0n, 10n ** 12n), paid: fc.bigInt(0n, 10n ** 12n) });
  const start = fc
    .constantFrom(
      '2026-11-30T23:59:58Z',
      '2026-11-29T23:55:00Z',
      '2028-02-28T23:50:00Z',
      '2026-12-31T23:59:59Z',
    )
    .map((text) => new Date(text));

  test('matches the model in each period at every step of 2,000 random histories', () => {
    const history = fc.array(event, { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(start, history, gap, (from, steps, rest) => {
        let now = from.getTime();
        let play = noPlay(from);
        const events: Event[] = [];
        for (const { gap: step, staked, paid } of steps) {
          now += step;
          const e = { at: new Date(now), staked, paid };
          events.push(e);
          play = recordUsage(play, e);
          expect(play).toEqual({ ...model(events, e.at), lastAt: e.at });
        }
        const at = new Date(now + rest);
        expect(rollPeriods(play, at)).toEqual({ ...model(events, at), lastAt: play.lastAt });
        for (const period of LIMIT_PERIODS) {
          const { staked, paid, playedMs } = model(events, at)[period];
          const lost = staked > paid ? staked - paid : 0n;
          expect(usedOf('WAGER', period, play, at)).toBe(staked);
          expect(usedOf('LOSS', period, play, at)).toBe(lost);
          expect(usedOf('SESSION', period, play, at)).toBe(BigInt(Math.floor(playedMs / 60_000)));
        }
      }),
      { seed: 39, numRuns: 2000 },
    );
  });

  test('loses no stake and counts no time twice when transactions acquire the lock out of order', () => {
    const jitter = fc.array(fc.record({ at: fc.integer({ min: 0, max: 5000 }), staked: fc.bigInt(1n, 9n) }), {
      minLength: 1,
      maxLength: 20,
    });
    fc.assert(
      fc.property(jitter, (events) => {
        const midnight = Date.parse('2026-11-30T23:59:57.500Z');
        const first = new Date(midnight);
        const play = events.reduce(
          (sum, { at, staked }) => recordUsage(sum, { at: new Date(midnight + at), staked, paid: 0n }),
          noPlay(first),
        );
        const times = events.map(({ at }) => at);
        // All events are on one of two days. The result must be at least the sum of the stakes on the last day.
        const ordered = [...events].sort((a, b) => a.at - b.at);
        const inOrder = ordered.reduce(
          (sum, { at, staked }) => recordUsage(sum, { at: new Date(midnight + at), staked, paid: 0n }),
          noPlay(first),
        );
        expect(play.lastAt).toEqual(new Date(midnight + Math.max(...times)));
        expect(play.DAY.start).toEqual(inOrder.DAY.start);
        expect(play.DAY.staked).toBeGreaterThanOrEqual(inOrder.DAY.staked);
        expect(play.DAY.playedMs).toBeLessThanOrEqual(inOrder.DAY.playedMs);
      }),
      { seed: 40 },
    );
  });
});

describe('a stake that is returned', () => {
  const at = (text: string) => new Date(`2026-03-${text}Z`);
  const played = (play: Play) => [play.DAY.staked, play.WEEK.staked, play.MONTH.staked];

  test('removes a returned stake from every period in which it was placed', () => {
    const play = recordUsage(noPlay(at('18T10:00:00')), { at: at('18T10:00:00'), staked: 10n, paid: 0n });
    expect(played(reverseUsage(play, { madeAt: at('18T10:00:00'), staked: 10n }))).toEqual([0n, 0n, 0n]);
  });

  test('removes a stake returned after midnight from the week and the month but not from the new day', () => {
    const before = recordUsage(noPlay(at('18T23:59:00')), { at: at('18T23:59:00'), staked: 1000n, paid: 0n });
    const after = recordUsage(before, { at: at('19T00:01:00'), staked: 5n, paid: 0n });
    expect(played(reverseUsage(after, { madeAt: at('18T23:59:00'), staked: 1000n }))).toEqual([5n, 5n, 5n]);
  });

  test('adds nothing to the new day when a stake is returned before the first bet of that day', () => {
    const before = recordUsage(noPlay(at('18T23:59:00')), { at: at('18T23:59:00'), staked: 1000n, paid: 0n });
    const given = reverseUsage(before, { madeAt: at('18T23:59:00'), staked: 1000n });
    expect(played(rollPeriods(given, at('19T00:01:00')))).toEqual([0n, 0n, 0n]);
  });

  test('removes a returned stake from a period when it was placed at the very start of that period', () => {
    const midnight = at('18T00:00:00');
    const play = recordUsage(noPlay(midnight), { at: midnight, staked: 10n, paid: 0n });
    expect(played(reverseUsage(play, { madeAt: midnight, staked: 10n }))).toEqual([0n, 0n, 0n]);
  });

  test.each([
    ['in the same period', '18T00:00:00', [0n, 0n, 0n]],
    ['the day before', '17T23:59:59', [7n, 0n, 0n]],
    ['the month before', '01T00:00:00', [7n, 7n, 0n]],
  ])(
    'removes the payout of a returned stake from the periods in which it was recorded: %s',
    (_, settledAt, expected) => {
      const madeAt = at('01T00:00:00');
      const play = recordUsage(noPlay(at('18T10:00:00')), { at: at('18T10:00:00'), staked: 0n, paid: 7n });
      const { DAY, WEEK, MONTH } = reverseUsage(play, {
        madeAt,
        staked: 0n,
        settled: { at: at(settledAt), paid: 7n },
      });
      expect([DAY.paid, WEEK.paid, MONTH.paid]).toEqual(expected);
    },
  );
});
