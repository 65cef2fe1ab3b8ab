import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { cashOf, type Player, startApp } from '../../../../test/kit/app.ts';
import { act, outcomeOf, setRate, startTips } from '../../../../test/kit/engagement/tips.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { units } from '../../../platform/money.ts';

const app = fixture(() => startTips());
const backoffice = fixture(() => startApp({ part: 'backoffice', database: app.database }));
const boss = fixture(() => app.as('superadmin'));
const clerk = () => app.as({ permissions: ['tip.read', 'tip.pay'] });

const GIVE = '/admin/admin-tips';
const DEDUCT = '/admin/admin-tips/deduct-balance';
const paymentTo = ({ id }: Player, fields: object = {}) => ({
  recipientUserId: id,
  currencyId: 'USDT',
  amount: '25',
  notes: 'for the wait',
  ...fields,
});
const move = (
  by: Player,
  path: string,
  to: Player,
  fields: object = {},
  headers: Record<string, string> = {},
) => by.call('POST', path, { body: paymentTo(to, fields), headers });
const turnoverOf = ({ id }: Player) => app.services.rollover.remaining(app.db, id);
const hoursOf = ({ id }: Player) =>
  app.db
    .selectFrom('money_hours')
    .select(['kind', 'count', 'amount', 'usd_amount'])
    .where('user_id', '=', id)
    .orderBy('kind')
    .execute();
const setAdminTips = async (adminTips: object) =>
  expect((await boss.call('PATCH', '/admin/config/COMMON', { body: { adminTips } })).status).toBe(200);
const listOf = async (by: Player, query = '') => {
  const { status, body } = await by.call('GET', `${GIVE}${query}`);
  expect(status).toBe(200);
  return body;
};

test('pays a tip as cash that must be wagered once, and notifies the player without showing the sender and the notes', async () => {
  const [staff, player] = [await clerk(), await app.newPlayer()];
  const given = await move(staff, GIVE, player, { tag: 'goodwill' });
  expect([given.status, given.body]).toEqual([200, { success: true }]);
  expect([await cashOf(player), await turnoverOf(player)]).toEqual(['25', units('25')]);
  expect(await hoursOf(player)).toEqual([
    { kind: 'admin.tip', count: 1, amount: units('25'), usd_amount: units('25') },
  ]);
  const { data } = await listOf(staff, `?recipientUserId=${player.id}`);
  expect(data).toEqual([
    {
      id: expect.any(String),
      kind: 'TIP',
      senderUserId: staff.id,
      sender: expect.objectContaining({ id: staff.id, username: staff.username }),
      recipientUserId: player.id,
      recipient: expect.objectContaining({ id: player.id, username: player.username }),
      currencyId: 'USDT',
      amount: '25',
      usdAmount: '25',
      notes: 'for the wait',
      tag: 'goodwill',
      createdAt: expect.stringMatching(/Z$/),
    },
  ]);
  const seen = [await player.call('GET', '/admin-tips'), await player.call('GET', '/notifications')];
  expect(seen[0]!.body).toMatchObject({
    total: 1,
    data: [{ id: data[0].id, currencyId: 'USDT', amount: '25', usdAmount: '25', tag: 'goodwill' }],
  });
  expect(new Set(Object.keys(seen[0]!.body.data[0]))).toEqual(
    new Set(['id', 'currencyId', 'amount', 'usdAmount', 'tag', 'createdAt']),
  );
  expect(seen[1]!.body).toMatchObject([
    { type: 'TIP', title: 'Tip received', body: '25 USDT have been added to your balance as a tip.' },
  ]);
  for (const { text } of seen) expect(text).not.toMatch(new RegExp(`${staff.username}|for the wait`));
});

test.each([
  ['en', 'Tip received', '2.5 USDT have been added to your balance as a tip.'],
  ['de', 'Trinkgeld erhalten', '2.5 USDT Trinkgeld wurden Ihrem Guthaben gutgeschrieben.'],
  ['es', 'Propina recibida', 'Se han añadido 2.5 USDT de propina a su saldo.'],
])('notifies the player in their language: %s', async (language, title, body) => {
  const player = await app.newPlayer();
  await app.db.updateTable('users').set({ language }).where('id', '=', player.id).execute();
  expect(outcomeOf(await move(boss, GIVE, player, { amount: '2.5' }))).toBe('200');
  expect((await player.call('GET', '/notifications')).body).toMatchObject([{ type: 'TIP', title, body }]);
});

