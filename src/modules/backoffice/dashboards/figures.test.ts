/** Every figure of the dashboards is what a plain look at all bets and payments comes to. */
import { beforeAll, expect, test } from 'vitest';
import { type Player, startApp } from '../../../../test/kit/app.ts';
import { expectFigures } from '../../../../test/kit/dashboard-figures.ts';
import { FEES_ENV, makeMonths } from '../../../../test/kit/dashboard-world.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { packDays } from './packed/pack.ts';

// Bets of the kit have no money.
const app = fixture(() => startApp({ env: FEES_ENV, reconcileOnStop: false }));
let staff: Player;
beforeAll(async () => {
  staff = await app.as({ permissions: ['dashboard.read'] });
  await makeMonths(app, { users: 12, bets: 160, payments: 30, seed: 11 });
});

const packed = async () => (await app.db.selectFrom('packed_days').select('day').execute()).length;

test('N10 bets with bonus money, rollbacks and corrections, payments, rewards, staff, test users and bots: before days are packed and after', async () => {
  const before = await packed();
  await expectFigures(app, staff);
  await packDays(app.db);
  expect(await packed()).toBeGreaterThan(before);
  await expectFigures(app, staff, { isBrief: true });
});
