import { beforeAll, expect, test } from 'vitest';
import { type Answer, cashOf, type Player, startApp, type TestApp } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import { startOutside } from '../../../../../test/kit/http/outside.ts';
import { depositsOf } from '../../../../../test/kit/money/deposits.ts';
import type { NewAddress, PaymentProvider } from '../provider.ts';
import { methodsFor, provideAddress } from './methods.ts';

const outside = fixture(startOutside);
const app = fixture(() => startApp({ env: outside.env }));
const other = fixture(() => startApp({ env: outside.env, database: app.database }));
beforeAll(async () => {
  outside.setApi(app.url);
});

const codeOf = ({ status, body }: Answer) => `${status} ${body?.code ?? ''}`.trim();
const requestAddress = (player: Player, currencyId = 'USDT', networkId = 'tron', on: TestApp = app) =>
  on.call('GET', `/payments/deposit/address?${new URLSearchParams({ currencyId, networkId })}`, {
    token: player.token,
  });
const setConfig = async (code: 'COMMON' | 'WITHDRAWALS', change: object) => {
  const boss = await app.as('superadmin');
  const answer = await boss.call('PATCH', `/admin/config/${code}`, { body: change });
  expect(answer.status, answer.text).toBe(200);
};

test('returns the same address to 50 concurrent first requests in two processes and to later requests', async () => {
  const player = await app.newPlayer();
  const all = await Promise.all(
    Array.from({ length: 50 }, (_, i) => requestAddress(player, 'USDT', 'tron', i % 2 ? app : other)),
  );
  expect(new Set(all.map((a) => a.status))).toEqual(new Set([200]));
  expect(new Set(all.map((a) => a.text)).size).toBe(1);
  expect(all[0]!.body).toEqual({
    payAddress: expect.stringMatching(/^T/),
    payMemo: null,
    currencyId: 'USDT',
    networkId: 'tron',
    minAmount: '1',
    confirmations: 20,
    issuedAt: expect.stringMatching(/Z$/),
  });
  expect((await requestAddress(player)).text).toBe(all[0]!.text);
  const others = [
    await requestAddress(player, 'USDT', 'bsc'),
    await requestAddress(player, 'TRX'),
    await requestAddress(await app.newPlayer()),
  ];
  expect(new Set([all[0]!, ...others].map((a) => a.body.payAddress)).size).toBe(4);
});

test('gives each player a separate memo when all players share an address', async () => {
  const [one, two] = [await app.newPlayer(), await app.newPlayer()];
  const [first, second] = [
    await requestAddress(one, 'XRP', 'ripple'),
    await requestAddress(two, 'XRP', 'ripple'),
  ];
  expect(first.body.payAddress).toBe(second.body.payAddress);
  expect(first.body.payMemo).toMatch(/^\d+$/);
  expect(first.body.payMemo).not.toBe(second.body.payMemo);
});

test('credits coins sent to the address, and reverses the credit after a chain reorganization', async () => {
  const player = await app.newPlayer();
  const { payAddress: address } = (await requestAddress(player)).body;
  const control = (path: string, body: object) =>
    fetch(`${outside.url}/payments/${path}`, { method: 'POST', body: JSON.stringify(body) });
  const coins = { address, currencyId: 'USDT', networkId: 'tron', amount: '31.5' };
  const answer = await control('coins', coins);
  const { txHash } = (await answer.json()) as { txHash: string };
  await expect.poll(() => cashOf(player)).toBe('31.5');
  expect((await depositsOf(player))[0]).toMatchObject({ status: 'COMPLETED', txHash, payAddress: address });
  await control('reorg', { txHash });
  await expect.poll(() => cashOf(player)).toBe('0');
});

