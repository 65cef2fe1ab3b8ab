import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { signatureOf } from '../../src/modules/base/webhooks/signature.ts';
import { formatUnits, type Units, units } from '../../src/platform/money.ts';
import { compareBooks } from '../chaos/check.ts';
import { call, keepAlive } from '../crash/client.ts';
import { createPlayers, type LoadPlayer } from '../crash/load.ts';
import { times } from '../kit/length.ts';
import { aHash, DEPOSIT_HOOK, giveAddress, webhookOf } from '../kit/money/deposits.ts';
import { paymentsAt } from '../kit/money/payments.ts';
import { ORDER } from '../kit/money/withdrawals.ts';
import { expectNothingLost, type Platform, startPlatform, tellOnFailure, together } from './platform.ts';

const EVENTS = times('CLUSTER_NOTICES', 5000, 25_000);
const DUPLICATES = 0.1;
const LOST_REPLIES = 0.05;
const LATE = 0.2;
const LATE_MS = 5000;
const SENDERS = 24;
const SECRET = 'sandbox-payment-webhook-secret';
const WITHDRAWALS = Math.max(10, Math.floor(EVENTS / 250));

type Webhook = { body: object; isLate: boolean };

let platform: Platform;
let players: LoadPlayer[];
tellOnFailure(() => platform);

beforeAll(async () => {
  platform = await startPlatform({ parts: ['api', 'api', 'worker'] });
}, 120_000);
beforeEach(async () => {
  players = await createPlayers(platform.cluster.urlsOf('api')[0]!, Array(20).fill(0.01));
});
afterAll(() => platform?.stop());

test(`matches a model after ${EVENTS} repeated, late and unordered webhooks to both APIs, without a 5xx response`, async () => {
  const { cluster, random, onDb } = platform;
  const url = cluster.balanced('api') + DEPOSIT_HOOK;
  const agent = keepAlive();
  const addresses = await onDb((db) => Promise.all(players.map(({ id }) => giveAddress(db, id))));
  const owed = new Map<number, Units>(players.map(({ id }) => [id, 0n]));
  const counts = { sent: 0, duplicates: 0, lostReplies: 0, late: 0, failures: [] as string[] };

  /** Returns the provider's messages about one payment, in order. */
  const payment = (): object[] => {
    const i = Math.floor(random() * players.length);
    const amount = (1 + Math.floor(random() * 50_000_000) / 1e6).toFixed(6).replace(/\.?0+$/, '');
    const said = { ...webhookOf(addresses[i]!, { amount, txHash: aHash() }) };
    const isReversed = random() < 0.1;
    if (!isReversed) owed.set(players[i]!.id, owed.get(players[i]!.id)! + units(amount));
    const states = ['DETECTED', 'CONFIRMING', 'COMPLETED', ...(isReversed ? ['REVERSED'] : [])];
    return states.map((status, n) => ({ ...said, status, confirmations: [0, 3, 20, 20][n] }));
  };

  /** Repeats the call until it gets a 2xx response, as providers do. If the response is lost, the call is repeated too. Never rejects. */
  const tell = async (body: object): Promise<void> => {
    const text = JSON.stringify(body);
    for (let tries = 0; ; tries++) {
      const signature = signatureOf(text, SECRET, Math.floor(Date.now() / 1000));
      const isLost = tries === 0 && random() < LOST_REPLIES;
      const reply = await call('POST', url, {
        body,
        headers: { 'x-signature': signature },
        // Uses a separate connection, which the test closes before it can read the response.
        ...(isLost ? { timeoutMs: 2 } : { agent }),
      }).catch(() => undefined);
      counts.sent++;
      if (isLost) counts.lostReplies++;
      if (reply && reply.status >= 500) counts.failures.push(`${reply.status} ${JSON.stringify(reply.body)}`);
      if (reply && reply.status < 300 && !isLost) return;
      await sleep(50 * (tries + 1));
      if (tries > 20) {
        counts.failures.push(`not taken: ${reply?.status} ${JSON.stringify(reply?.body)}`);
        return;
      }
    }
  };

  const queue: Webhook[] = [];
  const payments: object[][] = [];
  for (let n = 0; n < EVENTS; n += payments.at(-1)!.length) payments.push(payment());
  for (const body of payments.flat()) queue.push({ body, isLate: random() < LATE });
  const late: Promise<void>[] = [];
  let next = 0;
  const sender = async () => {
    while (next < queue.length) {
      const { body, isLate } = queue[next++]!;
      if (random() < DUPLICATES) {
        counts.duplicates++;
        late.push(sleep(random() * LATE_MS).then(() => tell(body)));
      }
      if (isLate) {
        counts.late++;
        late.push(sleep(random() * LATE_MS).then(() => tell(body)));
      } else await tell(body);
    }
  };
  const sendAll = async () => {
    await Promise.all(Array.from({ length: SENDERS }, sender));
    await Promise.all(late);
  };
  await together(withdrawAll(), sendAll()).finally(() => agent.destroy());
  console.log(`${queue.length} webhooks: ${JSON.stringify({ ...counts, failures: counts.failures.length })}`);

  expect(counts.failures).toEqual([]);
  await onDb(async (db) => {
    const { rows } = await sql<{ id: number; paid: Units }>`
      select user_id as id, sum(amount) filter (where status = 'COMPLETED')::int8 as paid
      from deposits where network_id = 'tron' and provider_id = 'sandbox' and user_id = any(${players.map(({ id }) => id)}::int4[]) group by 1`.execute(
      db,
    );
    const ours = Object.fromEntries(rows.map(({ id, paid }) => [id, formatUnits(paid ?? 0n)]));
    const model = Object.fromEntries([...owed].map(([id, sum]) => [id, formatUnits(sum)]));
    expect(ours).toEqual(model);
    const { rows: wallets } = await sql<{ id: number; cash: Units }>`
      select user_id as id, cash from wallets where currency_id = 'USDT' and user_id = any(${players.map(({ id }) => id)}::int4[])`.execute(
      db,
    );
    const cash = Object.fromEntries(wallets.map(({ id, cash }) => [id, formatUnits(cash - units('0.01'))]));
    expect(cash).toEqual(model);
    const { rows: stuck } = await sql`select id from webhook_events where processed_at is null`.execute(db);
    expect(stuck).toEqual([]);
  });
  await expectNothingLost(platform, [], players);
}, 900_000);

