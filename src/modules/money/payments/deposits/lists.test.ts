import { expect, test } from 'vitest';
import { type Answer, startApp } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import { depositsOf, giveAddress, tell, webhookOf } from '../../../../../test/kit/money/deposits.ts';

const app = fixture(startApp);
const backoffice = fixture(() => startApp({ part: 'backoffice', database: app.database }));
const clerk = fixture(() => app.as({ permissions: ['deposit.read'] }));

const codeOf = ({ status, body }: Answer) => `${status} ${body?.code ?? ''}`.trim();
const amounts = (body: { data: { amount: string }[] }) => body.data.map((d) => d.amount);

test("filters, sorts and pages the player's own deposits", async () => {
  const player = await app.newPlayer();
  const address = await giveAddress(app.db, player.id);
  const btc = await giveAddress(app.db, player.id, { currencyId: 'BTC', networkId: 'bitcoin' });
  await tell(app, webhookOf(address, { amount: '3' }));
  await tell(app, webhookOf(address, { amount: '2', status: 'DETECTED' }));
  await tell(app, webhookOf(btc, { currencyId: 'BTC', networkId: 'bitcoin', amount: '0.01' }));
  const list = async (query: string) => (await player.call('GET', `/payments/deposit${query}`)).body;
  expect(amounts(await list(''))).toEqual(['0.01', '2', '3']);
  expect(amounts(await list('?sortOrder=asc'))).toEqual(['3', '2', '0.01']);
  expect(amounts(await list('?sortBy=usdAmount&sortOrder=asc'))).toEqual(['2', '3', '0.01']);
  expect(amounts(await list('?status=DETECTED'))).toEqual(['2']);
  expect(amounts(await list('?currencyId=BTC'))).toEqual(['0.01']);
  expect(await list('?take=2&page=2')).toMatchObject({ take: 2, page: 2, total: 3, totalPages: 2 });
  expect(await list('?page=9007199254740991')).toMatchObject({ data: [], total: 3 });
  for (const query of ['?take=21', '?status=DONE', '?sortBy=amount', '?more=1', '?page=0'])
    expect((await player.call('GET', `/payments/deposit${query}`)).status, query).toBe(400);
  expect((await app.call('GET', '/payments/deposit')).status).toBe(401);
  expect(await depositsOf(await app.newPlayer())).toEqual([]);
});

test('lists all deposits for staff on both services, and masks email addresses for staff without user.pii', async () => {
  const player = await app.newPlayer();
  await app.db.updateTable('users').set({ affiliate_code: 'FRIEND' }).where('id', '=', player.id).execute();
  const address = await giveAddress(app.db, player.id);
  const webhook = webhookOf(address);
  await tell(app, webhook);
  const [own] = await depositsOf(player);
  const one = await clerk.call('GET', `/admin/payments/deposit/${own!.id}`);
  expect(one.body).toEqual({
    id: own!.id,
    status: 'COMPLETED',
    amount: '25',
    currencyId: 'USDT',
    usdAmount: '25',
    networkId: 'tron',
    affiliateAmount: '0',
    depositBonus: null,
    affiliateCodeId: 'FRIEND',
    providerId: 'sandbox',
    txHash: webhook.txHash,
    payAddress: address,
    payMemo: null,
    externalId: webhook.externalId,
    createdAt: own!.createdAt,
    userId: player.id,
    transactionId: own!.transactionId,
    user: {
      id: player.id,
      username: player.username,
      avatar: null,
      vipLevel: 0,
      email: expect.stringMatching(/^p_\*\*\*@test\.example$/),
    },
  });
  const mine = `userId=${player.id}`;
  const list = await clerk.call('GET', `/admin/payments/deposit?${mine}`);
  expect(list.body).toEqual({
    data: [one.body],
    take: 20,
    page: 1,
    total: 1,
    totalPages: 1,
    totalIsExact: true,
  });
  const behind = await backoffice.call('GET', `/deposit?${mine}`, { token: clerk.token });
  expect(behind.body).toEqual(list.body);
  const boss = await app.as('superadmin');
  const full = await boss.call('GET', `/admin/payments/deposit?${mine}`);
  expect(full.body.data[0].user.email).toBe(`${player.username}@test.example`);

  await tell(app, webhookOf(address, { amount: '9', status: 'DETECTED' }));
  const staff = async (query: string) =>
    (await clerk.call('GET', `/admin/payments/deposit?${mine}&${query}`)).body;
  expect(amounts(await staff('sortBy=usdAmount'))).toEqual(['25', '9']);
  expect(amounts(await staff('sortBy=createdAt&sortOrder=asc'))).toEqual(['25', '9']);
  expect(amounts(await staff('status=DETECTED'))).toEqual(['9']);
  expect(await staff('take=1&page=2')).toMatchObject({ total: 2, totalPages: 2 });
  for (const query of ['status=DONE', 'sortBy=email', 'take=101', 'userId=0'])
    expect((await clerk.call('GET', `/admin/payments/deposit?${query}`)).status, query).toBe(400);
});