test('returns a distinct error code for each reason why no address is available', async () => {
  const player = await app.newPlayer();
  for (const [currencyId, networkId] of [
    ['USDT', 'bitcoin'],
    ['NONE', 'tron'],
    ['usdt', 'tron'],
  ] as const)
    expect(codeOf(await requestAddress(player, currencyId, networkId))).toBe('404 PAYMENT_METHOD_NOT_FOUND');
  expect(codeOf(await requestAddress(player, 'EUR', 'sepa'))).toBe('409 DEPOSIT_DISABLED');
  expect(codeOf(await player.call('GET', '/payments/deposit/address?currencyId=USDT'))).toBe(
    '400 VALIDATION_FAILED',
  );
  expect(codeOf(await app.call('GET', '/payments/deposit/address?currencyId=USDT&networkId=tron'))).toBe(
    '401 UNAUTHORIZED',
  );

  const restrict = (values: { excluded_until?: Date; limits?: string }) =>
    app.db.transaction().execute(async (tx) => {
      const own = await tx.insertInto('restrictions').values({ user_id: player.id, ...values });
      await own.onConflict((oc) => oc.column('user_id').doUpdateSet(values)).execute();
      await tx.updateTable('players').set({ is_restricted: true }).where('user_id', '=', player.id).execute();
    });
  await requestAddress(player);
  await restrict({ limits: '{"DEPOSIT":{"DAY":"0"}}' });
  expect(codeOf(await requestAddress(player))).toBe('403 LIMIT_REACHED');
  await restrict({ excluded_until: new Date(Date.now() + 1e6) });
  expect(codeOf(await requestAddress(player))).toBe('403 SELF_EXCLUDED');
  await app.db.updateTable('players').set({ is_banned: true }).where('user_id', '=', player.id).execute();
  expect(codeOf(await requestAddress(player))).toBe('403 USER_BANNED');
});

test('rejects a request from an IP address in a blocked country', async () => {
  const behind = await startApp({
    env: { ...outside.env, TRUSTED_PROXIES: '127.0.0.1' },
    database: app.database,
  });
  const player = await behind.newPlayer();
  await behind.db.updateTable('countries').set({ is_blocked: true }).where('code', '=', 'US').execute();
  await expect
    .poll(
      async () => {
        await behind.sql`select pg_notify('countries_changed', 'US')`.execute(behind.db);
        return behind.services.countries.isBlocked('US');
      },
      { timeout: 4000 },
    )
    .toBe(true);
  const from = (ip: string) =>
    player.call('GET', '/payments/deposit/address?currencyId=USDT&networkId=tron', {
      headers: { 'x-forwarded-for': ip },
    });
  expect(codeOf(await from('8.8.8.8'))).toBe('403 AUTH_GEO_BLOCKED');
  expect(codeOf(await from('127.0.0.1'))).toBe('200');
  await behind.db.updateTable('countries').set({ is_blocked: false }).where('code', '=', 'US').execute();
  await behind.stop();
});

test('requires identity verification once deposits reach the threshold', async () => {
  const player = await app.newPlayer();
  await requestAddress(player);
  await app.call('POST', `/debug/deposit/emulate-success/${player.id}`);
  await setConfig('WITHDRAWALS', { kycDepositThresholdUsd: '100' });
  expect(await requestAddress(player)).toMatchObject({
    status: 403,
    body: { code: 'KYC_REQUIRED', details: { tier: 'IDENTITY' } },
  });
  await app.db.updateTable('users').set({ kyc_level: 2 }).where('id', '=', player.id).execute();
  expect(codeOf(await requestAddress(player))).toBe('200');
  await setConfig('WITHDRAWALS', { kycDepositThresholdUsd: null });
});

