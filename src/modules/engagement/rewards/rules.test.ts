import { describe, expect, test } from 'vitest';
import { units } from '../../../platform/money.ts';
import { type ConfigOf, defaultsOf } from '../../base/site-config/schemas.ts';
import { termsOf, type Version } from './rules.ts';

const COMMON = defaultsOf('COMMON') as ConfigOf<'COMMON'>;
const AFFILIATES = defaultsOf('AFFILIATES') as ConfigOf<'AFFILIATES'>;
const from = <T>(since: string | null, config: T): Version<T> => ({
  since: since === null ? null : new Date(since),
  config,
});
const always = [from(null, COMMON)];
const affiliates = [from(null, AFFILIATES)];
const withInstant = (instantBp: number) => ({ ...COMMON, rakeback: { ...COMMON.rakeback, instantBp } });

describe('termsOf', () => {
  test('returns the rates of the settings in the order of the levels', () => {
    expect(termsOf(always, affiliates)).toEqual([
      {
        since: null,
        vipThresholds: ['0', '10000', '50000', '100000', '250000', '500000', '1000000', '5000000'].map(
          (usd) => units(usd),
        ),
        vipRewards: ['0', '10', '40', '50', '150', '250', '500', '4000'].map((usd) => units(usd)),
        rakebackBp: {
          instant: [500, 550, 600, 650, 750, 875, 1000, 1250],
          daily: [200, 220, 240, 260, 300, 350, 400, 500],
          weekly: [200, 220, 240, 260, 300, 350, 400, 500],
          monthly: [100, 110, 120, 130, 150, 175, 200, 250],
        },
        affiliateThresholds: ['0', '50000', '250000', '1000000'].map((usd) => units(usd)),
        commissions: [500, 750, 1000, 1500],
        divisor: 100,
      },
    ]);
  });

  test('returns the four rakeback rates separately', () => {
    const rates = { instantBp: 1, dailyBp: 2, weeklyBp: 3, monthlyBp: 4, expiryDays: null };
    const [terms] = termsOf([from(null, { ...COMMON, rakeback: rates })], affiliates);
    expect(Object.values(terms!.rakebackBp).map(([lowest]) => lowest)).toEqual([1, 2, 3, 4]);
  });

  test('returns new terms when either settings section changes, but not when a field unrelated to rewards changes', () => {
    const terms = termsOf(
      [
        from(null, COMMON),
        from('2026-01-01T00:00:00Z', { ...COMMON, maintenanceMessage: 'soon' }),
        from('2026-01-03T00:00:00Z', withInstant(600)),
        from('2026-01-04T00:00:00Z', withInstant(500)),
      ],
      [from(null, AFFILIATES), from('2026-01-02T00:00:00Z', { ...AFFILIATES, divisor: 2.5 })],
    );
    expect(
      terms.map(({ since, divisor, rakebackBp }) => [
        since?.toISOString() ?? null,
        divisor,
        rakebackBp.instant[0],
      ]),
    ).toEqual([
      [null, 100, 500],
      ['2026-01-02T00:00:00.000Z', 250, 500],
      ['2026-01-03T00:00:00.000Z', 250, 600],
      ['2026-01-04T00:00:00.000Z', 250, 500],
    ]);
  });

  test('returns one set of terms when both settings sections change at the same time', () => {
    const at = '2026-01-02T00:00:00Z';
    const terms = termsOf(
      [from(null, COMMON), from(at, withInstant(1))],
      [from(null, AFFILIATES), from(at, { ...AFFILIATES, divisor: 7 })],
    );
    expect(terms.map(({ divisor, rakebackBp }) => [divisor, rakebackBp.instant[0]])).toEqual([
      [100, 500],
      [700, 1],
    ]);
  });

  test('returns no commission rates while the affiliate program is disabled', () => {
    expect(termsOf(always, [from(null, { ...AFFILIATES, isEnabled: false })])[0]!.commissions).toEqual([]);
  });
});