test("deducts at most the player's cash, even from a self-excluded player, and sends no notification", async () => {
  const [staff, player] = [await clerk(), await app.newPlayer({ usdt: 30 })];
  const excludeUntil = new Date(Date.now() + 400 * 86_400_000).toISOString();
  await player.call('POST', '/user-limits/self-exclusion', { body: { excludeUntil } });
  expect(outcomeOf(await move(staff, GIVE, player))).toBe('403 SELF_EXCLUDED');
  expect((await move(staff, DEDUCT, player)).body).toEqual({ success: true });
  expect(await cashOf(player)).toBe('5');
  const more = await move(staff, DEDUCT, player, { amount: '5.000001' });
  expect([outcomeOf(more), more.body.details]).toEqual([
    '400 INSUFFICIENT_BALANCE',
    { currencyId: 'USDT', available: '5' },
  ]);
  expect(outcomeOf(await move(staff, DEDUCT, player, { amount: '5' }))).toBe('200');
  expect(outcomeOf(await move(staff, DEDUCT, player, { currencyId: 'BTC', amount: '0.001' }))).toBe(
    '400 INSUFFICIENT_BALANCE',
  );
  expect([await cashOf(player), await turnoverOf(player)]).toEqual(['0', 0n]);
  expect(await hoursOf(player)).toEqual([
    { kind: 'admin.deduction', count: 2, amount: units('30'), usd_amount: units('30') },
  ]);
  expect((await player.call('GET', '/admin-tips')).body).toMatchObject({ total: 0, data: [] });
  expect((await player.call('GET', '/notifications')).text).not.toContain('TIP');
});

test('shows tips and deductions in the accounting with the staff member and the reason', async () => {
  const [staff, player] = [await clerk(), await app.newPlayer({ usdt: 10 })];
  await move(staff, GIVE, player, { amount: '3' });
  await move(staff, DEDUCT, player, { amount: '4', notes: 'a mistake' });
  const rowsOf = async (type: string) =>
    (
      await boss.call('POST', '/admin/accounting/transactions', {
        body: {
          where: { userId: player.id, type },
          sortBy: 'createdAt',
          sortOrder: 'desc',
          page: 1,
          take: 5,
        },
      })
    ).body.data;
  const same = { referenceType: 'admintip', actorId: staff.id, currencyId: 'USDT', wallet: 'CASH' };
  expect(await rowsOf('ADMIN_TIP')).toMatchObject([
    { ...same, direction: 'IN', amount: '3', balanceAfter: '13', note: 'for the wait' },
  ]);
  expect(await rowsOf('ADMIN_DEDUCTION')).toMatchObject([
    { ...same, direction: 'OUT', amount: '4', balanceAfter: '9', note: 'a mistake' },
  ]);
});

test('records the cash before and after the change and the reason in the audit log', async () => {
  const [staff, player] = [await clerk(), await app.newPlayer({ usdt: 10 })];
  await move(staff, DEDUCT, player, { amount: '4', notes: ' a mistake ', tag: 'fix' });
  const row = await app.db
    .selectFrom('admin_audit')
    .select(['before', 'after', 'reason'])
    .where('user_id', '=', staff.id)
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow();
  const account = { userId: player.id, currencyId: 'USDT' };
  expect(row).toEqual({
    before: { ...account, balance: '10' },
    after: { ...account, balance: '6', tipId: expect.any(String), tag: 'fix' },
    reason: 'a mistake',
  });
});