test('disables deposits when the site, a network or the provider is unavailable, and lists the methods accordingly', async () => {
  const player = await app.newPlayer();
  const methods = async (query = '') =>
    (await app.call('GET', `/payments/methods${query}`, { token: player.token })).body as Record<
      string,
      any
    >[];
  const tron = (all: Record<string, any>[]) =>
    all.find((m) => m.currencyId === 'USDT' && m.networkId === 'tron');
  await setConfig('COMMON', { isDepositOpen: false });
  expect(codeOf(await requestAddress(player))).toBe('409 DEPOSIT_DISABLED');
  expect(tron(await methods())).toMatchObject({ depositEnabled: false, withdrawEnabled: true });
  await setConfig('COMMON', { isDepositOpen: true });

  const disconnected = { ...app.services.payments, providers: { active: undefined } };
  await expect(
    provideAddress(disconnected, { userId: player.id, ip: '' }, { currencyId: 'USDT', networkId: 'tron' }),
  ).rejects.toMatchObject({ status: 409, code: 'DEPOSIT_DISABLED' });
  expect(tron(methodsFor(disconnected))).toMatchObject({ depositEnabled: false, withdrawEnabled: false });

  const all = await methods();
  expect(tron(all)).toEqual({
    type: 'CRYPTO',
    currencyId: 'USDT',
    networkId: 'tron',
    depositEnabled: true,
    withdrawEnabled: true,
    minDeposit: '1',
    minWithdraw: '5',
    withdrawFee: '1',
    confirmations: 20,
    memoRequired: false,
    addressPattern: expect.stringMatching(/^\^T/),
  });
  expect(all.find((m) => m.networkId === 'ripple')!.memoRequired).toBe(true);
  expect(all.filter((m) => m.type === 'FIAT').every((m) => !m.depositEnabled && !m.withdrawEnabled)).toBe(
    true,
  );
  expect(all.filter((m) => m.type === 'FIAT').length).toBeGreaterThan(0);
  expect(all.find((m) => m.type === 'SKINS')).toMatchObject({ networkId: null, withdrawEnabled: false });
  for (const { addressPattern } of all) expect(() => new RegExp(addressPattern ?? '')).not.toThrow();
  const out = await methods('?direction=WITHDRAW');
  expect(new Set(out.map((m) => m.type))).toEqual(new Set(['CRYPTO']));
  const into = await methods('?direction=DEPOSIT');
  expect(new Set(into.map((m) => m.type))).toEqual(new Set(['CRYPTO', 'SKINS']));
  expect((await player.call('GET', '/payments/methods?direction=BOTH')).status).toBe(400);
});

test('returns 503 and stores nothing when the provider does not respond', async () => {
  const player = await app.newPlayer();
  const deaf = await startApp({
    env: { ...outside.env, PAYMENT_API_URL: 'http://127.0.0.1:9/payments' },
    database: app.database,
  });
  const answer = await requestAddress(player, 'USDT', 'tron', deaf);
  expect([codeOf(answer), answer.headers.get('retry-after')]).toEqual([
    '503 SERVICE_UNAVAILABLE',
    expect.any(String),
  ]);
  await deaf.stop();
  expect((await requestAddress(player)).status).toBe(200);
});

/** Requests an address from a provider with the given `createAddress`. */
const provideBy = (
  createAddress: () => Promise<NewAddress>,
  userId: number,
  currencyId: string,
  networkId: string,
) => {
  const active = { id: 'sandbox', createAddress } as unknown as PaymentProvider;
  return provideAddress(
    { ...app.services.payments, providers: { active } },
    { userId, ip: '' },
    { currencyId, networkId },
  );
};

test('returns no address to a player who is excluded during the call to the provider', async () => {
  const player = await app.newPlayer();
  const createAddress = async () => {
    await player.call('POST', '/user-limits/self-exclusion', { body: { durationDays: 30 } });
    return { address: `T${player.id}`, memo: null, externalId: null };
  };
  await expect(provideBy(createAddress, player.id, 'USDT', 'tron')).rejects.toMatchObject({
    code: 'SELF_EXCLUDED',
  });
});

test("never returns another player's address, even in another currency or without a memo", async () => {
  const [one, two] = [await app.newPlayer(), await app.newPlayer()];
  const payAddress = `0x${one.id.toString(16).padStart(40, 'a')}`;
  const give = (userId: number, currencyId: string, made: Partial<NewAddress> = {}) =>
    provideBy(
      async () => ({ address: payAddress, memo: null, externalId: null, ...made }),
      userId,
      currencyId,
      'ethereum',
    );
  expect(await give(one.id, 'ETH')).toMatchObject({ payAddress });
  expect(await give(one.id, 'USDT')).toMatchObject({ payAddress });
  for (const made of [{}, { memo: '7' }, { address: payAddress.toUpperCase().replace('0X', '0x') }])
    for (const currencyId of ['ETH', 'USDC'])
      await expect(give(two.id, currencyId, made)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  const rows = app.db.selectFrom('deposit_addresses').selectAll().where('user_id', '=', two.id);
  expect(await rows.execute()).toEqual([]);
});
