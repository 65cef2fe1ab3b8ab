import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { codeOf } from '../../../../test/kit/accounts/accounts.ts';
import { betOnDice, DICE, type Player, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { transaction } from '../../../platform/database/db.ts';
import { units } from '../../../platform/money.ts';
import { recordPayment } from '../../money/payments/stats.ts';

const app = fixture(startApp);
const second = fixture(() => startApp({ database: app.database }));
const clerk = fixture(() => app.as({ permissions: ['limit.read', 'limit.write'] }));

const PATH = '/user-limits/gambling-limits';
const set = (player: Player, type: string, period: string, amount: string | null, through = app) =>
  through.call('POST', PATH, { token: player.token, body: { type, period, amount } });
const daily = (player: Player, amount: string | null, through = app) =>
  set(player, 'WAGER', 'DAY', amount, through);
const confirm = (player: Player, id: string, through = app) =>
  through.call('POST', `${PATH}/confirm`, { token: player.token, body: { id } });
const cancel = (player: Player, id: string) => player.call('DELETE', `${PATH}/pending`, { body: { id } });
const state = async (player: Player, through = app) =>
  (await through.call('GET', PATH, { token: player.token })).body;
const byStaff = (userId: number, betLimit: string, staff = clerk) =>
  staff.call('POST', '/admin/user-limits/gambling-limits', { body: { userId, betLimit } });
const bet = (player: Player, betAmount: string, through = app) =>
  through.call('POST', '/casino/games/house/dice/bet', {
    token: player.token,
    body: { ...DICE, betAmount },
  });
/** Moves all pending changes into the past by the given number of hours. */
const pass = (hours: number) =>
  sql`update gambling_limit_changes set requested_at = requested_at - make_interval(hours => ${hours}),
    confirmable_from = confirmable_from - make_interval(hours => ${hours}),
    lapses_at = lapses_at - make_interval(hours => ${hours}) where outcome is null`.execute(app.db);
const limitsOf = async ({ id }: Player) =>
  (await app.db.selectFrom('restrictions').select('limits').where('user_id', '=', id).executeTakeFirst())
    ?.limits;

test('applies a first or lower limit immediately, on all devices and in all processes', async () => {
  const player = await app.newPlayer({ usdt: 100 });
  expect(await state(player)).toEqual({
    betLimit: null,
    userId: player.id,
    id: null,
    createdAt: null,
    updatedAt: null,
    usage: null,
    pending: null,
    limits: [],
  });
  const first = await daily(player, '10');
  expect([first.status, first.body]).toMatchObject([
    201,
    {
      type: 'WAGER',
      period: 'DAY',
      amount: '10',
      source: 'PLAYER',
      pending: null,
      usage: { used: '0', remaining: '10' },
    },
  ]);
  expect(codeOf(await bet(player, '4', second))).toBe('201');
  // The other device lowers the limit that this device has just set.
  expect((await daily(player, '6', second)).body).toMatchObject({
    id: first.body.id,
    amount: '6',
    usage: { used: '4', remaining: '2' },
  });
  for (const through of [app, second]) {
    expect(await bet(player, '2.01', through)).toMatchObject({
      status: 403,
      body: { code: 'LIMIT_REACHED', details: { type: 'WAGER', period: 'DAY', limit: '6', used: '4' } },
    });
    expect(await state(player, through)).toMatchObject({ betLimit: '6', id: Number(first.body.id) });
  }
  expect(codeOf(await bet(player, '2'))).toBe('201');
  expect(codeOf(await bet(player, '0.01', second))).toBe('403 LIMIT_REACHED');
  // If the limit is below the current usage, the remaining amount is 0 and not negative.
  expect((await daily(player, '1')).body.usage).toMatchObject({ used: '6', remaining: '0' });
});

test('applies a higher limit only if it is confirmed 24 to 168 hours after the request', async () => {
  const player = await app.newPlayer({ usdt: 100 });
  await daily(player, '1');
  const raised = await daily(player, '50');
  const { pending } = raised.body;
  expect([raised.status, raised.body.amount]).toEqual([201, '1']);
  expect(pending).toMatchObject({ type: 'WAGER', period: 'DAY', amount: '50' });
  const hours = (from: string, to: string) => (Date.parse(to) - Date.parse(from)) / 3_600_000;
  expect(hours(pending.requestedAt, pending.confirmableFrom)).toBe(24);
  expect(hours(pending.requestedAt, pending.lapsesAt)).toBe(168);
  expect(await state(player)).toMatchObject({ betLimit: '1', pending, limits: [{ pending }] });
  const early = await confirm(player, pending.id);
  expect([codeOf(early), early.body.details]).toEqual([
    '409 LIMIT_CHANGE_TOO_EARLY',
    { confirmableFrom: pending.confirmableFrom },
  ]);
  await pass(23);
  expect(codeOf(await confirm(player, pending.id))).toBe('409 LIMIT_CHANGE_TOO_EARLY');
  await pass(1);
  // A day later, the limit is still unchanged, because the change has not been confirmed.
  expect(codeOf(await bet(player, '2'))).toBe('403 LIMIT_REACHED');
  const answers = await Promise.all([confirm(player, pending.id), confirm(player, pending.id, second)]);
  expect(answers.map(codeOf).sort()).toEqual(['201', '404 LIMIT_CHANGE_NOT_FOUND']);
  expect(answers.find((a) => a.status === 201)!.body).toMatchObject({ amount: '50', pending: null });
  expect(codeOf(await bet(player, '2', second))).toBe('201');
  expect(codeOf(await confirm(player, pending.id))).toBe('404 LIMIT_CHANGE_NOT_FOUND');

  const late = (await daily(player, '60')).body.pending;
  await pass(168);
  expect(codeOf(await confirm(player, late.id))).toBe('409 LIMIT_CHANGE_LAPSED');
  expect(codeOf(await cancel(player, late.id))).toBe('404 LIMIT_CHANGE_NOT_FOUND');
  expect(await state(player)).toMatchObject({ betLimit: '50', pending: null });
  // A change that has lapsed does not block a new one.
  const again = (await daily(player, '60')).body.pending;
  expect(again.id).not.toBe(late.id);
  expect(codeOf(await confirm(player, late.id))).toBe('409 LIMIT_CHANGE_LAPSED');
});

test('removes a limit only after a confirmation, and then applies a new limit immediately', async () => {
  const player = await app.newPlayer({ usdt: 100 });
  await daily(player, '1');
  const { amount, pending } = (await daily(player, null)).body;
  expect([amount, pending.amount]).toEqual(['1', null]);
  await pass(24);
  expect((await confirm(player, pending.id)).body).toMatchObject({
    amount: null,
    usage: null,
    pending: null,
  });
  expect(await state(player)).toMatchObject({ betLimit: null, limits: [] });
  expect(codeOf(await bet(player, '5'))).toBe('201');
  expect(codeOf(await daily(player, null))).toBe('404 LIMIT_NOT_FOUND');
  expect((await daily(player, '7')).body).toMatchObject({
    amount: '7',
    usage: { used: '5', remaining: '2' },
  });
});

test('allows only one pending change, and ends it when the player cancels it or sets a lower limit', async () => {
  const player = await app.newPlayer();
  await daily(player, '10');
  const { pending } = (await daily(player, '20')).body;
  const twice = await daily(player, '30', second);
  expect([codeOf(twice), twice.body.details]).toEqual(['409 LIMIT_CHANGE_PENDING', { id: pending.id }]);
  expect(codeOf(await daily(player, null))).toBe('409 LIMIT_CHANGE_PENDING');
  expect((await daily(player, '10')).body).toMatchObject({ amount: '10', pending });
  // A limit for another period is a separate limit.
  expect((await set(player, 'WAGER', 'WEEK', '15')).body.pending).toBeNull();
  expect(await cancel(player, pending.id)).toMatchObject({ status: 200, body: { success: true } });
  for (const act of [cancel, confirm])
    expect(codeOf(await act(player, pending.id))).toBe('404 LIMIT_CHANGE_NOT_FOUND');
  const next = (await daily(player, '20')).body.pending;
  expect((await daily(player, '5')).body).toMatchObject({ amount: '5', pending: null });
  await pass(24);
  expect(codeOf(await confirm(player, next.id))).toBe('404 LIMIT_CHANGE_NOT_FOUND');
  expect(await limitsOf(player)).toEqual({ WAGER: { DAY: '500000000', WEEK: '1500000000' } });
});

test('stores only one pending change when two processes receive eight concurrent requests for a higher limit', async () => {
  const player = await app.newPlayer();
  await daily(player, '1');
  const raises = Array.from({ length: 8 }, (_, i) => daily(player, `${i + 2}`, i % 2 ? app : second));
  const codes = (await Promise.all(raises)).map(codeOf).sort();
  expect(codes).toEqual(['201', ...Array(7).fill('409 LIMIT_CHANGE_PENDING')]);
});

test("returns 404 for malformed ids and for other players' changes", async () => {
  const [player, other] = [await app.newPlayer(), await app.newPlayer()];
  await daily(player, '1');
  const { pending } = (await daily(player, '2')).body;
  await pass(24);
  for (const id of [pending.id, 'x', "' or 1=1 --", '01926f3a-7c3e-7d2a-9c1b-3f5e8a7b6c5d'])
    for (const act of [cancel, confirm])
      expect(codeOf(await act(other, id)), id).toBe('404 LIMIT_CHANGE_NOT_FOUND');
  expect(codeOf(await confirm(player, pending.id))).toBe('201');
});

test('accepts 0, rejects amounts above the maximum, and requires whole minutes for session limits', async () => {
  const player = await app.newPlayer({ usdt: 100 });
  const code = async (type: string, period: string, amount: string) =>
    codeOf(await set(player, type, period, amount));
  for (const [type, amounts] of [
    ['WAGER', ['1000000000.00000001', '999999999999', '1.000000001']],
    ['DEPOSIT', ['1000000001']],
    ['SESSION', ['0', '1441', '1.5', '0.5', '999999999999']],
  ] as const)
    for (const amount of amounts)
      expect(await code(type, 'DAY', amount), amount).toBe('400 AMOUNT_OUT_OF_RANGE');
  expect((await set(player, 'SESSION', 'WEEK', '10081')).body.details).toEqual({ min: '1', max: '10080' });
  for (const amount of ['-1', '1e3', 'NaN', '', ' 1', '01'])
    expect(await code('WAGER', 'DAY', amount), amount).toBe('400 VALIDATION_FAILED');
  expect(codeOf(await set(player, 'STAKE', 'DAY', '1'))).toBe('400 VALIDATION_FAILED');
  expect(codeOf(await set(player, 'WAGER', 'YEAR', '1'))).toBe('400 VALIDATION_FAILED');
  expect(await limitsOf(player)).toBeUndefined();
  for (const [period, minutes] of [
    ['DAY', '1440'],
    ['WEEK', '10080'],
    ['MONTH', '44640.0'],
  ] as const)
    expect((await set(player, 'SESSION', period, minutes)).body.amount).toBe(String(Number(minutes)));
  expect(await code('LOSS', 'MONTH', '1000000000')).toBe('201');
  expect(codeOf(await bet(player, '1'))).toBe('201');
  expect(await code('LOSS', 'WEEK', '0')).toBe('201');
  expect(codeOf(await bet(player, '0.01'))).toBe('403 LIMIT_REACHED');
});

test('counts earlier play in the period and the session towards the first limit', async () => {
  const player = await app.newPlayer({ usdt: 100 });
  const paid: bigint[] = [];
  for (let i = 0; i < 5; i++) paid.push(units((await betOnDice(player, { betAmount: '3' })).body.payout));
  const won = paid.reduce((sum, p) => sum + p, 0n);
  expect((await daily(player, '16')).body.usage).toMatchObject({ used: '15', remaining: '1' });
  expect(codeOf(await bet(player, '1.01'))).toBe('403 LIMIT_REACHED');
  const lost = units('15') - won;
  const loss = (await set(player, 'LOSS', 'MONTH', '50')).body.usage;
  expect(units(loss.used)).toBe(lost > 0n ? lost : 0n);
  await set(player, 'SESSION', 'DAY', '2');
  await sql`update restrictions set play = jsonb_set(play::jsonb, '{DAY,playedMs}', '119000')::json
    where user_id = ${player.id}`.execute(app.db);
  const session = async () => (await state(player)).limits.find((l: any) => l.type === 'SESSION').usage;
  expect((await session()).used).toBe('1');
  await expect
    .poll(async () => codeOf(await bet(player, '0.01')), { timeout: 4000, interval: 100 })
    .toBe('403 LIMIT_REACHED');
  expect(await session()).toMatchObject({ used: '2', remaining: '0' });
});

test('counts earlier deposits towards the first limit, and blocks deposits when the limit is reached', async () => {
  const player = await app.newPlayer();
  const pay = (usd: string) =>
    transaction(app.db, (tx) =>
      recordPayment(tx, { userId: player.id, kind: 'DEPOSIT', usdAmount: units(usd), at: new Date() }),
    );
  await pay('30');
  expect((await set(player, 'DEPOSIT', 'WEEK', '50')).body.usage).toMatchObject({
    used: '30',
    remaining: '20',
  });
  await pay('25');
  expect((await state(player)).limits[0].usage).toMatchObject({ used: '55', remaining: '0' });
  expect(await limitsOf(player)).toEqual({ DEPOSIT: { WEEK: '5000000000' } });
});

describe('daily bet limit set by staff', () => {
  test('lets staff set and lower but not raise a limit, and applies the lowest limit', async () => {
    const player = await app.newPlayer({ usdt: 100 });
    const { status, body } = await byStaff(player.id, '8.50');
    expect([status, body]).toEqual([
      201,
      {
        betLimit: '8.5',
        userId: player.id,
        id: body.id,
        createdAt: body.createdAt,
        updatedAt: body.createdAt,
      },
    ]);
    const higher = await byStaff(player.id, '8.51');
    expect([codeOf(higher), higher.body.details]).toEqual([
      '409 STAFF_LIMIT_ONLY_TIGHTENS',
      { betLimit: '8.5' },
    ]);
    expect((await byStaff(player.id, '8.5')).body).toEqual(body);
    expect((await byStaff(player.id, '8')).body).toMatchObject({ id: body.id, betLimit: '8' });
    const audit = await app.db
      .selectFrom('admin_audit')
      .select(['before', 'after'])
      .where('path', '=', '/admin/user-limits/gambling-limits')
      .orderBy('id', 'desc')
      .executeTakeFirst();
    expect(audit).toEqual({ before: { betLimit: '8.5' }, after: { betLimit: '8' } });
    // The player's own limit is higher, so it does not replace the limit set by staff.
    expect((await daily(player, '9')).body).toMatchObject({ amount: '9', source: 'PLAYER', pending: null });
    expect(await state(player)).toMatchObject({ betLimit: '8', id: body.id, limits: [{}, {}] });
    expect(codeOf(await bet(player, '8.01'))).toBe('403 LIMIT_REACHED');
    await daily(player, '3');
    const own = await state(player);
    expect(own).toMatchObject({ betLimit: '3', usage: { used: '0', remaining: '3' } });
    expect((await clerk.call('GET', `/admin/user-limits/gambling-limits/${player.id}`)).body).toEqual(own);
    expect(codeOf(await bet(player, '3.01', second))).toBe('403 LIMIT_REACHED');
    expect(codeOf(await byStaff(player.id, '0'))).toBe('201');
    expect(codeOf(await bet(player, '0.01'))).toBe('403 LIMIT_REACHED');
  });

  test('returns 400 for amounts out of range and 404 for unknown users', async () => {
    const player = await app.newPlayer();
    for (const amount of ['1000000001', '1.000000001'])
      expect(codeOf(await byStaff(player.id, amount))).toBe('400 AMOUNT_OUT_OF_RANGE');
    expect(codeOf(await byStaff(player.id, '-1'))).toBe('400 VALIDATION_FAILED');
    expect(codeOf(await byStaff(2_000_000_000, '1'))).toBe('404 USER_NOT_FOUND');
    const absent = await clerk.call('GET', '/admin/user-limits/gambling-limits/2000000000');
    expect(codeOf(absent)).toBe('404 USER_NOT_FOUND');
  });

  test("rejects callers without the permission, the caller's own account, and superadmins when other staff call", async () => {
    const [player, reader] = [await app.newPlayer(), await app.as({ permissions: ['limit.read'] })];
    const writer = await app.as({ permissions: ['limit.write'] });
    const boss = await app.as('superadmin');
    const read = async (who: Player) =>
      codeOf(await who.call('GET', `/admin/user-limits/gambling-limits/${player.id}`));
    expect([await read(reader), await read(writer), await read(player)]).toEqual([
      '200',
      '403 FORBIDDEN',
      '403 FORBIDDEN',
    ]);
    for (const who of [reader, player])
      expect(codeOf(await byStaff(player.id, '1', who))).toBe('403 FORBIDDEN');
    expect(codeOf(await byStaff(clerk.id, '1'))).toBe('403 OWN_ACCOUNT');
    expect(codeOf(await byStaff(boss.id, '1'))).toBe('403 FORBIDDEN');
    expect(codeOf(await byStaff(clerk.id, '1', boss))).toBe('201');
  });

  test('accepts the same limit in the backoffice API, which has its own paths', async () => {
    const backoffice = await startApp({ part: 'backoffice', database: app.database });
    const player = await app.newPlayer();
    const call = (method: string, path: string, body?: object) =>
      backoffice.call(method, path, { token: clerk.token, ...(body ? { body } : {}) });
    const userId = player.id;
    const excludeUntil = new Date(Date.now() + 86_400_000).toISOString();
    const done = [
      await call('POST', '/user-limits/gambling-limits', { userId, betLimit: '5' }),
      await call('GET', `/user-limits/gambling-limits/${userId}`),
      await call('POST', '/user-limits/user-exclusion', { userId, excludeUntil }),
      await call('GET', `/user-limits/user-exclusion/${userId}`),
      await call('DELETE', '/user-limits/user-exclusion', { userId }),
    ];
    expect(done.map(codeOf)).toEqual(['201', '200', '201', '200', '200']);
    expect([done[1]!.body.betLimit, done[3]!.body.expiresAt]).toEqual(['5', excludeUntil]);
    await backoffice.stop();
  });
});
