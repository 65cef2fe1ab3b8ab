import { expect, test } from 'vitest';
import { cashOf, type Player } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { startSkins } from '../../../../test/kit/money/skins.ts';

const skins = fixture(startSkins);

const ITEMS = [{ name: '★ Karambit | Doppler', priceUsd: '60.5' }];

test('credits a deposit once after its hold, at the current rate, rounded down', async () => {
  const { player, depositId, transactionId } = await skins.opened({ currencyId: 'BTC' });
  const holdUntil = '2030-01-02T03:04:05.678Z';
  await skins.say(transactionId, 'IN_HOLD', { items: ITEMS, usdAmount: '60.5', holdUntil });
  const held = { id: depositId, status: 'IN_HOLD', items: ITEMS, usdAmount: '60.5', holdUntil };
  expect(await skins.seen(player, depositId)).toMatchObject({ ...held, creditedAmount: null });
  expect(await cashOf(player, 'BTC')).toBe('0');
  expect((await skins.say(transactionId, 'SUCCESS', { usdAmount: '60.5' })).body).toEqual({
    success: true,
  });
  const { rate } = skins.app.services.currencies.rateOf('BTC');
  const expected = (6_050_000_000n * 10n ** 12n) / rate;
  const { creditedAmount, status } = await skins.seen(player, depositId);
  expect([status, creditedAmount]).toEqual([
    'SUCCESS',
    `0.${String(expected).padStart(8, '0')}`.replace(/0+$/, ''),
  ]);
  expect(await cashOf(player, 'BTC')).toBe(creditedAmount);
});

test('ends a hold after eight days if the marketplace does not report its end', async () => {
  const { player, depositId, transactionId } = await skins.opened();
  await skins.say(transactionId, 'IN_HOLD', { occurredAt: '2026-11-01T00:00:00.000Z' });
  expect((await skins.seen(player, depositId)).holdUntil).toBe('2026-11-09T00:00:00.000Z');
});

test('credits nothing after a failure, and shows the reason', async () => {
  const { player, depositId, transactionId } = await skins.opened();
  await skins.say(transactionId, 'FAIL', { failReason: 'trade declined' });
  expect(await skins.seen(player, depositId)).toMatchObject({
    status: 'FAIL',
    failReason: 'trade declined',
  });
  expect(await cashOf(player)).toBe('0');
});

test('credits a low-risk deposit in advance, and only once', async () => {
  const { player, depositId, transactionId } = await skins.opened();
  await skins.say(transactionId, 'HOLD_APPROVED', { userRisk: { score: 10 } });
  expect(await skins.seen(player, depositId)).toMatchObject({
    status: 'HOLD_APPROVED',
    creditedAmount: '50',
  });
  expect(await cashOf(player)).toBe('50');
  await skins.say(transactionId, 'SUCCESS', {});
  expect(await skins.seen(player, depositId)).toMatchObject({ status: 'SUCCESS', creditedAmount: '50' });
  expect(await cashOf(player)).toBe('50');
});

test('keeps the advanced amount when the final amount differs, and marks the deposit for review', async () => {
  const { player, depositId, transactionId } = await skins.opened();
  await skins.say(transactionId, 'HOLD_APPROVED', { userRisk: { score: 10 } });
  await skins.say(transactionId, 'SUCCESS', { usdAmount: '45' });
  expect(await cashOf(player)).toBe('50');
  expect((await skins.row(depositId)).review_reason).toBe('AMOUNT_CHANGED');
});

test.each([
  ['high', { score: 90 }],
  ['unknown', undefined],
  ['unreadable', { score: 'low' }],
])('credits nothing in advance when the risk is %s', async (_, userRisk) => {
  const { player, depositId, transactionId } = await skins.opened();
  await skins.say(transactionId, 'HOLD_APPROVED', { userRisk });
  expect(await skins.seen(player, depositId)).toMatchObject({
    status: 'HOLD_APPROVED',
    creditedAmount: null,
  });
  expect(await cashOf(player)).toBe('0');
  await skins.say(transactionId, 'SUCCESS');
  expect(await cashOf(player)).toBe('50');
});