test('lists and exports the deposits of a period, with both bounds, in any time zone', async () => {
  const player = await app.newPlayer();
  const address = await giveAddress(app.db, player.id);
  await tell(app, webhookOf(address, { amount: '3' }));
  await tell(app, webhookOf(address, { amount: '2' }));
  const [late, early] = (await depositsOf(player)).map(({ id }) => id as string);
  const createdAt = (id: string, at: string) =>
    app.db.updateTable('deposits').set({ created_at: at }).where('id', '=', id).execute();
  // The database stores microseconds, and responses contain milliseconds.
  await createdAt(early!, '2026-03-31T22:00:00.000400Z');
  await createdAt(late!, '2026-04-30T21:59:59.999Z');
  const list = (query: object) =>
    clerk.call(
      'GET',
      `/admin/payments/deposit?${new URLSearchParams({ userId: String(player.id), ...query })}`,
    );
  const idsOf = async (query: object) => (await list(query)).body.data.map((row: { id: string }) => row.id);
  const april = { startDate: '2026-04-01T00:00:00+02:00', endDate: '2026-04-30T23:59:59.999+02:00' };
  expect(await idsOf(april)).toEqual([late, early]);
  expect(await idsOf({ ...april, sortBy: 'usdAmount', status: 'COMPLETED' })).toEqual([early, late]);
  expect(await idsOf({ startDate: '2026-03-31T22:00:00.001Z' })).toEqual([late]);
  expect(await idsOf({ endDate: '2026-03-31T22:00:00Z' })).toEqual([early]);
  expect(await idsOf({ startDate: april.endDate, endDate: april.startDate })).toEqual([]);
  for (const endDate of ['2026-04-01', '2026-02-30T00:00:00Z', 'soon'])
    expect((await list({ endDate })).status, endDate).toBe(400);
  const file = await clerk.call(
    'GET',
    `/admin/payments/deposit?${new URLSearchParams({ ...april, userId: String(player.id), columns: 'id' })}`,
    { headers: { accept: 'text/csv' } },
  );
  expect(file.text.replace('\uFEFF', '').trim().split('\r\n')).toEqual(['id', late, early]);
  expect((await player.call('GET', '/payments/deposit?startDate=2026-04-01T00:00:00Z')).status).toBe(400);
});

test('requires deposit.read, and returns 404 for an unknown deposit', async () => {
  const player = await app.newPlayer();
  const reader = await app.as({ permissions: ['withdraw.read', 'user.read'] });
  for (const path of ['/admin/payments/deposit', '/admin/payments/deposit/x']) {
    expect(codeOf(await player.call('GET', path))).toBe('403 FORBIDDEN');
    expect(codeOf(await reader.call('GET', path))).toBe('403 FORBIDDEN');
    expect(codeOf(await app.call('GET', path))).toBe('401 UNAUTHORIZED');
  }
  expect(codeOf(await backoffice.call('GET', '/deposit', { token: reader.token }))).toBe('403 FORBIDDEN');
  for (const id of ['x', '0', '019ab000-0000-7000-8000-000000000000'])
    expect(codeOf(await clerk.call('GET', `/admin/payments/deposit/${id}`)), id).toBe(
      '404 DEPOSIT_NOT_FOUND',
    );
});

