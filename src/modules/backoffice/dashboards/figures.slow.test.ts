/** Every figure of the dashboards is what a plain look at all bets and payments comes to, for more of them and for other ones. */
import { expect, test } from 'vitest';
import { startApp } from '../../../../test/kit/app.ts';
import { expectFigures } from '../../../../test/kit/dashboard-figures.ts';
import { FEES_ENV, makeMonths } from '../../../../test/kit/dashboard-world.ts';

test.each([{ seed: 3 }, { seed: 4 }])(
  'N10 hundreds of bets and payments of seed $seed',
  async ({ seed }) => {
    // Bets of the kit have no money.
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
