import { beforeEach, expect, test } from 'vitest';
import { startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { deleteWaiting, listWaiting } from '../../../platform/queue/waiting.ts';
import { createWebhooks, PROCESS, type Take, type Webhooks } from './service.ts';

let webhooks: Webhooks;
let take: Take;
/** The bodies of the committed webhooks, as text. */
const taken = async () => {
  const rows = await app.db.selectFrom('attempts').select('tries').where('key', '=', 'taken').execute();
  return rows[0]?.tries ?? 0;
};
const takeOnce: Take = async (tx) => {
  await tx
    .insertInto('attempts')
    .values({ key: 'taken', tries: 1, expires_at: new Date(Date.now() + 60_000) })
    .onConflict((oc) => oc.column('key').doUpdateSet((eb) => ({ tries: eb('attempts.tries', '+', 1) })))
    .execute();
};
const event = async () =>
  app.db.selectFrom('webhook_events').selectAll().where('kind', '=', 'kyc').executeTakeFirstOrThrow();
const receive = (text = 'a notice') =>
  webhooks.receiver('kyc', () => ({ isSigned: () => true }))('test', { raw: Buffer.from(text), headers: {} });
/** Runs the queued task of the webhook, if there is one. */
const retry = async () => {
  const [job] = await listWaiting(app.db, PROCESS, 1);
  await webhooks.process(job!.payload);
};

const app = fixture(startApp);
beforeEach(async () => {
  await app.db.deleteFrom('webhook_events').execute();
  await app.db.deleteFrom('attempts').execute();
  await deleteWaiting(app.db, PROCESS);
  take = takeOnce;
  webhooks = createWebhooks({
    db: app.services.db,
    partnerReports: app.services.partnerReports,
  });
  webhooks.on('kyc', (tx, one) => take(tx, one));
});

test('stores a webhook that fails with an internal error, and processes it once on a later retry', async () => {
  take = async (tx) => {
    await takeOnce(tx, { provider: '', raw: Buffer.alloc(0) });
    throw new Error('the database is gone');
  };
  await expect(receive()).rejects.toThrow('the database is gone');
  const stored = await event();
  expect([stored.body.toString(), stored.processed_at, await taken()]).toEqual(['a notice', null, 0]);
  await expect(retry()).rejects.toThrow('the database is gone');
  take = takeOnce;
  expect([(await event()).processed_at, await taken()]).toEqual([null, 0]);
  await retry();
  await retry();
  expect([(await event()).processed_at, await taken()]).toEqual([expect.any(Date), 1]);
});

test('processes the same bytes once in 60 concurrent requests, and responds to every request', async () => {
  await Promise.all(Array.from({ length: 60 }, () => receive()));
  expect([(await event()).deliveries, await taken()]).toEqual([60, 1]);
});

test('stores one finding for a webhook that cannot be processed, books nothing and does not retry the webhook', async () => {
  take = async (tx) => {
    await takeOnce(tx, { provider: '', raw: Buffer.alloc(0) });
    throw commonErrors.VALIDATION_FAILED();
  };
  for (let i = 0; i < 2; i++) await expect(receive()).resolves.toEqual({ success: true });
  const findings = await app.db.selectFrom('provider_findings').select(['kind', 'partner']).execute();
  expect(findings).toEqual([{ kind: 'UNBOOKED_REPORT', partner: 'test' }]);
  const { processed_at, error, deliveries } = await event();
  expect([processed_at, error?.slice(0, 17), deliveries]).toEqual([expect.any(Date), 'VALIDATION_FAILED', 2]);
  take = takeOnce;
  await retry();
  expect(await taken()).toBe(0);
});

test('queues a task for a webhook that version 0.1.0 stored and has not given up, and rejects other payloads', async () => {
  take = async () => {
    throw new Error('the process is killed');
  };
  await expect(receive()).rejects.toThrow('the process is killed');
  await deleteWaiting(app.db, PROCESS);
  await app.db
    .updateTable('webhook_events')
    .set({ retry_at: new Date(0) })
    .execute();
  take = takeOnce;
  const setAttempts = (attempts: number) => app.db.updateTable('webhook_events').set({ attempts }).execute();
  // Version 0.1.0 gave up the webhook after this number of attempts.
  await setAttempts(40);
  await webhooks.queueOlder();
  expect(await listWaiting(app.db, PROCESS, 1)).toEqual([]);
  await setAttempts(39);
  for (let i = 0; i < 2; i++) await webhooks.queueOlder();
  expect(await listWaiting(app.db, PROCESS, 2)).toHaveLength(1);
  await retry();
  expect(await taken()).toBe(1);
  await expect(webhooks.process({})).rejects.toThrow('is not a webhook');
});

test('processes different bytes as a separate webhook', async () => {
  for (const text of ['{"a":1}', '{"a": 1}']) await receive(text);
  expect(await taken()).toBe(2);
});
