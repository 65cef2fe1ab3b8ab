import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { codeOf } from '../../../../test/kit/accounts/accounts.ts';
import { betOnDice, type Player, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { inTurn } from '../../../../test/kit/games/turns.ts';
import { lockPlayers } from '../../base/players/service.ts';

const app = fixture(startApp);
const second = fixture(() => startApp({ database: app.database }));
const clerk = fixture(() => app.as({ permissions: ['limit.read', 'limit.write'] }));

const DAY = 86_400_000;
const inDays = (days: number) => new Date(Date.now() + days * DAY).toISOString();
const OWN = '/user-limits/self-exclusion';
const STAFF = '/admin/user-limits/user-exclusion';
const exclude = (player: Player, body: object) => player.call('POST', OWN, { body });
const own = async (player: Player) => (await player.call('GET', OWN)).body;
const excludeBy = (staff: Player, userId: number, excludeUntil: string) =>
  staff.call('POST', STAFF, { body: { userId, excludeUntil } });
const lift = (staff: Player, body: object) => staff.call('DELETE', STAFF, { body });
const seenByStaff = async ({ id }: Player) => (await clerk.call('GET', `${STAFF}/${id}`)).body;
const NONE = { isActive: false, id: null, expiresAt: null, reason: null, createdAt: null, updatedAt: null };
const restrictionsOf = async ({ id }: Player) =>
  app.db.selectFrom('restrictions').selectAll().where('user_id', '=', id).executeTakeFirst();
const kindOf = async ({ id }: { id: number }) =>
  (await app.db.selectFrom('exclusions').select('kind').where('id', '=', id).executeTakeFirstOrThrow()).kind;
const bet = async (player: Player) => codeOf(await betOnDice(player, { betAmount: '0.01' }));
const auditOf = () =>
  app.db
    .selectFrom('admin_audit')
    .select(['method', 'before', 'after', 'reason', 'status_code'])
    .where('path', '=', STAFF)
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow();

/** Moves all exclusions of a player into the past by the given number of days. */
async function pass(player: Player, days: number): Promise<void> {
  const by = sql`make_interval(days => ${days})`;
  await sql`update exclusions set started_at = started_at - ${by}, expires_at = expires_at - ${by},
    play_from = play_from - ${by}, created_at = created_at - ${by} where user_id = ${player.id}`.execute(
    app.db,
  );
  await sql`update restrictions set excluded_until = excluded_until - ${by}, play_from = play_from - ${by}
    where user_id = ${player.id}`.execute(app.db);
  await sql`update users set self_excluded_until = self_excluded_until - ${by} where id = ${player.id}`.execute(
    app.db,
  );
}

describe('self-exclusion', () => {
  test('starts an exclusion immediately, accepts days or an end time, and shows it in the profile, the staff view and the list', async () => {
    const player = await app.newPlayer({ usdt: 1 });
    expect(await own(player)).toEqual({ ...NONE, userId: player.id });
    expect((await player.call('GET', '/user/me')).body.selfExclusion).toBeNull();
    expect(await bet(player)).toBe('201');
    const { status, body } = await exclude(player, { durationDays: 7, reason: '  too much  ' });
    expect([status, body]).toEqual([
      201,
      {
        isActive: true,
        id: body.id,
        userId: player.id,
        reason: 'too much',
        expiresAt: body.expiresAt,
        createdAt: body.createdAt,
        updatedAt: body.createdAt,
      },
    ]);
    expect(Date.parse(body.expiresAt) - Date.parse(body.createdAt)).toBe(7 * DAY);
    expect(await bet(player)).toBe('403 SELF_EXCLUDED');
    expect(await own(player)).toEqual(body);
    expect(await seenByStaff(player)).toEqual(body);
    for (const one of [app, second])
      expect((await one.call('GET', '/user/me', { token: player.token })).body.selfExclusion).toEqual(body);
    const reader = await app.as({ permissions: ['user.read'] });
    const query = {
      sortBy: 'id',
      sortOrder: 'asc',
      page: 1,
      take: 20,
      where: { id: player.id, isSelfExcluded: true },
      withPermissions: false,
      withRoles: false,
      withBalance: false,
      withNotes: false,
      withStatsUsd: false,
    };
    expect((await reader.call('POST', '/admin/user/all', { body: query })).body.total).toBe(1);
  });

  test('lets a player extend but not shorten an exclusion, by days or by end time', async () => {
    const player = await app.newPlayer();
    const until = inDays(10);
    const first = (await exclude(player, { excludeUntil: until })).body;
    expect(first.expiresAt).toBe(until);
    for (const body of [{ durationDays: 1 }, { durationDays: 9 }, { excludeUntil: inDays(9.99) }])
      expect(await exclude(player, body)).toMatchObject({
        status: 409,
        body: { code: 'EXCLUSION_CANNOT_BE_SHORTENED', details: { expiresAt: until } },
      });
    expect(await own(player)).toEqual(first);
    expect(codeOf(await exclude(player, { excludeUntil: until }))).toBe('201');
    const longer = (await exclude(player, { durationDays: 11 })).body;
    expect(Date.parse(longer.expiresAt)).toBeGreaterThan(Date.parse(until));
    expect(await own(player)).toEqual(longer);
    // Staff also cannot shorten the player's exclusion.
    expect(codeOf(await excludeBy(clerk, player.id, inDays(30)))).toBe('201');
    expect(codeOf(await exclude(player, { durationDays: 29 }))).toBe('409 EXCLUSION_CANNOT_BE_SHORTENED');
  });

  test.each([
    ['both', { durationDays: 1, excludeUntil: inDays(1) }],
    ['neither', {}],
    ['a reason alone', { reason: 'x' }],
    ['no days', { durationDays: 0 }],
    ['half a day', { durationDays: 0.5 }],
    ['days as text', { durationDays: '7' }],
    ['a time that is over', { excludeUntil: new Date(Date.now() - 1000).toISOString() }],
    ['no time', { excludeUntil: 'tomorrow' }],
    ['more than five years of days', { durationDays: 1827 }],
    ['days without end', { durationDays: Number.MAX_SAFE_INTEGER }],
    ['more than five years', { excludeUntil: inDays(1827) }],
    ['the last year there is', { excludeUntil: '9999-12-31T23:59:59.999Z' }],
    ['a long reason', { durationDays: 1, reason: 'x'.repeat(501) }],
    ['another field', { durationDays: 1, userId: 1 }],
  ])('rejects %s with 400 and changes nothing', async (_, body) => {
    const player = await app.newPlayer();
    expect(codeOf(await exclude(player, body))).toBe('400 VALIDATION_FAILED');
    expect(await own(player)).toMatchObject({ isActive: false });
    expect(await restrictionsOf(player)).toBeUndefined();
  });

  test('treats an exclusion below 180 days as a time-out, and delays play until a day after the end of a longer one', async () => {
    const [short, long] = [await app.newPlayer({ usdt: 1 }), await app.newPlayer({ usdt: 1 })];
    expect(await kindOf((await exclude(short, { durationDays: 179 })).body)).toBe('COOL_OFF');
    expect(await kindOf((await exclude(long, { durationDays: 180 })).body)).toBe('SELF_EXCLUSION');
    await pass(short, 179);
    await pass(long, 180);
    expect([await bet(short), await bet(long)]).toEqual(['201', '403 SELF_EXCLUDED']);
    const { gate } = app.services;
    const deposit = () =>
      app.db.transaction().execute(async (tx) => {
        const asked = { action: 'deposit', userId: long.id, country: null } as const;
        return (await gate.refusals(tx, asked)).map(({ code }) => code);
      });
    expect(await deposit()).not.toContain('SELF_EXCLUDED');
    expect(await own(long)).toEqual({ ...NONE, userId: long.id });
    expect((await long.call('GET', '/user/me')).body.selfExclusion).toBeNull();
    await pass(long, 1);
    expect(await bet(long)).toBe('201');
  });

  test('keeps the waiting period when an exclusion is extended or a time-out starts during it', async () => {
    const chained = await app.newPlayer({ usdt: 1 });
    await exclude(chained, { durationDays: 100 });
    await pass(chained, 90);
    expect(await kindOf((await exclude(chained, { durationDays: 100 })).body)).toBe('SELF_EXCLUSION');
    const pausing = await app.newPlayer({ usdt: 1 });
    await exclude(pausing, { durationDays: 200 });
    await pass(pausing, 200);
    const soon = new Date(Date.now() + 3_600_000).toISOString();
    expect(await kindOf((await exclude(pausing, { excludeUntil: soon })).body)).toBe('COOL_OFF');
    const { excluded_until, play_from } = (await restrictionsOf(pausing))!;
    expect(excluded_until!.toISOString()).toBe(soon);
    expect(play_from!.getTime()).toBeGreaterThan(Date.now() + DAY - 60_000);
    expect(await betOnDice(pausing)).toMatchObject({
      body: { details: { until: play_from!.toISOString() } },
    });
  });
});

describe('exclusion by staff', () => {
  test('lets staff set and extend but not shorten an exclusion, and audits every change', async () => {
    const player = await app.newPlayer({ usdt: 1 });
    const until = inDays(5);
    const { status, body } = await excludeBy(clerk, player.id, until);
    expect([status, body]).toEqual([
      201,
      {
        id: body.id,
        userId: player.id,
        expiresAt: until,
        createdAt: body.createdAt,
        updatedAt: body.createdAt,
      },
    ]);
    expect(await bet(player)).toBe('403 SELF_EXCLUDED');
    expect(await auditOf()).toMatchObject({
      method: 'POST',
      before: { expiresAt: null },
      after: { expiresAt: until, source: 'STAFF' },
    });
    expect(codeOf(await excludeBy(clerk, player.id, inDays(4)))).toBe('409 EXCLUSION_CANNOT_BE_SHORTENED');
    expect(await auditOf()).toMatchObject({ method: 'POST', status_code: 409 });
    const longer = inDays(6);
    expect((await excludeBy(clerk, player.id, longer)).body.expiresAt).toBe(longer);
    expect(await auditOf()).toMatchObject({ before: { expiresAt: until }, after: { expiresAt: longer } });
    expect(await seenByStaff(player)).toMatchObject({ isActive: true, expiresAt: longer, reason: null });
    for (const time of [inDays(-1), inDays(1827), 'x'])
      expect(codeOf(await excludeBy(clerk, player.id, time)), time).toBe('400 VALIDATION_FAILED');
  });

  test('lets staff lift an exclusion without a reason, and ends the waiting period too', async () => {
    const player = await app.newPlayer({ usdt: 1 });
    await excludeBy(clerk, player.id, inDays(200));
    const set = await seenByStaff(player);
    const { status, body } = await lift(clerk, { userId: player.id });
    expect([status, body]).toMatchObject([200, { id: set.id, userId: player.id, expiresAt: set.expiresAt }]);
    expect(Date.parse(body.updatedAt)).toBeGreaterThan(Date.parse(set.updatedAt));
    expect(await restrictionsOf(player)).toMatchObject({ excluded_until: null, play_from: null });
    expect(await seenByStaff(player)).toEqual({ ...NONE, userId: player.id });
    expect(await bet(player)).toBe('201');
    await excludeBy(clerk, player.id, inDays(200));
    await pass(player, 200);
    expect(await bet(player)).toBe('403 SELF_EXCLUDED');
    expect(codeOf(await lift(clerk, { userId: player.id }))).toBe('200');
    expect(await bet(player)).toBe('201');
  });

  test('requires a reason when staff lift a self-exclusion, including one that staff have extended', async () => {
    const player = await app.newPlayer({ usdt: 1 });
    await exclude(player, { durationDays: 30 });
    await excludeBy(clerk, player.id, inDays(60));
    for (const reason of [undefined, '', '   ']) {
      const due = reason === undefined ? '400 REASON_REQUIRED' : '400 VALIDATION_FAILED';
      expect(codeOf(await lift(clerk, { userId: player.id, reason }))).toBe(due);
    }
    expect(await bet(player)).toBe('403 SELF_EXCLUDED');
    // After the player's own exclusion has ended, only the extension by staff remains.
    await pass(player, 30);
    expect(codeOf(await lift(clerk, { userId: player.id }))).toBe('200');
    await exclude(player, { durationDays: 30 });
    const reason = 'proved to be somebody else';
    expect(codeOf(await lift(clerk, { userId: player.id, reason }))).toBe('200');
    expect(await auditOf()).toMatchObject({ method: 'DELETE', reason, before: { source: 'PLAYER' } });
    const rows = await app.db
      .selectFrom('exclusions')
      .select(['source', 'lift_reason', 'lifted_by'])
      .where('user_id', '=', player.id)
      .orderBy('id')
      .execute();
    expect(rows).toEqual([
      { source: 'PLAYER', lift_reason: null, lifted_by: null },
      { source: 'STAFF', lift_reason: null, lifted_by: clerk.id },
      { source: 'PLAYER', lift_reason: reason, lifted_by: clerk.id },
    ]);
    expect(await bet(player)).toBe('201');
  });

  test('returns 404 if there is no exclusion to lift, and for unknown users', async () => {
    const player = await app.newPlayer();
    expect(codeOf(await lift(clerk, { userId: player.id }))).toBe('404 EXCLUSION_NOT_FOUND');
    const nobody = 2_000_000_000;
    expect(codeOf(await lift(clerk, { userId: nobody }))).toBe('404 USER_NOT_FOUND');
    expect(codeOf(await excludeBy(clerk, nobody, inDays(1)))).toBe('404 USER_NOT_FOUND');
    expect(codeOf(await clerk.call('GET', `${STAFF}/${nobody}`))).toBe('404 USER_NOT_FOUND');
  });

  test("rejects callers without the permission, the caller's own account, and superadmins when other staff call", async () => {
    const player = await app.newPlayer();
    await exclude(player, { durationDays: 1 });
    const reader = await app.as({ permissions: ['limit.read'] });
    const writer = await app.as({ permissions: ['limit.write'] });
    const body = { userId: player.id, reason: 'x' };
    for (const who of [reader, player]) {
      expect(codeOf(await lift(who, body))).toBe('403 FORBIDDEN');
      expect(codeOf(await excludeBy(who, player.id, inDays(2)))).toBe('403 FORBIDDEN');
    }
    expect(codeOf(await writer.call('GET', `${STAFF}/${player.id}`))).toBe('403 FORBIDDEN');
    expect(codeOf(await reader.call('GET', `${STAFF}/${player.id}`))).toBe('200');
    await exclude(clerk, { durationDays: 1 });
    expect(codeOf(await lift(clerk, { userId: clerk.id, reason: 'x' }))).toBe('403 OWN_ACCOUNT');
    expect(codeOf(await excludeBy(clerk, clerk.id, inDays(2)))).toBe('403 OWN_ACCOUNT');
    const boss = await app.as('superadmin');
    expect(codeOf(await excludeBy(clerk, boss.id, inDays(2)))).toBe('403 FORBIDDEN');
    expect(codeOf(await lift(boss, { userId: clerk.id, reason: 'x' }))).toBe('200');
    expect((await own(player)).isActive).toBe(true);
  });

  test('returns 401 and changes nothing when the staff member is banned while the call waits', async () => {
    const [boss, loser] = [await app.as('superadmin'), await app.as({ permissions: ['limit.write'] })];
    const player = await app.newPlayer();
    await exclude(player, { durationDays: 1 });
    const body = { userId: player.id, betLimit: '1' };
    const answers = await inTurn(
      app,
      (tx) => lockPlayers(tx, [loser.id]),
      () => boss.call('PATCH', `/admin/user/${loser.id}/ban`, { body: {} }),
      () => excludeBy(loser, player.id, inDays(9)),
      () => lift(loser, { userId: player.id, reason: 'x' }),
      () => loser.call('POST', '/admin/user-limits/gambling-limits', { body }),
    );
    expect(answers.map(codeOf)).toEqual(['200', ...Array(3).fill('401 UNAUTHORIZED')]);
    expect(await own(player)).toMatchObject({ isActive: true });
    expect(Date.parse((await own(player)).expiresAt)).toBeLessThan(Date.now() + DAY);
    expect((await restrictionsOf(player))!.limits).toEqual({});
  });
});