/** Makes payouts at the same time. The provider repeats, delays, reorders and loses their webhooks, and half of the payouts fail. */
async function withdrawAll(): Promise<void> {
  const { cluster, sandbox, boss, insist, onDb, random } = platform;
  const provider = paymentsAt(sandbox.url);
  await provider.behave({
    autoSettle: false,
    webhooks: { duplicates: DUPLICATES, lost: LOST_REPLIES, reorder: LATE, reorderMs: LATE_MS },
  });
  const config = { minUsd: '0.01', maxOpenPerUser: 20, depositTurnoverPercent: 0, newAddressDelayHours: 0 };
  const auto = { autoApproveLimitUsd: '40', autoApproveMinAccountDays: 0, autoApproveMaxRisk: 100 };
  const kyc = {
    fourEyesThresholdUsd: '1000',
    kycThresholdUsd: '99999999',
    kycSingleThresholdUsd: '99999999',
  };
  const body = { ...config, ...auto, ...kyc };
  const configured = await insist('PATCH', '/admin/config/WITHDRAWALS', { token: boss.token, body });
  expect(configured.status, JSON.stringify(configured.body)).toBe(200);
  const payees = await createPlayers(cluster.urlsOf('api')[0]!, Array(WITHDRAWALS).fill(100));
  const asked = new Set<string>();
  for (const { token } of payees) {
    const headers = { 'idempotency-key': crypto.randomUUID() };
    const reply = await insist('POST', '/payments/withdraw', { token, body: ORDER, headers });
    expect(reply.status, JSON.stringify(reply.body)).toBe(201);
    asked.add(reply.body.id);
  }
  const payouts = async () => (await provider.books()).payouts;
  const ours = async () => (await payouts()).filter(({ reference }) => asked.has(reference.split('.')[0]!));
  await expect.poll(async () => (await ours()).length, { timeout: 120_000, interval: 200 }).toBe(WITHDRAWALS);
  const settleAll = async () => {
    const waiting = (await payouts()).filter(({ status }) => status === 'PROCESSING' || status === 'SENT');
    for (const { reference } of waiting) {
      await provider.settle(reference, 'SENT');
      await provider.settle(reference, random() < 0.5 ? 'COMPLETED' : 'FAILED', 'Cluster test');
    }
  };
  const open = () =>
    onDb(async (db) => {
      const { rows } =
        await sql`select id from withdrawals where status not in ('COMPLETED', 'FAILED')`.execute(db);
      return rows.length;
    });
  await expect.poll(() => settleAll().then(open), { timeout: 120_000, interval: 500 }).toBe(0);
  const books = (await provider.books()) as unknown as Parameters<typeof compareBooks>[1];
  // Play money and deposits of this test are not in the provider's books.
  const problems = await onDb((db) => compareBooks(db, { ...books, deposits: [] }));
  expect(problems.filter((problem) => !problem.includes('the provider holds'))).toEqual([]);
}
