/** Tests counters at the maximum of their type: the next operation succeeds or is rejected with a code, but never fails with 500. */

import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { dueWithdrawals, postpone } from '../src/modules/money/payments/withdrawals/queries.ts';
import { betOnDice, startApp } from './kit/app.ts';
import { fixture } from './kit/fixture.ts';
import { giveAddress, tell, webhookOf } from './kit/money/deposits.ts';

const INT4 = 2_147_483_647;
const app = fixture(() =>
  startApp({ env: { PAYMENT_API_URL: 'http://127.0.0.1:9' }, movesFreely: true, skipsNonces: true }),
);

test('uses the last nonce of a seed pair, then rejects bets until the seeds are rotated', async () => {
  const player = await app.newPlayer({ usdt: 100 });
  await app.db
    .updateTable('players')
    .set({ nonce: INT4 - 1 })
    .where('user_id', '=', player.id)
    .execute();
  expect((await betOnDice(player)).status).toBeLessThan(300);
  const refused = await betOnDice(player);
  expect([refused.status, refused.body.code]).toEqual([409, 'SEEDS_USED_UP']);
  const mines = { currencyId: 'USDT', betAmount: '1', gridCellsCount: 25, bombsCount: 1 };
  const round = await player.call('POST', '/casino/games/house/mines/play', { body: mines });
  expect([round.status, round.body.code]).toEqual([409, 'SEEDS_USED_UP']);
  expect((await player.call('POST', '/fairness/seeds/rotate', { body: {} })).status).toBeLessThan(300);
  expect((await betOnDice(player)).status).toBeLessThan(300);
});

test('processes a webhook whose delivery counter has reached its maximum', async () => {
  const player = await app.newPlayer();
  const body = webhookOf(await giveAddress(app.db, player.id));
  expect((await tell(app, body)).status).toBe(200);
  await app.db.updateTable('webhook_events').set({ deliveries: INT4 }).execute();
  expect((await tell(app, body)).status).toBe(200);
  const { deliveries } = await app.db
    .selectFrom('webhook_events')
    .select('deliveries')
    .executeTakeFirstOrThrow();
  expect(deliveries).toBe(INT4);
});

test('postpones a payout whose check counter has reached its maximum', async () => {
  const player = await app.newPlayer();
  const { rows } = await sql<{ id: string }>`
    insert into withdrawals (id, user_id, currency_id, network_id, recipient_address, amount, fee, usd_amount, is_priced, risk_score, risk_reasons, status, status_history, check_at, checks)
    values (gen_random_uuid(), ${player.id}, 'USDT', 'tron', 'T', 100, 0, 100, true, 0, '{}', 'APPROVED', '[]', now() - interval '1 minute', 32767)
    returning id`.execute(app.db);
  const due = (await dueWithdrawals(app.db, 10)).find(({ id }) => id === rows[0]!.id)!;
  await postpone(app.db, due, 60);
  expect(await dueWithdrawals(app.db, 10)).toEqual([]);
});
