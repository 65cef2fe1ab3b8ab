import { describe, expect, test } from 'vitest';
import { betOnDice, cashOf, type Player, startApp, type TestApp } from '../../../../../test/kit/app.ts';
import { aHash, depositsOf, giveAddress, tell, webhookOf } from '../../../../../test/kit/deposits.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';

const app = fixture(startApp);
const other = fixture(() => startApp({ database: app.database }));

type Some = { player: Player; address: string };
const somebody = async (usdt = 0): Promise<Some> => {
  const player = await app.newPlayer({ usdt });
  return { player, address: await giveAddress(app.db, player.id) };
};
const good = async (body: object, on: TestApp = app) => {
  const answer = await tell(on, body);
  expect([answer.status, answer.body]).toEqual([200, { success: true }]);
};
const statusOf = async (player: Player) => (await depositsOf(player)).map((d) => d.status);
const rowsOf = (player: Player) =>
  app.db.selectFrom('deposits').selectAll().where('user_id', '=', player.id).orderBy('id').execute();
const claimsOf = async (player: Player) =>
  (
    await app.db
      .selectFrom('claims')
      .select(['amount', 'remaining'])
      .where('user_id', '=', player.id)
      .orderBy('id')
      .execute()
  ).map((c) => [c.amount, c.remaining]);
const USDT = 10n ** 8n;

test('coins are detected, confirmed and credited; the player sees each step', async () => {
  const { player, address } = await somebody();
  const about = { externalId: `e${player.id}`, txHash: aHash() };
  await good(webhookOf(address, { ...about, status: 'DETECTED', confirmations: 0 }));
  expect(await cashOf(player)).toBe('0');
  await good(webhookOf(address, { ...about, status: 'CONFIRMING', confirmations: 7 }));
  expect((await depositsOf(player))[0]).toMatchObject({ confirmations: 7, transactionId: null });
  await good(webhookOf(address, { ...about }));
  expect(await cashOf(player)).toBe('25');
  const [deposit] = await depositsOf(player);
  expect(deposit).toMatchObject({
    status: 'COMPLETED',
    amount: '25',
    usdAmount: '25',
    currencyId: 'USDT',
    networkId: 'tron',
    depositBonus: null,
    payAddress: address,
    payMemo: null,
    txHash: about.txHash,
    confirmations: 20,
    requiredConfirmations: 20,
    transactionId: expect.stringMatching(/^\d+$/),
  });
  expect(deposit!.statusHistory.map((s: { status: string }) => s.status)).toEqual([
    'CREATED',
    'DETECTED',
    'CONFIRMING',
    'COMPLETED',
  ]);
  const stats = await app.services.userStats.full(player.id);
  expect(stats.totalDeposits).toBe('25');
});

test('P07 one webhook 100 times in parallel over two processes credits once', async () => {
  const { player, address } = await somebody();
  const body = webhookOf(address);
  await Promise.all(Array.from({ length: 100 }, (_, i) => good(body, i % 2 ? app : other)));
  expect(await cashOf(player)).toBe('25');
  expect(await statusOf(player)).toEqual(['COMPLETED']);
});

test('P07 one output under 40 external ids in parallel over two processes credits once', async () => {
  const { player, address } = await somebody();
  const body = webhookOf(address);
  const all = Array.from({ length: 40 }, (_, i) =>
    good({ ...body, externalId: `${body.externalId}-${i}` }, i % 2 ? app : other),
  );
  await Promise.all(all);
  expect(await cashOf(player)).toBe('25');
  expect(await rowsOf(player)).toHaveLength(1);
  await good({ ...body, externalId: 'x', txHash: body.txHash!.toUpperCase() });
  expect(await cashOf(player)).toBe('25');
});

