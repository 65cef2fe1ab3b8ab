/** Compares every dashboard figure with a simple calculation over all bets and payments. */
import { beforeAll, expect, test } from 'vitest';
import { type Player, startApp } from '../../../../test/kit/app.ts';
import { expectFigures } from '../../../../test/kit/backoffice/dashboard-figures.ts';
import { FEES_ENV, factsOf, makeMonths } from '../../../../test/kit/backoffice/dashboard-world.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { metricValue } from '../../../../test/kit/metrics.ts';
import { createMetrics } from '../../../platform/observability/metrics.ts';
import { watchBusiness } from './business-figures.ts';
import { packDays } from './packed/queries.ts';

// Reconciliation is off, because the bets in this test have no postings.
const app = fixture(() => startApp({ env: FEES_ENV, reconcileOnStop: false }));
let staff: Player;
beforeAll(async () => {
  staff = await app.as({ permissions: ['dashboard.read'] });
  await makeMonths(app, { users: 12, bets: 160, payments: 30, seed: 11 });
});

const packed = async () => (await app.db.selectFrom('packed_days').select('day').execute()).length;

test('returns the same figures as a simple model of play, payments and rewards, before and after days are packed', async () => {
  const before = await packed();
  await expectFigures(app, staff);
  await packDays(app.db);
  expect(await packed()).toBeGreaterThan(before);
  await expectFigures(app, staff, { isBrief: true });
});

test('exports deposits, withdrawals, stakes, revenue and sign-ups of real players as metrics', async () => {
  const { users, games, bets, deposits, failedDeposits, withdrawals } = await factsOf(app);
  const real = new Set(users.filter(({ counts }) => counts).map(({ id }) => id));
  const isReal = ({ userId }: { userId: number }) => real.has(userId);
  const dollars = (amounts: readonly bigint[]) => Number(amounts.reduce((sum, one) => sum + one, 0n)) / 1e8;
  const metrics = createMetrics('test');
  watchBusiness(app.db, metrics);
  const text = await metrics.registry.metrics();
  const credited = deposits.filter(({ stands, ...one }) => stands && isReal(one));
  const paid = withdrawals.filter((one) => one.status === 'COMPLETED' && isReal(one));
  expect(credited.length * paid.length).toBeGreaterThan(0);
  const failed = withdrawals.filter((one) => one.status === 'FAILED' && isReal(one));
  const expected = {
    croupier_deposits_completed: credited.length,
    croupier_deposits_failed: failedDeposits.filter(isReal).length,
    croupier_withdrawals_completed: paid.length,
    croupier_withdrawals_failed: failed.length,
    croupier_sign_ups: real.size,
  };
  for (const [name, value] of Object.entries(expected))
    expect([name, metricValue(text, name)]).toEqual([name, value]);
  expect(metricValue(text, 'croupier_deposits_completed_usd')).toBeCloseTo(
    dollars(credited.map(({ usd }) => usd)),
    1,
  );
  expect(metricValue(text, 'croupier_withdrawals_completed_usd')).toBeCloseTo(
    dollars(paid.map(({ usd }) => usd)),
    1,
  );
  for (const provider of ['acme', 'bravo']) {
    const own = new Set(games.filter((game) => game.provider === provider).map(({ id }) => id));
    const played = bets.filter(({ gameId, counts, ...bet }) => own.has(gameId) && counts && isReal(bet));
    expect(played.length).toBeGreaterThan(0);
    const value = (name: string) => metricValue(text, name, `provider="${provider}"`);
    expect(value('croupier_bets')).toBe(played.length);
    expect(value('croupier_stakes_usd')).toBeCloseTo(dollars(played.map(({ staked }) => staked)), 1);
    expect(value('croupier_ggr_usd')).toBeCloseTo(dollars(played.map((bet) => bet.staked - bet.paid)), 1);
  }
});