test("limits a player's open advances across processes", async () => {
  const player = await skins.seller();
  const deposits = await Promise.all(Array.from({ length: 6 }, () => skins.opened({}, player)));
  const approve = (i: number) =>
    skins.say(
      deposits[i]!.transactionId,
      'HOLD_APPROVED',
      { userRisk: { score: 50 }, usdAmount: '40' },
      i % 2 ? skins.second : skins.app,
    );
  await Promise.all([0, 1, 2, 3, 4].map(approve));
  // Two advances of 40 fit into the limit of 100.
  expect(await cashOf(player)).toBe('80');
  const seen = await Promise.all(deposits.map(({ depositId }) => skins.seen(player, depositId)));
  const advanced = deposits.find((_, i) => seen[i].creditedAmount !== null)!;
  await skins.say(advanced.transactionId, 'SUCCESS');
  await approve(5);
  expect(await cashOf(player)).toBe('120');
  // The other deposits are credited when they succeed.
  for (const { transactionId } of deposits) await skins.say(transactionId, 'SUCCESS', { usdAmount: '40' });
  expect(await cashOf(player)).toBe('240');
});

test('turns a reversed advance that the player has lost in bets into a claim, which later deposits pay', async () => {
  const { player, depositId, transactionId } = await skins.opened();
  await skins.say(transactionId, 'HOLD_APPROVED', { userRisk: { score: 0 } });
  const vault = { body: { currencyId: 'USDT', amount: '5' } };
  expect((await player.call('POST', '/accounting/to-vault', vault)).status).toBe(201);
  await lose(player, '30');
  await skins.say(transactionId, 'HOLD_RETURNED', { failReason: 'trade reversed' });
  expect(await skins.seen(player, depositId)).toMatchObject({
    status: 'HOLD_RETURNED',
    creditedAmount: '50',
    failReason: 'trade reversed',
  });
  const { body: vaults } = await player.call('GET', '/accounting/vault-balances');
  expect([await cashOf(player), vaults[0].vaultAmount, await owed(player)]).toEqual([
    '0',
    '0',
    3_000_000_000n,
  ]);
  const next = await skins.opened({}, player);
  await skins.say(next.transactionId, 'SUCCESS', { usdAmount: '100' });
  expect([await cashOf(player), await owed(player)]).toEqual(['70', 0n]);
  await skins.app.assertInvariants();
});

test('credits nothing in advance in any currency to a player who owes money', async () => {
  const { player, transactionId } = await skins.opened();
  await skins.say(transactionId, 'HOLD_APPROVED', { userRisk: { score: 0 } });
  await lose(player, '30');
  await skins.say(transactionId, 'HOLD_RETURNED');
  for (const currencyId of ['USDT', 'USDC']) {
    const next = await skins.opened({ currencyId }, player);
    await skins.say(next.transactionId, 'HOLD_APPROVED', { userRisk: { score: 0 } });
    expect(await skins.seen(player, next.depositId)).toMatchObject({ creditedAmount: null });
    expect(await owed(player)).toBe(3_500_000_000n);
  }
});

test('reverses an advance when the trade fails', async () => {
  const { player, depositId, transactionId } = await skins.opened();
  await skins.say(transactionId, 'HOLD_APPROVED', { userRisk: { score: 0 } });
  await skins.say(transactionId, 'FAIL', { failReason: 'trade reversed' });
  expect((await skins.seen(player, depositId)).status).toBe('HOLD_RETURNED');
  expect(await cashOf(player)).toBe('0');
});

test('keeps a final status when a later report contradicts it, and marks the deposit for review', async () => {
  const { player, depositId, transactionId } = await skins.opened();
  await skins.say(transactionId, 'SUCCESS');
  expect((await skins.say(transactionId, 'FAIL')).status).toBe(200);
  expect(await cashOf(player)).toBe('50');
  expect((await skins.row(depositId)).review_reason).toBe('CONTRADICTED_BY_FAIL');
});