describe('P07 what differs from what was announced is not credited', () => {
  const differing: [string, (of: Some) => object | Promise<object>, string][] = [
    ['amount', () => ({ amount: '26' }), 'AMOUNT_DIFFERS'],
    ['currency', () => ({ currencyId: 'TRX' }), 'CURRENCY_DIFFERS'],
    ['network', () => ({ networkId: 'bsc' }), 'NETWORK_DIFFERS'],
    ['user', async () => ({ payAddress: (await somebody()).address }), 'USER_DIFFERS'],
    ['address', () => ({ payAddress: 'nobody' }), 'USER_DIFFERS'],
  ];
  test.each(differing)('%s', async (_, change, reason) => {
    const some = await somebody();
    const { player, address } = some;
    const body = webhookOf(address, { status: 'DETECTED', confirmations: 0 });
    await good(body);
    await good({ ...body, status: 'COMPLETED', confirmations: 20, ...(await change(some)) });
    expect(await statusOf(player)).toEqual(['UNDER_REVIEW']);
    expect((await rowsOf(player))[0]!.review_reason).toContain(reason);
    // Nor is it afterwards, when the webhook is as it should be.
    await good({ ...body, status: 'COMPLETED', confirmations: 21 });
    expect(await statusOf(player)).toEqual(['UNDER_REVIEW']);
    expect(await cashOf(player)).toBe('0');
  });

  test.each(differing)(
    '%s, once credited: it stays credited once, with a finding',
    async (_, change, reason) => {
      const some = await somebody();
      const body = webhookOf(some.address);
      await good(body);
      const changes = (await change(some)) as { payAddress?: string };
      await good({ ...body, ...changes });
      expect(await statusOf(some.player)).toEqual(['COMPLETED']);
      expect((await rowsOf(some.player))[0]!.review_reason).toContain(reason);
      expect(await cashOf(some.player)).toBe('25');
      const { paid } = await app.db
        .selectFrom('ledger_lines')
        .select((eb) => eb.fn.countAll<bigint>().as('paid'))
        .where('kind', '=', 'deposit')
        .where('currency_id', '=', 'TRX')
        .executeTakeFirstOrThrow();
      expect(paid).toBe(0n);
    },
  );

  test('coins of another currency than the address is for', async () => {
    const { player, address } = await somebody();
    await good(webhookOf(address, { currencyId: 'TRX', amount: '2500' }));
    expect(await statusOf(player)).toEqual(['UNDER_REVIEW']);
    expect(await cashOf(player, 'TRX')).toBe('0');
  });
});

test('P07 the same hash on another network, however it is written, neither credits again nor takes back', async () => {
  const { player, address } = await somebody();
  const body = webhookOf(address, { txHash: aHash() });
  // The same address is theirs on the other network too.
  await app.db
    .insertInto('deposit_addresses')
    .values({
      user_id: player.id,
      currency_id: 'USDT',
      network_id: 'bsc',
      provider_id: 'sandbox',
      address,
      address_key: address,
    })
    .execute();
  await good({ ...body, txHash: `0x${body.txHash!.toUpperCase()}` });
  for (const txHash of [body.txHash!, body.txHash!.toUpperCase(), `0x${body.txHash}`])
    await good({ ...body, externalId: aHash(), networkId: 'bsc', txHash });
  expect([await cashOf(player), await statusOf(player)]).toEqual(['25', ['COMPLETED']]);
  await good({ ...body, networkId: 'bsc', status: 'REVERSED' });
  expect([await cashOf(player), await statusOf(player)]).toEqual(['25', ['COMPLETED']]);
  expect((await rowsOf(player))[0]!.review_reason).toBe('NETWORK_DIFFERS');
  await good({ ...body, status: 'REVERSED' });
  expect([await cashOf(player), await statusOf(player)]).toEqual(['0', ['REVERSED']]);
});