describe('limits', () => {
  test('allows staff 1,000 USD per call and 5,000 USD per day for tips and deductions together, and superadmins more', async () => {
    const [staff, player] = [await clerk(), await app.newPlayer()];
    const over = await move(staff, GIVE, player, { amount: '1000.000001' });
    expect([outcomeOf(over), over.body.details]).toEqual([
      '403 ADMIN_TIP_LIMIT',
      { maxUsd: '1000', todayUsd: '0' },
    ]);
    for (const path of [GIVE, GIVE, DEDUCT, GIVE])
      expect(outcomeOf(await move(staff, path, player, { amount: '1000' }))).toBe('200');
    expect(outcomeOf(await move(staff, GIVE, player, { amount: '999.999999' }))).toBe('200');
    const last = await move(staff, DEDUCT, player, { amount: '0.000002' });
    expect([outcomeOf(last), last.body.details]).toEqual([
      '403 ADMIN_TIP_LIMIT',
      { dailyMaxUsd: '5000', todayUsd: '4999.999999' },
    ]);
    expect(outcomeOf(await move(staff, DEDUCT, player, { amount: '0.000001' }))).toBe('200');
    expect(outcomeOf(await move(await clerk(), GIVE, player, { amount: '1' }))).toBe('200');
    expect(outcomeOf(await move(boss, GIVE, player, { amount: '6000' }))).toBe('200');
    expect(outcomeOf(await move(boss, DEDUCT, player, { amount: '6000' }))).toBe('200');
    await app.sql`update admin_tips set created_at = created_at - interval '1 day' where sender_id = ${staff.id}`.execute(
      app.db,
    );
    expect(outcomeOf(await move(staff, GIVE, player, { amount: '1000' }))).toBe('200');
  });

  test('applies the limits to the US dollar value in every currency, and reads them from the settings', async () => {
    await setRate(app, 'BTC', '65000');
    const [staff, player] = [await clerk(), await app.newPlayer()];
    const inBtc = (amount: string) => move(staff, GIVE, player, { currencyId: 'BTC', amount });
    expect(outcomeOf(await inBtc('0.01538462'))).toBe('403 ADMIN_TIP_LIMIT');
    expect(outcomeOf(await inBtc('0.01538461'))).toBe('200');
    await setAdminTips({ maxUsd: '50', dailyMaxUsd: '1010', turnoverPercent: 250 });
    try {
      await act(app, player, 'COMPLETE_WAGERING');
      expect(outcomeOf(await move(staff, GIVE, player, { amount: '50.01' }))).toBe('403 ADMIN_TIP_LIMIT');
      expect(outcomeOf(await move(staff, GIVE, player, { amount: '10' }))).toBe('200');
      expect(await turnoverOf(player)).toBe(units('25'));
      expect(outcomeOf(await move(staff, GIVE, player, { amount: '1' }))).toBe('403 ADMIN_TIP_LIMIT');
    } finally {
      await setAdminTips({ maxUsd: '1000', dailyMaxUsd: '5000', turnoverPercent: 100 });
    }
  });

  test('does not exceed the daily limits when a hundred tips are sent concurrently', async () => {
    const [staff, players] = [await clerk(), [await app.newPlayer(), await app.newPlayer()]];
    const responses = await Promise.all(
      Array.from({ length: 100 }, (_, i) => move(staff, GIVE, players[i % 2]!, { amount: '300' })),
    );
    const given = responses.filter(({ status }) => status === 200);
    expect(given).toHaveLength(16);
    expect(responses.filter(({ body }) => body.code === 'ADMIN_TIP_LIMIT')).toHaveLength(84);
    const cash = await Promise.all(players.map((player) => cashOf(player)));
    expect(cash.reduce((sum, one) => sum + Number(one), 0)).toBe(4800);
  });
});

