import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { codeOf } from '../../../../test/kit/accounts/accounts.ts';
import { cashOf, PATIENCE, type Player, startApp } from '../../../../test/kit/app.ts';
import { startLeaderboards } from '../../../../test/kit/engagement/leaderboards.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { deadlocksIn } from '../../../../test/kit/processes/deadlocks.ts';

const world = fixture(() =>
  startLeaderboards({ env: { ...PATIENCE, DATABASE_CONNECT_TIMEOUT_MS: '60000' } }),
);
const backoffice = fixture(() => startApp({ part: 'backoffice', database: world.database, env: PATIENCE }));

/** Creates a leaderboard that has ended. Returns it with its players, sorted by rank. */
async function ended(players = 4, fields: object = {}) {
  const id = await world.special(fields);
  const all: Player[] = [];
  for (let i = 0; i < players; i++) {
    all.push(await world.player());
    await world.bet(all[i]!, String(100 - i));
  }
  await world.end(id);
  return { id, players: all };
}
const setConfig = async (leaderboards: object) =>
  expect((await world.boss.call('PATCH', '/admin/config/COMMON', { body: { leaderboards } })).status).toBe(
    200,
  );
const payAll = async (id: string, players: readonly Player[]) => {
  const pay = world.services.leaderboards.tasks['leaderboard-prize']!;
  for (const { id: userId } of players) await pay({ leaderboardId: Number(id), userId });
};

