import { describe, expect, test } from 'vitest';
import { codeOf } from '../../../../../test/kit/accounts/accounts.ts';
import { startApp } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import { defaultsOf } from '../schemas.ts';
import { givesMore } from './more.ts';

const common = defaultsOf('COMMON') as any;
const affiliates = defaultsOf('AFFILIATES') as any;
const withLevel = (list: readonly object[], at: number, change: object) =>
  list.map((level, i) => (i === at ? { ...level, ...change } : level));
const vip = (change: object) => ({ vip: { ...common.vip, ...change } });
const ladder = (change: object) => vip({ ladder: withLevel(common.vip.ladder, 3, change) });
const levels = (change: object) => ({ levels: withLevel(affiliates.levels, 1, change) });

describe('a settings change', () => {
  test.each<[string, object, object]>([
    [
      'a rakeback rate',
      { rakeback: { ...common.rakeback, expiryDays: 20, dailyBp: 201 } },
      { rakeback: { ...common.rakeback, expiryDays: 20, dailyBp: 199 } },
    ],
    [
      'the expiry of rakeback',
      { rakeback: { ...common.rakeback, expiryDays: null } },
      { rakeback: { ...common.rakeback, expiryDays: 10 } },
    ],
    ['the reward of a VIP level', ladder({ rewardUsd: '50.01' }), ladder({ rewardUsd: '49' })],
    ['the boost of a VIP level', ladder({ boostPercent: 31 }), ladder({ boostPercent: 29 })],
    [
      'the wagering threshold of a VIP level',
      ladder({ wageredUsd: '99999' }),
      ladder({ wageredUsd: '100001' }),
    ],
    ['the turnover on rewards', vip({ rewardTurnoverPercent: 99 }), vip({ rewardTurnoverPercent: 101 })],
    [
      'the number of VIP levels',
      vip({
        ladder: [...common.vip.ladder, { level: 8, wageredUsd: '9000000', rewardUsd: '1', boostPercent: 0 }],
      }),
      vip({ ladder: common.vip.ladder.slice(0, -1) }),
    ],
  ])(
    'requires two people to pay players more through %s, but only one to pay less',
    (_name, raised, lowered) => {
      const before = { ...common, rakeback: { ...common.rakeback, expiryDays: 20 } };
      expect(givesMore('COMMON', before, { ...before, ...raised })).toBe(true);
      expect(givesMore('COMMON', before, { ...before, ...lowered })).toBe(false);
    },
  );
  test.each<[string, object, object]>([
    ['the divisor', { divisor: 1.5 }, { divisor: 2.5 }],
    ['deposit commission', { depositCommissionPercent: '0.51' }, { depositCommissionPercent: '0.49' }],
    [
      'the commission of a level',
      levels({ commissionPercent: '7.51' }),
      levels({ commissionPercent: '7.49' }),
    ],
    [
      'the wagering threshold of a level',
      levels({ minWageredUsdAmount: '49999' }),
      {
        levels: withLevel(affiliates.levels, 1, { minWageredUsdAmount: '50001' }).map((level) => ({
          ...level,
          minReferralCountForClaim: 10,
        })),
      },
    ],
    [
      'a new level that requires fewer referrals',
      {
        levels: [...affiliates.levels, { ...affiliates.levels.at(-1), id: 99, minReferralCountForClaim: 0 }],
      },
      { levels: [...affiliates.levels, { ...affiliates.levels.at(-1), id: 99 }] },
    ],
    [
      'a higher wagering threshold that keeps affiliates at a level with fewer required referrals',
      levels({ minWageredUsdAmount: '50001' }),
      levels({ minReferralCountForClaim: 3 }),
    ],
    [
      'the removal of the last level, which requires more referrals',
      { levels: affiliates.levels.slice(0, -1) },
      {
        levels: [
          ...affiliates.levels,
          { ...affiliates.levels.at(-1), id: 99, minWageredUsdAmount: '9000000' },
        ],
      },
    ],
    [
      'a new level below the others',
      {
        levels: affiliates.levels.toSpliced(1, 0, {
          ...affiliates.levels[0],
          id: 1.5,
          minWageredUsdAmount: '10',
          commissionPercent: '6',
        }),
      },
      { levels: affiliates.levels.map((level: object) => ({ ...level, minReferralCountForClaim: 20 })) },
    ],
    [
      'the referrals required for a level',
      levels({ minReferralCountForClaim: 2 }),
      levels({ minReferralCountForClaim: 4 }),
    ],
  ])(
    'requires two people to pay affiliates more through %s, but only one to pay less',
    (_name, raised, lowered) => {
      const before = { ...affiliates, divisor: 2, depositCommissionPercent: '0.5' };
      expect(givesMore('AFFILIATES', before, { ...before, ...raised })).toBe(true);
      expect(givesMore('AFFILIATES', before, { ...before, ...lowered })).toBe(false);
    },
  );
  test('requires no second person for other settings', () => {
    expect(givesMore('COMMON', common, { ...common, minimumAge: 21 })).toBe(false);
    expect(
      givesMore('WITHDRAWALS', defaultsOf('WITHDRAWALS'), { ...defaultsOf('WITHDRAWALS'), minUsd: '0' }),
    ).toBe(false);
  });
});

describe('over HTTP', () => {
  const app = fixture(startApp);
  test('raises commission only after a second superadmin makes the same call, and lowers it immediately', async () => {
    const [one, other] = [await app.as('superadmin'), await app.as('superadmin')];
    const set = (by: typeof one, depositCommissionPercent: string) =>
      by.call('PATCH', '/admin/config/AFFILIATES', { body: { depositCommissionPercent } });
    const current = () => app.services.siteConfig.get('AFFILIATES').depositCommissionPercent;
    for (const by of [one, one]) expect(codeOf(await set(by, '90'))).toBe('409 APPROVAL_NEEDED');
    expect(codeOf(await set(other, '80'))).toBe('409 APPROVAL_NEEDED');
    expect(current()).toBe('0');
    expect([codeOf(await set(other, '90')), current()]).toEqual(['200', '90']);
    expect([codeOf(await set(one, '0')), current()]).toEqual(['200', '0']);
  });
});
