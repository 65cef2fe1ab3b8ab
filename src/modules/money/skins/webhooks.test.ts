import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { codeOf } from '../../../../test/kit/accounts/accounts.ts';
import { cashOf, type Player } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { SKINS_PATH, SKINS_SECRET, startSkins } from '../../../../test/kit/money/skins.ts';
import { notify } from '../../../../test/kit/money/webhooks.ts';

const skins = fixture(startSkins);

const key = () => ({ 'idempotency-key': randomUUID() });
const ITEMS = [{ name: '★ Karambit | Doppler', priceUsd: '60.5' }];

test('stores webhooks about an unknown transaction and applies them once it is known', async () => {
  const player = await skins.seller();
  const headers = key();
  await skins.outside.behave('skins', 'garbage');
  try {
    expect(codeOf(await skins.start(player, {}, { headers }))).toBe('503 SERVICE_UNAVAILABLE');
  } finally {
    await skins.outside.behave('skins', 'ok');
  }
  const { transactionId } = (await skins.trades()).at(-1)!;
  expect((await skins.say(transactionId, 'SUCCESS')).status).toBe(200);
  expect((await skins.say(transactionId, 'IN_HOLD', { items: ITEMS })).status).toBe(200);
  expect(await cashOf(player)).toBe('0');
  const { body } = await skins.start(player, {}, { headers });
  expect(body.transactionId).toBe(transactionId);
  expect(await skins.seen(player, body.depositId)).toMatchObject({
    status: 'SUCCESS',
    creditedAmount: '50',
  });
  expect(await cashOf(player)).toBe('50');
});

test('credits once when a webhook races with the response that opens the session', async () => {
  for (let round = 0; round < 20; round++) {
    const player = await skins.seller();
    const starting = skins.start(player);
    let trade: { transactionId: string } | undefined;
    const platformId = await platformIdOf(player);
    while (!trade) trade = (await skins.trades()).find((one: any) => one.request.platformId === platformId);
    const [{ body }, said] = await Promise.all([
      starting,
      skins.say(trade.transactionId, 'SUCCESS', {}, skins.second),
    ]);
    expect(said.status).toBe(200);
    expect(await skins.seen(player, body.depositId)).toMatchObject({
      status: 'SUCCESS',
      creditedAmount: '50',
    });
    expect(await cashOf(player)).toBe('50');
  }
});

test('credits once when 50 duplicates arrive concurrently at two processes', async () => {
  const { player, transactionId } = await skins.opened();
  const body = {
    transactionId,
    status: 'SUCCESS',
    usdAmount: '12.5',
    occurredAt: new Date().toISOString(),
  };
  // Half of the bodies differ in some bytes, so they are not recognized as duplicates.
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, i) =>
      notify(
        i % 2 ? skins.second : skins.app,
        SKINS_PATH,
        i < 25 ? body : { ...body, failReason: String(i) },
        { secret: SKINS_SECRET },
      ),
    ),
  );
  expect(answers.map(({ status, text }) => `${status} ${text}`)).toEqual(
    Array(50).fill('200 {"success":true}'),
  );
  expect(await cashOf(player)).toBe('12.5');
});

/** Returns the findings about marketplace reports, oldest first. */
const findings = async () =>
  (await skins.app.db.selectFrom('provider_findings').selectAll().orderBy('id').execute()).filter(
    ({ kind }) => kind === 'UNBOOKED_REPORT',
  );

test('stores a SUCCESS without an amount as a finding, and credits the deposit once the amount is known', async () => {
  const { player, transactionId } = await skins.opened();
  const webhook = { transactionId, status: 'SUCCESS', occurredAt: '2026-11-21T09:30:00.000Z' };
  const again = () => notify(skins.app, SKINS_PATH, webhook, { secret: SKINS_SECRET });
  const before = (await findings()).length;
  expect((await again()).status).toBe(200);
  expect(await cashOf(player)).toBe('0');
  expect((await findings()).slice(before)).toMatchObject([{ partner: 'sandbox', status: 'OPEN' }]);
  await skins.say(transactionId, 'IN_HOLD', { usdAmount: '7' });
  expect((await again()).status).toBe(200);
  expect(await cashOf(player)).toBe('7');
});

test('stores a finding for each report with an amount or status that cannot be booked', async () => {
  const { player, transactionId } = await skins.opened();
  const odd: [status: string, fields: object][] = [
    ['SUCCESS', { usdAmount: '10000000.00000001' }],
    ['SUCCESS', { usdAmount: '99999999999999999999999' }],
    ['SUCCESS', { usdAmount: '-5' }],
    ['SUCCESS', { usdAmount: '1,5' }],
    ['SUCCESS', { items: [{ name: 'x', priceUsd: '99999999999' }] }],
    ['SUCCESS', { occurredAt: 'now' }],
    ['DONE', {}],
  ];
  const before = (await findings()).length;
  for (const [status, fields] of odd)
    expect(codeOf(await skins.say(transactionId, status, fields)), JSON.stringify(fields)).toBe('200');
  const stored = (await findings()).slice(before);
  expect(stored.map(({ facts }) => (facts as { reason: string }).reason)).toEqual([
    ...Array(6).fill('UNREADABLE'),
    'UNKNOWN_TYPE',
  ]);
  expect(await cashOf(player)).toBe('0');
  await skins.say(transactionId, 'SUCCESS', { usdAmount: '5' });
  expect(await cashOf(player)).toBe('5');
});

test('returns 404 for a webhook from another provider', async () => {
  const body = { transactionId: 'x', status: 'FAIL', occurredAt: new Date().toISOString() };
  for (const provider of ['other', 'nowpayments', 'x'.repeat(200)]) {
    const path = `/webhooks/skins/${provider}`;
    expect(codeOf(await notify(skins.app, path, body, { secret: SKINS_SECRET }))).toBe(
      '404 PROVIDER_NOT_FOUND',
    );
  }
});

test('accepts the webhooks from the sandbox marketplace, which sends each of them twice', async () => {
  const { player, depositId, transactionId } = await skins.opened();
  await skins.outside.behave('skins', 'duplicates');
  try {
    await skins.advance(transactionId, { status: 'IN_HOLD', items: ITEMS, usdAmount: '60.50' });
    await expect.poll(async () => (await skins.seen(player, depositId)).status).toBe('IN_HOLD');
    await skins.advance(transactionId, { status: 'HOLD_APPROVED', userRisk: { score: 5 } });
    await expect.poll(() => cashOf(player)).toBe('60.5');
    await skins.advance(transactionId, { status: 'HOLD_RETURNED', failReason: 'reversed' });
    await expect.poll(() => cashOf(player)).toBe('0');
    expect(await skins.seen(player, depositId)).toMatchObject({ status: 'HOLD_RETURNED', items: ITEMS });
  } finally {
    await skins.outside.behave('skins', 'ok');
  }
});

async function platformIdOf({ id }: Player): Promise<string | null> {
  const users = skins.app.db.selectFrom('users').select('platform_id').where('id', '=', id);
  return (await users.executeTakeFirstOrThrow()).platform_id;
}