test('P07 what else spoke against coins of an unknown address is still known when it turns out whose they are', async () => {
  const player = await app.newPlayer();
  const body = webhookOf(`T${aHash()}`, { status: 'DETECTED' });
  await good(body);
  await good({ ...body, amount: '26' });
  const address = await giveAddress(app.db, player.id);
  await app.db
    .updateTable('deposit_addresses')
    .set({ address: body.payAddress, address_key: body.payAddress })
    .where('address', '=', address)
    .execute();
  await good({ ...body, status: 'COMPLETED' });
  expect(await statusOf(player)).toEqual(['UNDER_REVIEW']);
  expect((await rowsOf(player))[0]!.review_reason).toContain('AMOUNT_DIFFERS');
  expect(await cashOf(player)).toBe('0');
});

test('P07 a status never moves back', async () => {
  const { player, address } = await somebody();
  const body = webhookOf(address);
  for (const status of ['CONFIRMING', 'DETECTED', 'COMPLETED', 'CONFIRMING', 'EXPIRED', 'FAILED', 'DETECTED'])
    await good({ ...body, status });
  const [deposit] = await depositsOf(player);
  expect(deposit!.statusHistory.map((s: { status: string }) => s.status)).toEqual([
    'CREATED',
    'CONFIRMING',
    'COMPLETED',
  ]);
  expect(await cashOf(player)).toBe('25');
});

test('P07 a second output of one transaction and a second transaction to an address are credited too', async () => {
  const { player, address } = await somebody();
  const body = webhookOf(address);
  await good(body);
  await good({ ...body, outputIndex: 1, amount: '3' });
  await good({ ...body, txHash: aHash() });
  await good({ ...webhookOf(address, { status: 'EXPIRED' }), externalId: 'late', txHash: undefined });
  await good(webhookOf(address, { externalId: 'late', amount: '7' }));
  expect(await cashOf(player)).toBe('60');
  expect(await statusOf(player)).toEqual(Array(4).fill('COMPLETED'));
});

test('P07 a reorganisation takes the coins back; what was spent becomes a claim, which the next deposit pays', async () => {
  const { player, address } = await somebody();
  const body = webhookOf(address, { amount: '100' });
  await good(body);
  expect(await app.services.userStats.full(player.id)).toMatchObject({ totalDeposits: '100' });
  const drained = await app.call('POST', '/debug/user/action', {
    body: { userId: player.id, action: 'SET_BALANCE', params: { currencyId: 'USDT', amount: '40' } },
  });
  expect(drained.status).toBe(201);
  await player.call('POST', '/accounting/to-vault', { body: { currencyId: 'USDT', amount: '10' } });
  const gone = { ...body, status: 'REVERSED', confirmations: 0 };
  await Promise.all(Array.from({ length: 20 }, (_, i) => good(gone, i % 2 ? app : other)));
  expect(await cashOf(player)).toBe('0');
  expect(await claimsOf(player)).toEqual([[60n * USDT, 60n * USDT]]);
  expect(await statusOf(player)).toEqual(['REVERSED']);
  expect(await app.services.userStats.full(player.id)).toMatchObject({ totalDeposits: '0' });
  // What is said of it afterwards changes nothing, but staff learns that the coins may be back.
  await good({ ...body, occurredAt: new Date(Date.now() + 1000).toISOString() });
  expect(await cashOf(player)).toBe('0');
  expect((await rowsOf(player))[0]!.review_reason).toBe('COMPLETED_AFTER_REVERSAL');

  await good(webhookOf(address, { amount: '45' }));
  expect([await cashOf(player), await claimsOf(player)]).toEqual(['0', [[60n * USDT, 15n * USDT]]]);
  await good(webhookOf(address, { amount: '45' }));
  expect([await cashOf(player), await claimsOf(player)]).toEqual(['30', [[60n * USDT, 0n]]]);
});

test('coins that vanish before they are credited move no money', async () => {
  const { player, address } = await somebody(5);
  const body = webhookOf(address, { status: 'CONFIRMING', confirmations: 3 });
  await good(body);
  await good({ ...body, status: 'REVERSED' });
  expect([await cashOf(player), await statusOf(player), await claimsOf(player)]).toEqual([
    '5',
    ['REVERSED'],
    [],
  ]);
  const first = webhookOf(address, { status: 'REVERSED' });
  await good(first);
  await good({ ...first, status: 'COMPLETED', occurredAt: new Date(Date.now() - 60_000).toISOString() });
  expect(await cashOf(player)).toBe('5');
});