test('posts nothing for a value below the smallest unit of the currency', async () => {
  const { player, depositId, transactionId } = await skins.opened({ currencyId: 'EUR' });
  await skins.say(transactionId, 'SUCCESS', { usdAmount: '0.001' });
  expect(await skins.seen(player, depositId)).toMatchObject({ status: 'SUCCESS', creditedAmount: '0' });
});

test('counts the credited value in statistics and limits, not the reported value of the items', async () => {
  const { player, depositId, transactionId } = await skins.opened({ currencyId: 'EUR' });
  await skins.say(transactionId, 'HOLD_APPROVED', { usdAmount: '0.02', userRisk: { score: 0 } });
  // After rounding, 0.02 US dollars are 0.01 euros, which are worth 0.0108 US dollars.
  expect(await skins.row(depositId)).toMatchObject({
    usd_amount: 2_000_000n,
    credited_amount: 1_000_000n,
    credited_usd_amount: 1_080_000n,
  });
  const stats = await skins.app.db
    .selectFrom('payment_stats')
    .select('usd_amount')
    .where('user_id', '=', player.id)
    .execute();
  expect(new Set(stats.map(({ usd_amount }) => usd_amount))).toEqual(new Set(['1080000']));
  const credit = await skins.app.db
    .selectFrom('payment_credits')
    .select(['usd_amount', 'turnover_usd'])
    .where('user_id', '=', player.id)
    .executeTakeFirstOrThrow();
  expect(credit).toEqual({ usd_amount: 1_080_000n, turnover_usd: 1_080_000n });
  // A repeated report of the same value is not treated as a difference.
  await skins.say(transactionId, 'SUCCESS', { usdAmount: '0.02' });
  expect((await skins.row(depositId)).review_reason).toBeNull();
});

test('credits the items of excluded and banned players only at the end, and marks the deposits for review', async () => {
  for (const [bar, code] of [
    [skins.exclude, 'SELF_EXCLUDED'],
    [ban, 'USER_BANNED'],
  ] as const) {
    const { player, depositId, transactionId } = await skins.opened();
    await bar(player);
    await skins.say(transactionId, 'HOLD_APPROVED', { userRisk: { score: 0 } });
    expect(await skins.row(depositId)).toMatchObject({ status: 'HOLD_APPROVED', credited_at: null });
    await skins.say(transactionId, 'SUCCESS');
    expect(await skins.row(depositId)).toMatchObject({
      status: 'SUCCESS',
      credited_amount: 5_000_000_000n,
      review_reason: code,
    });
  }
});

test('counts credited deposits in the payment statistics, and removes reversed deposits from them', async () => {
  const { player, transactionId } = await skins.opened();
  const paidIn = async () => {
    const rows = skins.app.db.selectFrom('payment_stats').select('usd_amount');
    const all = await rows.where('user_id', '=', player.id).where('period', '=', 'ALL').execute();
    return all.map(({ usd_amount }) => usd_amount);
  };
  await skins.say(transactionId, 'HOLD_APPROVED', { userRisk: { score: 0 } });
  expect(await paidIn()).toEqual(['5000000000']);
  await skins.say(transactionId, 'HOLD_RETURNED');
  expect(await paidIn()).toEqual([]);
});

async function ban({ id }: Player): Promise<void> {
  const staff = await skins.app.as('superadmin');
  expect((await staff.call('PATCH', `/admin/user/${id}/ban`, { body: {} })).status).toBeLessThan(300);
}

/** Removes money from the balance, as if the player had lost it in bets. */
async function lose({ id }: Player, amount: string): Promise<void> {
  const staff = await skins.app.as('superadmin');
  const { body } = await staff.call('GET', `/admin/user/${id}`);
  expect(body.id).toBe(id);
  const left = { currencyId: 'USDT', balance: String(45 - Number(amount)) };
  expect((await staff.call('PUT', `/admin/user/${id}/balance`, { body: left })).status).toBeLessThan(300);
}

async function owed({ id }: Player): Promise<bigint> {
  const claims = await skins.app.db
    .selectFrom('claims')
    .select('remaining')
    .where('user_id', '=', id)
    .execute();
  return claims.reduce((sum, { remaining }) => sum + remaining, 0n);
}