describe('errors', () => {
  test('rejects amounts whose value or resulting balance overflows, and changes nothing', async () => {
    const player = await app.newPlayer();
    const give = async (currencyId: string, amount: string) =>
      outcomeOf(await move(boss, GIVE, player, { currencyId, amount }));
    expect(await give('BTC', '9000000000')).toBe('400 AMOUNT_OUT_OF_RANGE');
    expect(await give('USDT', '50000000000')).toBe('409 APPROVAL_NEEDED');
    const other = await app.as('superadmin');
    expect(outcomeOf(await move(other, GIVE, player, { amount: '50000000000' }))).toBe('200');
    expect(await give('USDT', '50000000000')).toBe('409 APPROVAL_NEEDED');
    expect(outcomeOf(await move(other, GIVE, player, { amount: '50000000000' }))).toBe(
      '400 AMOUNT_OUT_OF_RANGE',
    );
    expect(await cashOf(player)).toBe('50000000000');
    for (const [by, outcome] of [
      [other, '409 APPROVAL_NEEDED'],
      [boss, '200'],
    ] as const)
      expect(outcomeOf(await move(by, DEDUCT, player, { amount: '50000000000' }))).toBe(outcome);
  });

  test.each([GIVE, DEDUCT])('rejects invalid calls to POST %s', async (path) => {
    const [staff, player] = [await clerk(), await app.newPlayer({ usdt: 10 })];
    const unknown = { ...player, id: 2_000_000_000 };
    const code = async (to: Player, fields?: object) => outcomeOf(await move(staff, path, to, fields));
    expect(await code(unknown)).toBe('404 USER_NOT_FOUND');
    expect(await code(staff)).toBe('403 OWN_ACCOUNT');
    expect(await code(boss)).toBe('403 FORBIDDEN');
    expect(await code(player, { currencyId: 'XXX' })).toBe('404 CURRENCY_NOT_FOUND');
    for (const amount of ['0', '0.0000001', '999999999999'])
      expect(await code(player, { amount })).toBe('400 AMOUNT_OUT_OF_RANGE');
    for (const fields of [
      { notes: ' ' },
      { notes: undefined },
      { tag: 'x'.repeat(51) },
      { amount: 5 },
      { more: 1 },
    ])
      expect(await code(player, fields)).toBe('400 VALIDATION_FAILED');
    await app.db.updateTable('users').set({ opened_by: staff.id }).where('id', '=', player.id).execute();
    expect(await code(player)).toBe('403 ACCOUNT_CONNECTED');
    await app.db.updateTable('users').set({ opened_by: null }).where('id', '=', player.id).execute();
    const reader = await app.as({ permissions: ['tip.read'] });
    expect(outcomeOf(await move(reader, path, player))).toBe('403 FORBIDDEN');
    expect(outcomeOf(await move(player, path, player))).toBe('403 FORBIDDEN');
    expect((await app.call('POST', path, { body: paymentTo(player) })).status).toBe(401);
    expect(await cashOf(player)).toBe('10');
  });

  test("checks the gate with the player's country for a tip, but not for a deduction", async () => {
    const [staff, player] = [await clerk(), await app.newPlayer({ usdt: 10 })];
    await act(app, player, 'SET_COUNTRY', { country: 'JP' });
    expect((await boss.call('PATCH', '/admin/country/JP', { body: { isBlocked: true } })).status).toBe(200);
    expect(outcomeOf(await move(staff, GIVE, player))).toBe('403 AUTH_GEO_BLOCKED');
    expect((await boss.call('PATCH', '/admin/country/JP', { body: { isBlocked: false } })).status).toBe(200);
    expect((await boss.call('PATCH', `/admin/user/${player.id}/ban`, { body: {} })).status).toBe(200);
    expect(outcomeOf(await move(staff, GIVE, player))).toBe('403 USER_BANNED');
    expect(outcomeOf(await move(staff, DEDUCT, player, { amount: '10' }))).toBe('200');
  });

  test('rejects a tip when the exchange rate is stale', async () => {
    const [staff, player] = [await clerk(), await app.newPlayer()];
    const age = (seconds: number, source: string) =>
      app.db
        .updateTable('exchange_rates')
        .set({ source, updated_at: new Date(Date.now() - seconds * 1000) })
        .where('currency_id', '=', 'SOL')
        .execute();
    await age(301, 'coinbase');
    await expect.poll(() => app.services.currencies.rateOf('SOL').stale).toBe(true);
    expect(outcomeOf(await move(staff, GIVE, player, { currencyId: 'SOL', amount: '1' }))).toBe(
      '409 RATE_STALE',
    );
    await age(0, 'fixed');
    await expect.poll(() => app.services.currencies.rateOf('SOL').stale).toBe(false);
  });

  test("rejects a call when the caller's permission was revoked after sign-in", async () => {
    const [staff, player] = [await clerk(), await app.newPlayer()];
    await app.db
      .updateTable('users')
      .set({ permissions: ['tip.read'] })
      .where('id', '=', staff.id)
      .execute();
    expect(outcomeOf(await move(staff, GIVE, player))).toBe('403 FORBIDDEN');
    expect(await cashOf(player)).toBe('0');
  });
});

test('pays once for a repeated idempotency key, and rejects the key for the other operation', async () => {
  const [staff, player] = [await clerk(), await app.newPlayer()];
  const headers = { 'idempotency-key': randomUUID() };
  const responses = await Promise.all(
    Array.from({ length: 10 }, () => move(staff, GIVE, player, {}, headers)),
  );
  expect(responses.map(({ status, body }) => [status, body])).toEqual(
    Array(10).fill([200, { success: true }]),
  );
  expect(outcomeOf(await move(staff, DEDUCT, player, {}, headers))).toBe('409 IDEMPOTENCY_KEY_REUSED');
  expect(await cashOf(player)).toBe('25');
});