describe('paying a prize', () => {
  test('notifies the winner, and shows the prize in the statement, the audit log and the hourly sums', async () => {
    const { id, players } = await ended(1);
    const [winner] = players as [Player];
    const { status, body } = await world.give(world.boss, id, winner);
    expect(status).toBe(201);
    const { body: notes } = await winner.call('GET', '/notifications');
    expect(notes[0]).toMatchObject({
      type: 'LEADERBOARD',
      payload: { leaderboardId: id, place: 1, amount: '100', currencyId: 'USDT' },
    });
    const { rows: audits } = await sql<any>`
      select before, after from admin_audit where path like '%give-prize' and status_code = 201 and user_id = ${world.boss.id}
      order by id desc limit 1`.execute(world.db);
    expect(audits[0]).toMatchObject({
      before: { leaderboardId: id, userId: winner.id, place: 1, paidAt: null },
      after: { usdAmount: '100', transactionId: body.transactionId },
    });
    const mine = await winner.call('GET', '/leaderboards/my');
    expect(mine.body).toMatchObject({
      total: 1,
      data: [{ leaderboardId: id, place: 1, prizeUsdAmount: '100', currencyId: 'USDT', status: 'FINISHED' }],
    });
    const { body: user } = await world.boss.call('GET', `/admin/leaderboards/${id}/users/${winner.id}`);
    expect(user).toMatchObject({
      isWinner: true,
      isWaitingForPrice: false,
      paidAmount: '100',
      paidAt: body.paidAt,
    });
  });

  test('rejects an invalid prize payment with the matching error code', async () => {
    const { id, players } = await ended();
    const [first, second, , fourth] = players as [Player, Player, Player, Player];
    const running = await world.special();
    await world.bet(first, '1');
    await world.count();
    const stranger = await world.player();
    const give = async (board: string, to: { id: number }, fields: object = {}) =>
      codeOf(await world.give(world.boss, board, to, fields));
    for (const missing of ['999999', 'x', '0', '-1', '99999999999'])
      expect(await give(missing, first)).toBe('404 LEADERBOARD_NOT_FOUND');
    expect(await give(id, stranger)).toBe('404 LEADERBOARD_USER_NOT_FOUND');
    expect(await give(id, { id: 2_000_000_000 })).toBe('404 LEADERBOARD_USER_NOT_FOUND');
    expect(await give(running, first)).toBe('409 LEADERBOARD_NOT_FINISHED');
    expect(await give(id, fourth)).toBe('409 LEADERBOARD_NO_PRIZE');
    expect(await give(id, first, { currency: 'NONE' })).toBe('404 CURRENCY_NOT_FOUND');
    for (const amounts of [
      { usdAmount: '0' },
      { usdAmount: '100.00000001' },
      { usdAmount: '50', fullUsdAmount: '49' },
      { usdAmount: '50', fullUsdAmount: '101' },
      { fullUsdAmount: '50' },
      { usdAmount: '0.000000001' },
      { usdAmount: '0.00000001', currency: 'BTC' },
    ])
      expect(await give(id, first, amounts)).toBe('400 AMOUNT_OUT_OF_RANGE');
    await sql`update players set is_banned = true where user_id = ${second.id}`.execute(world.db);
    expect(await give(id, second)).toBe('403 USER_BANNED');
    await sql`update players set is_banned = false where user_id = ${second.id}`.execute(world.db);
    expect(await give(id, first)).toBe('201');
    expect(await give(id, first)).toBe('409 LEADERBOARD_PRIZE_PAID');
    await world.boss.call('POST', `/admin/leaderboards/${running}/cancel`, { body: { reason: 'a test' } });
    expect(await give(running, first)).toBe('409 LEADERBOARD_NOT_FINISHED');
  });

  test("requires leaderboard.pay, and rejects prize payments to the caller's own account", async () => {
    const { id, players } = await ended(1);
    const [winner] = players as [Player];
    const reader = await world.as({ permissions: ['leaderboard.read', 'leaderboard.write'] });
    expect(codeOf(await world.give(reader, id, winner))).toBe('403 FORBIDDEN');
    expect(codeOf(await world.give(winner, id, winner))).toBe('403 FORBIDDEN');
    const body = { leaderboardId: id, userId: winner.id, currency: 'USDT' };
    expect(codeOf(await world.call('POST', '/admin/leaderboards/give-prize', { body }))).toBe(
      '401 UNAUTHORIZED',
    );
    await sql`
      update users set is_staff = true, permissions = '{leaderboard.pay}', email = 'winner@staff.example', email_verified = true
      where id = ${winner.id}`.execute(world.db);
    const again = await world.newPlayer({ username: winner.username });
    expect(codeOf(await world.give(again, id, winner))).toBe('403 OWN_ACCOUNT');
    await sql`update users set is_staff = false, permissions = '{}' where id = ${winner.id}`.execute(
      world.db,
    );
  });

  test('pays once when two staff members send 200 payments of the same prize through both services', async () => {
    const { id, players } = await ended(2);
    const [winner] = players as [Player];
    const staff = [
      await world.as({ permissions: ['leaderboard.pay'] }),
      await world.as({ permissions: ['leaderboard.pay'] }),
    ];
    const before = Number(await cashOf(winner));
    const body = { leaderboardId: id, userId: winner.id, currency: 'USDT' };
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, i) => {
        const { token } = staff[i % 2]!;
        return i % 4 < 2
          ? world.call('POST', '/admin/leaderboards/give-prize', { body, token })
          : backoffice.call('POST', '/leaderboards/give-prize', { body, token });
      }),
    );
    expect(await deadlocksIn(world.db)).toBe(0);
    const codes = answers.map(codeOf).sort();
    expect([...new Set(codes)]).toEqual(['201', '409 LEADERBOARD_PRIZE_PAID']);
    expect(codes.filter((code) => code.startsWith('201'))).toHaveLength(1);
    expect(Number(await cashOf(winner)) - before).toBe(100);
  });

  test('returns the same response for a repeated idempotency key', async () => {
    const { id, players } = await ended(1);
    const body = { leaderboardId: id, userId: players[0]!.id, currency: 'USDT' };
    const send = () =>
      world.boss.call('POST', '/admin/leaderboards/give-prize', {
        body,
        headers: { 'idempotency-key': `prize-${id}-0` },
      });
    const [one, two] = [await send(), await send()];
    expect([one.status, two.body]).toEqual([201, one.body]);
    body.currency = 'BTC';
    expect(codeOf(await send())).toBe('409 IDEMPOTENCY_KEY_REUSED');
  });

  test('rejects prize payments to ineligible and connected accounts, and when the exchange rate is stale', async () => {
    const { id, players } = await ended(1);
    const [winner] = players as [Player];
    const payer = await world.as({ permissions: ['leaderboard.pay'] });
    const refusal = async (fields: object = {}) => codeOf(await world.give(payer, id, winner, fields));
    await sql`update users set opened_by = ${payer.id}, country_code = 'JP' where id = ${winner.id}`.execute(
      world.db,
    );
    expect(await refusal()).toBe('403 ACCOUNT_CONNECTED');
    await sql`update users set opened_by = null where id = ${winner.id}`.execute(world.db);
    const block = (isBlocked: boolean) =>
      world.boss.call('PATCH', '/admin/country/JP', { body: { isBlocked } });
    expect((await block(true)).status).toBe(200);
    expect(await refusal()).toBe('403 AUTH_GEO_BLOCKED');
    expect((await block(false)).status).toBe(200);
    await sql`update exchange_rates set source = 'coinbase', updated_at = now() - interval '301 seconds' where currency_id = 'SOL'`.execute(
      world.db,
    );
    await expect.poll(() => refusal({ currency: 'SOL' })).toBe('409 RATE_STALE');
    await winner.call('POST', '/user-limits/self-exclusion', { body: { durationDays: 1 } });
    expect(await refusal()).toBe('403 SELF_EXCLUDED');
    expect(await world.statusOf(id)).toBe('AWAITING_PAYOUT');
    expect((await winner.call('GET', '/notifications')).text).not.toContain('LEADERBOARD');
  });

  test.each([
    ['en', 'You have won a prize', 'Place 1 in A race: 100 USDT have been added to your balance.'],
    [
      'de',
      'Sie haben einen Preis gewonnen',
      'Platz 1 in A race: 100 USDT wurden Ihrem Guthaben gutgeschrieben.',
    ],
    ['es', 'Ha ganado un premio', 'Puesto 1 en A race: se han añadido 100 USDT a su saldo.'],
  ])("notifies the winner in the player's language: %s", async (language, title, text) => {
    const { id, players } = await ended(1);
    const [winner] = players as [Player];
    await sql`update users set language = ${language} where id = ${winner.id}`.execute(world.db);
    expect((await world.give(world.boss, id, winner)).status).toBe(201);
    expect((await winner.call('GET', '/notifications')).body).toMatchObject([
      { type: 'LEADERBOARD', title, body: text },
    ]);
  });
});

