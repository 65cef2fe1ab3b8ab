import { expect, test } from 'vitest';
import { type Player, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { reconcile } from '../../../app/commands/reconcile.ts';
import { transaction } from '../../../platform/database/db.ts';
import { units } from '../../../platform/money.ts';
import { type CashGrant, VIP_REWARD } from './cash.ts';

const app = fixture(startApp);

const grantTo = ({ id }: Player, sourceKey: string): CashGrant => ({
  userId: id,
  currencyId: 'USDT',
  amount: units('10'),
  usdAmount: units('9.99'),
  terms: VIP_REWARD,
  source: 'VIP',
  sourceKey,
});
const pay = (grant: CashGrant) => transaction(app.db, (tx) => app.services.cashGrants.pay(tx, grant));

test('pays a cash grant once per source, adds it to the hourly total and requires wagering', async () => {
  const player = await app.newPlayer();
  const first = await pay(grantTo(player, `test:${player.id}:1`));
  expect(first).toBeTypeOf('bigint');
  expect(await pay(grantTo(player, `test:${player.id}:1`))).toBeUndefined();
  const second = await pay(grantTo(player, `test:${player.id}:2`));
  const { body } = await player.call('GET', '/accounting/balances');
  expect(body).toMatchObject([{ currencyId: 'USDT', amount: '20' }]);
  const grants = await app.db
    .selectFrom('promo_grants')
    .select(['id', 'promo_id', 'status', 'granted_amount', 'granted_usd', 'closed_at'])
    .where('user_id', '=', player.id)
    .orderBy('id')
    .execute();
  const paid = { promo_id: 1n, status: 'COMPLETED', granted_amount: units('10'), granted_usd: units('9.99') };
  expect(grants).toMatchObject([
    { id: first, ...paid },
    { id: second, ...paid },
  ]);
  const hours = await app.db.selectFrom('money_hours').selectAll().where('user_id', '=', player.id).execute();
  const sum = (of: (hour: (typeof hours)[number]) => bigint) =>
    hours.reduce((all, hour) => all + of(hour), 0n);
  expect(hours.every(({ kind, currency_id }) => kind === 'promo.grant' && currency_id === 'USDT')).toBe(true);
  expect([
    sum(({ count }) => BigInt(count)),
    sum(({ amount }) => amount),
    sum(({ usd_amount }) => usd_amount),
  ]).toEqual([2n, units('20'), units('19.98')]);
  const open = await app.services.rollover.remaining(app.db, player.id);
  expect(open).toBe(units('19.98'));
  const { body: notes } = await player.call('GET', '/notifications');
  expect(notes).toHaveLength(2);
  expect(notes[0]).toMatchObject({
    type: 'PROMO',
    payload: { code: 'promo.paid', grantId: String(second), amount: '10', currencyId: 'USDT' },
  });
});

test('pays a grant only once when 20 calls pay it concurrently', async () => {
  const player = await app.newPlayer();
  const paid = await Promise.all(Array.from({ length: 20 }, () => pay(grantTo(player, `test:${player.id}`))));
  expect(paid.filter((id) => id !== undefined)).toHaveLength(1);
  const { body } = await player.call('GET', '/accounting/balances');
  expect(body).toMatchObject([{ amount: '10' }]);
});

test('detects an hourly total that differs from the ledger during reconciliation', async () => {
  const broken = await startApp({ reconcileOnStop: false });
  try {
    const player = await broken.newPlayer();
    const grant = grantTo(player, 'vip:1');
    await transaction(broken.db, (tx) => broken.services.cashGrants.pay(tx, grant));
    await broken.db
      .updateTable('money_hours')
      .set({ amount: units('11') })
      .execute();
    const { findings } = await reconcile(broken.db, { seedSecret: broken.config.SEED_SECRET });
    expect(findings).toMatchObject([
      { invariant: 'N10', problem: 'hourly reward totals do not match the ledger' },
    ]);
  } finally {
    await broken.stop();
  }
});