describe('the list for staff', () => {
  test('filters by sender and recipient, searches and sorts', async () => {
    const [one, two] = [await clerk(), await clerk()];
    const [ann, ben] = [await app.newPlayer({ username: 'ann_of_tips' }), await app.newPlayer({ usdt: 50 })];
    await move(one, GIVE, ann, { amount: '3', tag: 'Birthday' });
    await move(one, DEDUCT, ben, { amount: '9' });
    await move(two, GIVE, ben, { amount: '6' });
    const list = async (query: string, by = one) =>
      (await listOf(by, query)).data.map(
        (row: any) => `${row.kind} ${row.amount} ${row.recipientUserId === ann.id ? 'ann' : 'ben'}`,
      );
    expect(await list(`?senderUserId=${one.id}`)).toEqual(['DEDUCTION 9 ben', 'TIP 3 ann']);
    expect(await list(`?senderUserId=${one.id}&sortOrder=asc`)).toEqual(['TIP 3 ann', 'DEDUCTION 9 ben']);
    expect(await list(`?recipientUserId=${ben.id}&sortBy=usdAmount`)).toEqual([
      'DEDUCTION 9 ben',
      'TIP 6 ben',
    ]);
    expect(await list(`?senderOrRecipientUserId=${two.id}`)).toEqual(['TIP 6 ben']);
    expect(await list(`?senderOrRecipientUserId=${ben.id}&take=1&page=2`)).toEqual(['DEDUCTION 9 ben']);
    expect(await list('?search=n_of_tip')).toEqual(['TIP 3 ann']);
    expect(await list(`?search=${two.username}`)).toEqual(['TIP 6 ben']);
    expect(await list(`?search=${ann.id}`)).toEqual(['TIP 3 ann']);
    expect(await list('?search=birthday')).toEqual(['TIP 3 ann']);
    expect(await list('?search=%25')).toEqual([]);
    expect(await listOf(one, `?senderUserId=${ann.id}`)).toMatchObject({ total: 0, data: [] });
    for (const query of ['?take=101', '?sortBy=amount', '?kind=TIP', '?senderUserId=x'])
      expect((await one.call('GET', GIVE + query)).status).toBe(400);
  });

  test('masks email addresses without the permission for personal data, and requires the permission to read tips', async () => {
    const [staff, player] = [await clerk(), await app.newPlayer()];
    await move(staff, GIVE, player);
    const emailFor = async (by: Player) =>
      (await listOf(by, `?recipientUserId=${player.id}`)).data[0].recipient.email;
    expect(await emailFor(staff)).toContain('***');
    expect(await emailFor(boss)).toBe(`${player.username}@test.example`);
    expect((await player.call('GET', GIVE)).status).toBe(403);
    expect((await app.call('GET', GIVE)).status).toBe(401);
    expect((await app.call('GET', '/admin-tips')).status).toBe(401);
  });
});

test('lists the tips that a player received, sorted by time or by amount', async () => {
  const player = await app.newPlayer();
  const other = await app.newPlayer();
  for (const amount of ['2', '7', '5']) await move(boss, GIVE, player, { amount });
  await move(boss, GIVE, other, { amount: '1' });
  const list = async (query: string) =>
    (await player.call('GET', `/admin-tips${query}`)).body.data.map((row: any) => row.amount);
  expect(await list('')).toEqual(['5', '7', '2']);
  expect(await list('?sortBy=usdAmount&sortOrder=asc')).toEqual(['2', '5', '7']);
  expect(await list('?take=2&page=2')).toEqual(['2']);
});

test('serves the same operations in the backoffice, with status 201', async () => {
  const [staff, player] = [await clerk(), await app.newPlayer()];
  const inBackoffice = (method: string, path: string, fields?: object) =>
    backoffice.call(method, path, { token: staff.token, ...(fields && { body: paymentTo(player, fields) }) });
  expect(await inBackoffice('POST', '/admin-tips', { amount: '4' })).toMatchObject({
    status: 201,
    body: { success: true },
  });
  expect(await inBackoffice('POST', '/admin-tips/deduct-balance', { amount: '1' })).toMatchObject({
    status: 201,
    body: { success: true },
  });
  expect(await cashOf(player)).toBe('3');
  const { status, body } = await inBackoffice('GET', `/admin-tips?recipientUserId=${player.id}`);
  expect([status, body.data.map((row: any) => row.kind)]).toEqual([200, ['DEDUCTION', 'TIP']]);
  expect((await backoffice.call('GET', '/admin-tips', { token: player.token })).status).toBe(403);
});
