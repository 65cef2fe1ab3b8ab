import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { codeOf } from '../../../../test/kit/accounts.ts';
import { cashOf, type Player } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { SKINS_PATH, SKINS_SECRET, startSkins } from '../../../../test/kit/skins.ts';
import { notify } from '../../../../test/kit/webhooks.ts';

const skins = fixture(startSkins);

const key = () => ({ 'idempotency-key': randomUUID() });
const ITEMS = [{ name: '★ Karambit | Doppler', priceUsd: '60.5' }];

test('of a transaction that is not known yet wait for it', async () => {
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

test('20 rounds of a webhook that races with the answer to the session: always credited once', async () => {
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

test('50 parallel duplicates of SUCCESS over two processes credit once', async () => {
  const { player, transactionId } = await skins.opened();
  const body = {
    transactionId,
    status: 'SUCCESS',
    usdAmount: '12.5',
    occurredAt: new Date().toISOString(),
  };
  // Half of them in other bytes: they are not recognised as repeats.
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

test('SUCCESS without an amount that anybody has named is refused, and used once there is one', async () => {
  const { player, transactionId } = await skins.opened();
  const webhook = { transactionId, status: 'SUCCESS', occurredAt: '2026-11-21T09:30:00.000Z' };
  const again = () => notify(skins.app, SKINS_PATH, webhook, { secret: SKINS_SECRET });
  const refused = await again();
  expect([codeOf(refused), refused.body.details.fields[0].path]).toEqual([
    '400 VALIDATION_FAILED',
    'usdAmount',
  ]);
  await skins.say(transactionId, 'IN_HOLD', { usdAmount: '7' });
  expect((await again()).status).toBe(200);
  expect(await cashOf(player)).toBe('7');
});

test('amounts that cannot be are refused', async () => {
  const { player, transactionId } = await skins.opened();
  for (const fields of [
    { usdAmount: '10000000.00000001' },
    { usdAmount: '0.000000001' },
    { items: [{ name: 'x', priceUsd: '99999999999' }] },
  ])
    expect(codeOf(await skins.say(transactionId, 'SUCCESS', fields))).toBe('400 AMOUNT_OUT_OF_RANGE');
  for (const fields of [{ usdAmount: 5 }, { usdAmount: '-5' }, { more: 1 }, { occurredAt: 'now' }])
    expect(codeOf(await skins.say(transactionId, 'SUCCESS', fields))).toBe('400 VALIDATION_FAILED');
  expect(codeOf(await skins.say(transactionId, 'DONE'))).toBe('400 VALIDATION_FAILED');
  expect(await cashOf(player)).toBe('0');
});

test('of another provider: 404', async () => {
  const body = { transactionId: 'x', status: 'FAIL', occurredAt: new Date().toISOString() };
  for (const provider of ['other', 'nowpayments', 'x'.repeat(200)]) {
    const path = `/webhooks/skins/${provider}`;
    expect(codeOf(await notify(skins.app, path, body, { secret: SKINS_SECRET }))).toBe(
      '404 PROVIDER_NOT_FOUND',
    );
  }
});

test('the marketplace itself: the sandbox tells the platform, every webhook twice', async () => {
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