test('too shallow, without a transaction, too little: not credited', async () => {
  const { player, address } = await somebody();
  const shallow = webhookOf(address, { confirmations: 19 });
  await good(shallow);
  expect(await statusOf(player)).toEqual(['CONFIRMING']);
  await good({ ...shallow, confirmations: 20 });
  expect(await statusOf(player)).toEqual(['COMPLETED']);
  await good({ ...webhookOf(address, { externalId: 'blind' }), txHash: undefined });
  expect(await statusOf(player)).toEqual(['CONFIRMING', 'COMPLETED']);
  await good(webhookOf(address, { externalId: 'blind' }));
  expect(await statusOf(player)).toEqual(['COMPLETED', 'COMPLETED']);
  await good(webhookOf(address, { amount: '0.99' }));
  await good(webhookOf(address, { amount: '0' }));
  expect((await statusOf(player)).slice(0, 2)).toEqual(['UNDER_REVIEW', 'UNDER_REVIEW']);
  expect((await rowsOf(player)).at(-1)!.review_reason).toBe('BELOW_MINIMUM');
  await good(webhookOf(address, { amount: '1', confirmations: 0 }));
  expect(await cashOf(player)).toBe('51');
});

test('a deposit to an unknown address is stored for review and credited once its owner is known', async () => {
  const player = await app.newPlayer();
  const body = webhookOf(`T${aHash()}`);
  await good({ ...body, status: 'DETECTED' });
  const kept = () =>
    app.db.selectFrom('deposits').selectAll().where('tx_hash', '=', body.txHash!).executeTakeFirstOrThrow();
  expect(await kept()).toMatchObject({
    user_id: null,
    status: 'UNDER_REVIEW',
    review_reason: 'ADDRESS_UNKNOWN',
  });
  const address = await giveAddress(app.db, player.id);
  await app.db
    .updateTable('deposit_addresses')
    .set({ address: body.payAddress, address_key: body.payAddress })
    .where('address', '=', address)
    .execute();
  await good(body);
  expect(await kept()).toMatchObject({ user_id: player.id, status: 'COMPLETED', review_reason: null });
  expect(await cashOf(player)).toBe('25');
});

test('a shared address is whose memo it is; without the memo it is nobody’s', async () => {
  const player = await app.newPlayer();
  const on = { currencyId: 'XRP', networkId: 'ripple' };
  const address = await giveAddress(app.db, player.id, { ...on, memo: '77' });
  const body = { ...on, amount: '50', confirmations: 1 };
  await good(webhookOf(address, { ...body, payMemo: '77' }));
  for (const payMemo of ['78', undefined]) await good(webhookOf(address, { ...body, payMemo }));
  expect(await cashOf(player, 'XRP')).toBe('50');
  const nobodys = await app.db
    .selectFrom('deposits')
    .select('status')
    .where('pay_address', '=', address)
    .where('user_id', 'is', null)
    .execute();
  expect(nobodys.map((d) => d.status)).toEqual(['UNDER_REVIEW', 'UNDER_REVIEW']);
});

test('a deposit asks for its turnover, which bets work off and a reversal takes back', async () => {
  const { player, address } = await somebody();
  const open = async () => (await app.services.rollover.remaining(app.db, player.id)) / USDT;
  await good(webhookOf(address));
  expect(await open()).toBe(25n);
  await betOnDice(player, { betAmount: '10' });
  expect(await open()).toBe(15n);
  const second = webhookOf(address, { amount: '30' });
  await good(second);
  expect(await open()).toBe(45n);
  await good({ ...second, status: 'REVERSED' });
  expect(await open()).toBe(15n);
  await app.call('POST', '/debug/user/action', { body: { userId: player.id, action: 'COMPLETE_WAGERING' } });
  expect(await open()).toBe(0n);
});