describe('automatic payment', () => {
  test.each([
    ['leaves the prizes to staff if one person who is not a superadmin created the leaderboard', false, 0],
    ['pays the prizes if a second person has approved the leaderboard of such a person', true, 1],
  ])('%s', async (_, isApproved, jobs) => {
    const [maker, approver] = await Promise.all([
      world.as({ permissions: ['leaderboard.pay'] }),
      world.as({ permissions: ['leaderboard.pay'] }),
    ]);
    const id = await world.special();
    await sql`
      update leaderboards set created_by = ${maker.id}, approved_by = ${isApproved ? approver.id : null}
      where id = ${Number(id)}`.execute(world.db);
    await world.bet(await world.player(), '10');
    await setConfig({ paysAutomatically: true });
    expect(await world.end(id)).toBe('AWAITING_PAYOUT');
    await setConfig({ paysAutomatically: false });
    const { rows } = await sql<{ n: number }>`
      select count(*)::int as n from graphile_worker.jobs where task_identifier = 'leaderboard-prize' and key like ${`leaderboard-prize:${id}:%`}`.execute(
      world.db,
    );
    expect(rows).toEqual([{ n: jobs }]);
  });

  test('pays every winner once despite retries, and skips winners who are ineligible when they are paid', async () => {
    await setConfig({ paysAutomatically: true });
    const { id, players } = await ended(3);
    await setConfig({ paysAutomatically: false });
    const [first, second, third] = players as [Player, Player, Player];
    const { rows } = await sql<{ n: number }>`
      select count(*)::int as n from graphile_worker.jobs where task_identifier = 'leaderboard-prize' and key like ${`leaderboard-prize:${id}:%`}`.execute(
      world.db,
    );
    expect(rows).toEqual([{ n: 3 }]);
    await sql`update players set is_banned = true where user_id = ${second.id}`.execute(world.db);
    const before = Number(await cashOf(first));
    await Promise.all(Array.from({ length: 10 }, () => payAll(id, [first])));
    expect(Number(await cashOf(first)) - before).toBe(100);
    await payAll(id, [second, third]);
    expect((await world.boss.call('GET', `/admin/leaderboards/${id}`)).body.status).toBe('FINISHED');
    const { body } = await world.boss.call('GET', `/admin/leaderboards/${id}/users`);
    expect(body.data.map((row: any) => [row.isWinner, row.paidAmount])).toEqual([
      [true, '100'],
      [false, null],
      [true, '25'],
    ]);
  });
});
