import { describe, expect, test } from 'vitest';
import { betOnDice, cashOf, type Player, startApp, type TestApp } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import { aHash, depositsOf, giveAddress, tell, webhookOf } from '../../../../../test/kit/money/deposits.ts';
import { adminStatsOf } from '../../../engagement/user-stats/totals.ts';

const app = fixture(startApp);
const other = fixture(() => startApp({ database: app.database }));

type Some = { player: Player; address: string };
const playerWithAddress = async (usdt = 0): Promise<Some> => {
  const player = await app.newPlayer({ usdt });
  return { player, address: await giveAddress(app.db, player.id) };
};
const sendOk = async (body: object, on: TestApp = app) => {
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

test('detects, confirms and credits coins, and shows the player each step', async () => {
  const { player, address } = await playerWithAddress();
  const about = { externalId: `e${player.id}`, txHash: aHash() };
  await sendOk(webhookOf(address, { ...about, status: 'DETECTED', confirmations: 0 }));
  expect(await cashOf(player)).toBe('0');
  await sendOk(webhookOf(address, { ...about, status: 'CONFIRMING', confirmations: 7 }));
  expect((await depositsOf(player))[0]).toMatchObject({ confirmations: 7, transactionId: null });
  await sendOk(webhookOf(address, { ...about }));
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
  const stats = (await adminStatsOf(app.db, [player.id])).get(player.id)!;
  expect(stats.totalDeposits).toBe('25');
});

test('credits once when a webhook arrives 100 times concurrently at two processes', async () => {
  const { player, address } = await playerWithAddress();
  const body = webhookOf(address);
  await Promise.all(Array.from({ length: 100 }, (_, i) => sendOk(body, i % 2 ? app : other)));
  expect(await cashOf(player)).toBe('25');
  expect(await statusOf(player)).toEqual(['COMPLETED']);
});

test('credits an output once when it arrives under 40 external ids concurrently', async () => {
  const { player, address } = await playerWithAddress();
  const body = webhookOf(address);
  const all = Array.from({ length: 40 }, (_, i) =>
    sendOk({ ...body, externalId: `${body.externalId}-${i}` }, i % 2 ? app : other),
  );
  await Promise.all(all);
  expect(await cashOf(player)).toBe('25');
  expect(await rowsOf(player)).toHaveLength(1);
  await sendOk({ ...body, externalId: 'x', txHash: body.txHash!.toUpperCase() });
  expect(await cashOf(player)).toBe('25');
});

describe('a webhook that differs from the previous one', () => {
  const differing: [string, (of: Some) => object | Promise<object>, string][] = [
    ['amount', () => ({ amount: '26' }), 'AMOUNT_DIFFERS'],
    ['currency', () => ({ currencyId: 'TRX' }), 'CURRENCY_DIFFERS'],
    ['network', () => ({ networkId: 'bsc' }), 'NETWORK_DIFFERS'],
    ['user', async () => ({ payAddress: (await playerWithAddress()).address }), 'USER_DIFFERS'],
    ['address', () => ({ payAddress: 'nobody' }), 'USER_DIFFERS'],
  ];
  test.each(differing)(
    'does not credit a deposit when the %s of a later webhook differs',
    async (_, change, reason) => {
      const some = await playerWithAddress();
      const { player, address } = some;
      const body = webhookOf(address, { status: 'DETECTED', confirmations: 0 });
      await sendOk(body);
      await sendOk({ ...body, status: 'COMPLETED', confirmations: 20, ...(await change(some)) });
      expect(await statusOf(player)).toEqual(['UNDER_REVIEW']);
      expect((await rowsOf(player))[0]!.review_reason).toContain(reason);
      // A later, correct webhook does not credit the deposit either.
      await sendOk({ ...body, status: 'COMPLETED', confirmations: 21 });
      expect(await statusOf(player)).toEqual(['UNDER_REVIEW']);
      expect(await cashOf(player)).toBe('0');
    },
  );

  test.each(differing)(
    'creates a finding when the %s differs and the deposit is already credited',
    async (_, change, reason) => {
      const some = await playerWithAddress();
      const body = webhookOf(some.address);
      await sendOk(body);
      const changes = (await change(some)) as { payAddress?: string };
      await sendOk({ ...body, ...changes });
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

  test('does not credit a deposit when the address was issued for another currency', async () => {
    const { player, address } = await playerWithAddress();
    await sendOk(webhookOf(address, { currencyId: 'TRX', amount: '2500' }));
    expect(await statusOf(player)).toEqual(['UNDER_REVIEW']);
    expect(await cashOf(player, 'TRX')).toBe('0');
  });
});

test('neither credits nor reverses a deposit for the same hash on another network', async () => {
  const { player, address } = await playerWithAddress();
  const body = webhookOf(address, { txHash: aHash() });
  // The player has the same address on the other network.
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
  await sendOk({ ...body, txHash: `0x${body.txHash!.toUpperCase()}` });
  for (const txHash of [body.txHash!, body.txHash!.toUpperCase(), `0x${body.txHash}`])
    await sendOk({ ...body, externalId: aHash(), networkId: 'bsc', txHash });
  expect([await cashOf(player), await statusOf(player)]).toEqual(['25', ['COMPLETED']]);
  await sendOk({ ...body, networkId: 'bsc', status: 'REVERSED' });
  expect([await cashOf(player), await statusOf(player)]).toEqual(['25', ['COMPLETED']]);
  expect((await rowsOf(player))[0]!.review_reason).toBe('NETWORK_DIFFERS');
  await sendOk({ ...body, status: 'REVERSED' });
  expect([await cashOf(player), await statusOf(player)]).toEqual(['0', ['REVERSED']]);
});

test('keeps the other findings about a deposit to an unknown address once its owner is known', async () => {
  const player = await app.newPlayer();
  const body = webhookOf(`T${aHash()}`, { status: 'DETECTED' });
  await sendOk(body);
  await sendOk({ ...body, amount: '26' });
  const address = await giveAddress(app.db, player.id);
  await app.db
    .updateTable('deposit_addresses')
    .set({ address: body.payAddress, address_key: body.payAddress })
    .where('address', '=', address)
    .execute();
  await sendOk({ ...body, status: 'COMPLETED' });
  expect(await statusOf(player)).toEqual(['UNDER_REVIEW']);
  expect((await rowsOf(player))[0]!.review_reason).toContain('AMOUNT_DIFFERS');
  expect(await cashOf(player)).toBe('0');
});

test('never moves a deposit back to an earlier status', async () => {
  const { player, address } = await playerWithAddress();
  const body = webhookOf(address);
  for (const status of ['CONFIRMING', 'DETECTED', 'COMPLETED', 'CONFIRMING', 'EXPIRED', 'FAILED', 'DETECTED'])
    await sendOk({ ...body, status });
  const [deposit] = await depositsOf(player);
  expect(deposit!.statusHistory.map((s: { status: string }) => s.status)).toEqual([
    'CREATED',
    'CONFIRMING',
    'COMPLETED',
  ]);
  expect(await cashOf(player)).toBe('25');
});

test('credits a second output of a transaction and a second transaction to an address', async () => {
  const { player, address } = await playerWithAddress();
  const body = webhookOf(address);
  await sendOk(body);
  await sendOk({ ...body, outputIndex: 1, amount: '3' });
  await sendOk({ ...body, txHash: aHash() });
  await sendOk({ ...webhookOf(address, { status: 'EXPIRED' }), externalId: 'late', txHash: undefined });
  await sendOk(webhookOf(address, { externalId: 'late', amount: '7' }));
  expect(await cashOf(player)).toBe('60');
  expect(await statusOf(player)).toEqual(Array(4).fill('COMPLETED'));
});

test('reverses a deposit after a reorganization, and records money already spent as a claim that the next deposit pays', async () => {
  const { player, address } = await playerWithAddress();
  const body = webhookOf(address, { amount: '100' });
  await sendOk(body);
  expect((await adminStatsOf(app.db, [player.id])).get(player.id)).toMatchObject({ totalDeposits: '100' });
  const drained = await app.call('POST', '/debug/user/action', {
    body: { userId: player.id, action: 'SET_BALANCE', params: { currencyId: 'USDT', amount: '40' } },
  });
  expect(drained.status).toBe(201);
  await player.call('POST', '/accounting/to-vault', { body: { currencyId: 'USDT', amount: '10' } });
  const gone = { ...body, status: 'REVERSED', confirmations: 0 };
  await Promise.all(Array.from({ length: 20 }, (_, i) => sendOk(gone, i % 2 ? app : other)));
  expect(await cashOf(player)).toBe('0');
  expect(await claimsOf(player)).toEqual([[60n * USDT, 60n * USDT]]);
  expect(await statusOf(player)).toEqual(['REVERSED']);
  expect((await adminStatsOf(app.db, [player.id])).get(player.id)).toMatchObject({ totalDeposits: '0' });
  // Later webhooks do not change the status, but a finding informs staff that the coins may have reappeared.
  await sendOk({ ...body, occurredAt: new Date(Date.now() + 1000).toISOString() });
  expect(await cashOf(player)).toBe('0');
  expect((await rowsOf(player))[0]!.review_reason).toBe('COMPLETED_AFTER_REVERSAL');

  await sendOk(webhookOf(address, { amount: '45' }));
  expect([await cashOf(player), await claimsOf(player)]).toEqual(['0', [[60n * USDT, 15n * USDT]]]);
  await sendOk(webhookOf(address, { amount: '45' }));
  expect([await cashOf(player), await claimsOf(player)]).toEqual(['30', [[60n * USDT, 0n]]]);
});

test('moves no money when coins disappear from the chain before they are credited', async () => {
  const { player, address } = await playerWithAddress(5);
  const body = webhookOf(address, { status: 'CONFIRMING', confirmations: 3 });
  await sendOk(body);
  await sendOk({ ...body, status: 'REVERSED' });
  expect([await cashOf(player), await statusOf(player), await claimsOf(player)]).toEqual([
    '5',
    ['REVERSED'],
    [],
  ]);
  const first = webhookOf(address, { status: 'REVERSED' });
  await sendOk(first);
  await sendOk({ ...first, status: 'COMPLETED', occurredAt: new Date(Date.now() - 60_000).toISOString() });
  expect(await cashOf(player)).toBe('5');
});

test('credits nothing with too few confirmations, without a transaction or below the minimum', async () => {
  const { player, address } = await playerWithAddress();
  const shallow = webhookOf(address, { confirmations: 19 });
  await sendOk(shallow);
  expect(await statusOf(player)).toEqual(['CONFIRMING']);
  await sendOk({ ...shallow, confirmations: 20 });
  expect(await statusOf(player)).toEqual(['COMPLETED']);
  await sendOk({ ...webhookOf(address, { externalId: 'blind' }), txHash: undefined });
  expect(await statusOf(player)).toEqual(['CONFIRMING', 'COMPLETED']);
  await sendOk(webhookOf(address, { externalId: 'blind' }));
  expect(await statusOf(player)).toEqual(['COMPLETED', 'COMPLETED']);
  await sendOk(webhookOf(address, { amount: '0.99' }));
  await sendOk(webhookOf(address, { amount: '0' }));
  expect((await statusOf(player)).slice(0, 2)).toEqual(['UNDER_REVIEW', 'UNDER_REVIEW']);
  expect((await rowsOf(player)).at(-1)!.review_reason).toBe('BELOW_MINIMUM');
  await sendOk(webhookOf(address, { amount: '1', confirmations: 0 }));
  expect(await cashOf(player)).toBe('51');
});

test('stores a deposit to an unknown address for review and credits it once its owner is known', async () => {
  const player = await app.newPlayer();
  const body = webhookOf(`T${aHash()}`);
  await sendOk({ ...body, status: 'DETECTED' });
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
  await sendOk(body);
  expect(await kept()).toMatchObject({ user_id: player.id, status: 'COMPLETED', review_reason: null });
  expect(await cashOf(player)).toBe('25');
});

test('identifies the owner of a shared address by memo, and identifies no owner without a memo', async () => {
  const player = await app.newPlayer();
  const on = { currencyId: 'XRP', networkId: 'ripple' };
  const address = await giveAddress(app.db, player.id, { ...on, memo: '77' });
  const body = { ...on, amount: '50', confirmations: 1 };
  await sendOk(webhookOf(address, { ...body, payMemo: '77' }));
  for (const payMemo of ['78', undefined]) await sendOk(webhookOf(address, { ...body, payMemo }));
  expect(await cashOf(player, 'XRP')).toBe('50');
  const nobodys = await app.db
    .selectFrom('deposits')
    .select('status')
    .where('pay_address', '=', address)
    .where('user_id', 'is', null)
    .execute();
  expect(nobodys.map((d) => d.status)).toEqual(['UNDER_REVIEW', 'UNDER_REVIEW']);
});

test('adds a wagering requirement to a deposit, lets bets reduce it and removes it on a reversal', async () => {
  const { player, address } = await playerWithAddress();
  const open = async () => (await app.services.rollover.remaining(app.db, player.id)) / USDT;
  await sendOk(webhookOf(address));
  expect(await open()).toBe(25n);
  await betOnDice(player, { betAmount: '10' });
  expect(await open()).toBe(15n);
  const second = webhookOf(address, { amount: '30' });
  await sendOk(second);
  expect(await open()).toBe(45n);
  await sendOk({ ...second, status: 'REVERSED' });
  expect(await open()).toBe(15n);
  await app.call('POST', '/debug/user/action', { body: { userId: player.id, action: 'COMPLETE_WAGERING' } });
  expect(await open()).toBe(0n);
});
