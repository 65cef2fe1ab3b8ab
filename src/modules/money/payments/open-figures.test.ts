import { expect, test } from 'vitest';
import { startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { metricValue } from '../../../../test/kit/metrics.ts';
import { aStrangeDeposit } from '../../../../test/kit/money/deposit-reviews.ts';
import { cancel, waiting } from '../../../../test/kit/money/withdrawals.ts';
import { createMetrics } from '../../../platform/observability/metrics.ts';
import { watchPayments } from './module.ts';

const HOUR_MS = 3_600_000;

// The test sets statuses and ages directly, so the ledger does not match.
const app = fixture(() => startApp({ reconcileOnStop: false }));

async function read() {
  const metrics = createMetrics('test');
  watchPayments(app.db, metrics);
  const text = await metrics.registry.metrics();
  return {
    open: (state: string) => metricValue(text, 'croupier_withdrawals_open', `state="${state}"`),
    oldest: (state: string) =>
      metricValue(text, 'croupier_withdrawals_open_oldest_seconds', `state="${state}"`),
    value: (name: string) => metricValue(text, name),
  };
}

test('counts open withdrawals by state and reports the age of the oldest, with 0 for states without withdrawals', async () => {
  const [unknown, waits] = [await waiting(app), await waiting(app)];
  const created_at = new Date(Date.now() - 2 * HOUR_MS);
  await app.db
    .updateTable('withdrawals')
    .set({ status: 'UNKNOWN_OUTCOME', created_at, reference: unknown.id, provider_id: 'sandbox' })
    .where('id', '=', unknown.id)
    .execute();
  const before = await read();
  expect([before.open('UNKNOWN_OUTCOME'), before.open('WAITING_FOR_APPROVAL'), before.open('SENT')]).toEqual([
    1, 1, 0,
  ]);
  expect(before.oldest('UNKNOWN_OUTCOME')).toBeGreaterThan(7190);
  expect(before.oldest('WAITING_FOR_APPROVAL')).toBeLessThan(600);
  expect(before.oldest('SENT')).toBe(0);
  expect(before.open('COMPLETED')).toBeUndefined();
  expect((await cancel(waits.player, waits.id)).status).toBe(201);
  expect((await read()).open('WAITING_FOR_APPROVAL')).toBe(0);
});

test('counts the deposits under review and reports the age of the oldest', async () => {
  expect((await read()).value('croupier_deposits_under_review')).toBe(0);
  expect((await read()).value('croupier_deposits_under_review_oldest_seconds')).toBe(0);
  const { id } = await aStrangeDeposit(app);
  await app.db
    .updateTable('deposits')
    .set({ created_at: new Date(Date.now() - HOUR_MS) })
    .where('id', '=', id)
    .execute();
  const { value } = await read();
  expect(value('croupier_deposits_under_review')).toBe(1);
  expect(value('croupier_deposits_under_review_oldest_seconds')).toBeGreaterThan(3590);
  expect(value('croupier_deposit_returns_unknown')).toBe(0);
});
