/**
 * Compares every dashboard figure with a simple calculation over all bets and payments, with more data and other random seeds than
 * figures.test.ts.
 */
import { expect, test } from 'vitest';
import { startApp } from '../../../../test/kit/app.ts';
import { expectFigures } from '../../../../test/kit/backoffice/dashboard-figures.ts';
import { FEES_ENV, makeMonths } from '../../../../test/kit/backoffice/dashboard-world.ts';

test.each([{ seed: 3 }, { seed: 4 }])(
  'returns the same dashboard figures as a simple calculation for seed $seed',
  async ({ seed }) => {
    // Reconciliation is off, because the bets in this test have no postings.
    const app = await startApp({ env: FEES_ENV, reconcileOnStop: false });
    try {
      const staff = await app.as({ permissions: ['dashboard.read'] });
      await makeMonths(app, { users: 30, bets: 700, payments: 120, seed });
      await expectFigures(app, staff);
      expect(await app.db.selectFrom('packed_days').selectAll().execute()).not.toEqual([]);
    } finally {
      await app.stop();
    }
  },
  180_000,
);