test('reads a page of 12,000 deposits through an index, and counts at most 10,000 deposits', async () => {
  const player = await app.newPlayer();
  for (const from of [1, 3001, 6001, 9001])
    await app.sql`insert into deposits (id, user_id, status, status_history, provider_id, external_id, currency_id, network_id,
      pay_address, amount, usd_amount, required_confirmations, noticed_at, created_at)
    select gen_random_uuid(), ${player.id}::int, 'DETECTED', '[]', 'bulk', n::text, 'USDT', 'tron', 'bulk', n, n, 20, now(),
      now() - n * interval '1 second' from generate_series(${from}::int, ${from}::int + 2999) n`.execute(
      app.db,
    );
  await app.sql`analyze deposits`.execute(app.db);
  for (const filter of ['', `userId=${player.id}&`, 'status=DETECTED&'])
    for (const sortBy of ['createdAt', 'usdAmount']) {
      const last = await clerk.call('GET', `/admin/payments/deposit?${filter}sortBy=${sortBy}&page=500`);
      expect([last.body.total, last.body.data.length], filter + sortBy).toEqual([10_000, 20]);
    }
  expect((await clerk.call('GET', '/admin/payments/deposit?page=501')).body).toMatchObject({
    data: [],
    total: 10_000,
  });
  for (const [where, order] of [
    ['', 'created_at'],
    ['', 'usd_amount'],
    [`where user_id = ${player.id}`, 'created_at'],
    [`where user_id = ${player.id}`, 'usd_amount'],
    [`where status = 'FAILED'`, 'created_at'],
    [`where status = 'DETECTED'`, 'usd_amount'],
    [
      `where created_at >= now() - interval '1 hour' and created_at < now() - interval '10 minutes'`,
      'created_at',
    ],
    [`where status = 'DETECTED' and created_at < now() - interval '1 hour'`, 'created_at'],
    [`where user_id = ${player.id} and created_at >= now() - interval '1 hour'`, 'created_at'],
  ]) {
    const { rows } = await app.sql<{
      'QUERY PLAN': string;
    }>`explain select * from deposits ${app.sql.raw(where!)}
      order by ${app.sql.raw(order!)} desc, id desc limit 20`.execute(app.db);
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan, `${where} ${order}`).not.toMatch(/Seq Scan|Sort/);
  }
});

test('lets the debug module send a webhook for a user and complete an open deposit', async () => {
  const player = await app.newPlayer();
  const debug = (path: string, body?: object) =>
    app.call('POST', `/debug/deposit/${path}`, body ? { body } : {});
  const webhook = webhookOf('anything', { status: 'DETECTED', confirmations: 0, amount: '12' });
  const made = await debug(String(player.id), webhook);
  expect([made.status, made.body.status, made.body.userId]).toEqual([201, 'DETECTED', player.id]);
  const done = await debug(`emulate-success/${player.id}`);
  expect(done.body).toMatchObject({ id: made.body.id, status: 'COMPLETED', amount: '12' });
  const second = await debug(`emulate-success/${player.id}`);
  expect(second.body).toMatchObject({
    status: 'COMPLETED',
    amount: '100',
    currencyId: 'USDT',
    networkId: 'tron',
  });
  const blind = await debug(String(player.id), { ...webhookOf('x', { amount: '7' }), txHash: undefined });
  expect(blind.body.status).toBe('CONFIRMING');
  expect((await debug(`emulate-success/${player.id}`)).body).toMatchObject({
    id: blind.body.id,
    status: 'COMPLETED',
  });
  expect(codeOf(await debug('2000000000', webhook))).toBe('404 USER_NOT_FOUND');
  expect(codeOf(await debug('emulate-success/2000000000'))).toBe('404 USER_NOT_FOUND');
  expect(codeOf(await debug(String(player.id), { ...webhook, amount: '0.000000001' }))).toBe(
    '400 AMOUNT_OUT_OF_RANGE',
  );
  expect(codeOf(await debug(String(player.id), { ...webhook, amount: 5 }))).toBe('400 VALIDATION_FAILED');
});
