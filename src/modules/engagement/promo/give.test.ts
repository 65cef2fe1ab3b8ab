import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { cashOf, type Player } from '../../../../test/kit/app.ts';
import {
  BONUS,
  HALF,
  newCodes,
  newPromo,
  promoFixture,
  redeem,
  refused,
  setStatus,
} from '../../../../test/kit/engagement/promo.ts';
import { transaction } from '../../../platform/database/db.ts';

const { app, staff } = promoFixture();

const give = (id: string, body: object, headers: Record<string, string> = {}, by = staff) =>
  by.call('POST', `/admin/promo/${id}/grant`, { body: { reason: 'sorry', ...body }, headers });
const players = (count: number) => Promise.all(Array.from({ length: count }, () => app.newPlayer()));
const idsOf = (all: readonly Player[]) => all.map(({ id }) => id);
const grantsOf = async (query: string) => (await staff.call('GET', `/admin/promo/grants?${query}`)).body;

test('grants a promotion to many players once per request, with one audit log entry per group', async () => {
  const id = await newPromo(staff, { type: 'MANUAL' });
  const all = await players(45);
  const key = { 'idempotency-key': randomUUID() };
  const userIds = [...idsOf(all), all[0]!.id];
  const first = await give(id, { userIds }, key);
  expect(first).toMatchObject({ status: 201, body: { granted: 45, skipped: [] } });
  expect((await give(id, { userIds }, key)).text).toBe(first.text);
  expect(await Promise.all(all.map((player) => cashOf(player)))).toEqual(Array(45).fill('10'));
  expect(refused(await give(id, { userIds: [all[0]!.id] }, key))).toBe('409 IDEMPOTENCY_KEY_REUSED');
  const audit = await app.db
    .selectFrom('admin_audit')
    .select(['after', 'reason'])
    .where('user_id', '=', staff.id)
    .where('path', '=', `/admin/promo/${id}/grant`)
    .where('after', 'is not', null)
    .execute();
  const granted = audit.flatMap(({ after }) => (after as any).grants.map(({ userId }: any) => userId));
  expect(granted.toSorted((a, b) => a - b)).toEqual(idsOf(all).toSorted((a, b) => a - b));
  expect(new Set(audit.map(({ reason }) => reason))).toEqual(new Set(['sorry']));
  // Earlier versions stored no ids of the players.
  await app.db
    .updateTable('idempotency_keys')
    .set({ body: JSON.stringify({ granted: 45, skipped: [] }) })
    .where('key', '=', key['idempotency-key'])
    .execute();
  expect((await give(id, { userIds }, key)).body).toEqual({ granted: 45, players: [], skipped: [] });
  // Another request with a different key grants the promotion again.
  expect((await give(id, { userIds: [all[0]!.id] })).body).toEqual({
    granted: 1,
    players: [{ userId: all[0]!.id, username: all[0]!.username }],
    skipped: [],
  });
  expect(await cashOf(all[0]!)).toBe('20');
});

test('continues an interrupted request when it is repeated with its key', async () => {
  const id = await newPromo(staff, { type: 'MANUAL' });
  const all = await players(25);
  const key = randomUUID();
  const ids = idsOf(all).toSorted((a, b) => a - b);
  // Simulates a process that stopped after the first group.
  await transaction(app.db, async (tx) => {
    for (const userId of ids.slice(0, 20))
      await app.services.promo.grantTo(tx, BigInt(id), {
        userId,
        source: 'ADMIN',
        sourceKey: `${id}:admin:${staff.id}:${key}:${userId}`,
        grantedBy: staff.id,
      });
  });
  const answer = await give(id, { userIds: ids }, { 'idempotency-key': key });
  expect(answer.body).toMatchObject({ granted: 25, skipped: [] });
  expect(answer.body.players.map(({ userId }: any) => userId)).toEqual(ids);
  expect(await Promise.all(all.map((player) => cashOf(player)))).toEqual(Array(25).fill('10'));
});

test('skips ineligible players and returns the reason for each', async () => {
  const id = await newPromo(staff, { ...BONUS, type: 'DEPOSIT', conditions: { emailVerified: true } });
  const [good, unproven, banned, excluded] = await players(4);
  const prove = (player: Player, isProven: boolean) =>
    app.db.updateTable('users').set({ email_verified: isProven }).where('id', '=', player.id).execute();
  for (const player of [good!, banned!, excluded!]) await prove(player, true);
  await prove(unproven!, false);
  await app.db.updateTable('players').set({ is_banned: true }).where('user_id', '=', banned!.id).execute();
  await excluded!.call('POST', '/user-limits/self-exclusion', { body: { durationDays: 1 } });
  const opened = await app.newPlayer();
  await app.db.updateTable('users').set({ opened_by: staff.id }).where('id', '=', opened.id).execute();
  const userIds = [...idsOf([good!, unproven!, banned!, excluded!, opened]), staff.id, 2_000_000_000];
  const { status, body } = await give(id, { userIds });
  expect([status, body.granted]).toEqual([201, 1]);
  expect(Object.fromEntries(body.skipped.map(({ userId, rule }: any) => [userId, rule]))).toEqual({
    [unproven!.id]: 'EMAIL',
    [banned!.id]: 'USER_BANNED',
    [excluded!.id]: 'SELF_EXCLUDED',
    [opened.id]: 'ACCOUNT_CONNECTED',
    [staff.id]: 'OWN_ACCOUNT',
    2000000000: 'USER_NOT_FOUND',
  });
  expect(body.players).toEqual([{ userId: good!.id, username: good!.username }]);
  const names = Object.fromEntries(body.skipped.map(({ userId, username }: any) => [userId, username]));
  expect(names).toMatchObject({ [banned!.id]: banned!.username, 2000000000: null });
});

test('grants a different amount in another currency, rounded to the decimals of that currency', async () => {
  const id = await newPromo(staff, { type: 'MANUAL' });
  const [player] = await players(1);
  const userIds = [player!.id];
  expect((await give(id, { userIds, amount: '0.5' })).status).toBe(201);
  expect((await give(id, { userIds, amount: '0.001', currencyId: 'BTC' })).status).toBe(201);
  expect([await cashOf(player!), await cashOf(player!, 'BTC')]).toEqual(['0.5', '0.001']);
  for (const [body, due] of [
    [{ amount: '0' }, '400 AMOUNT_OUT_OF_RANGE'],
    [{ amount: '0.0000001' }, '400 AMOUNT_OUT_OF_RANGE'],
    [{ amount: '1', currencyId: 'XXX' }, '404 CURRENCY_NOT_FOUND'],
    [{ currencyId: 'BTC' }, '400 VALIDATION_FAILED'],
    [{ userIds: [] }, '400 VALIDATION_FAILED'],
    [{ userIds: Array.from({ length: 501 }, (_, n) => n + 1) }, '400 VALIDATION_FAILED'],
    [{ reason: ' ' }, '400 VALIDATION_FAILED'],
  ] as const)
    expect(refused(await give(id, { userIds, ...body })), JSON.stringify(body).slice(0, 60)).toBe(due);
});

test('rejects an amount near the 64-bit limit and grants nothing', async () => {
  const id = await newPromo(staff, { ...BONUS, type: 'MANUAL' });
  const [player] = await players(1);
  for (const amount of ['92233720368.54775807', '92233720368.5477', '80000000000'])
    expect(refused(await give(id, { userIds: [player!.id], amount, currencyId: 'BTC' }))).toMatch(
      /^(400 (AMOUNT_OUT_OF_RANGE|VALIDATION_FAILED)|403 STAFF_VALUE_LIMIT)$/,
    );
  expect((await grantsOf(`userId=${player!.id}`)).total).toBe(0);
});

test('grants only an active promotion within its budget', async () => {
  const id = await newPromo(staff, { type: 'MANUAL', budget: { maxGrants: 2 } });
  const all = (await players(3)).toSorted((a, b) => a.id - b.id);
  const { body } = await give(id, { userIds: idsOf(all) });
  expect(body).toMatchObject({ granted: 2, skipped: [{ userId: all[2]!.id, rule: 'PROMO_EXHAUSTED' }] });
  expect(refused(await give(id, { userIds: [all[2]!.id] }))).toBe('409 PROMO_EXHAUSTED');
  expect((await setStatus(staff, id, 'PAUSED')).status).toBe(201);
  expect(refused(await give(id, { userIds: [all[2]!.id] }))).toBe('409 PROMO_NOT_ACTIVE');
  const later = await newPromo(staff, { type: 'MANUAL', startAt: '2126-01-01T00:00:00.000Z' });
  expect(refused(await give(later, { userIds: [all[2]!.id] }))).toBe('409 PROMO_NOT_ACTIVE');
});

test('filters, sorts and pages the grants of all players for staff', async () => {
  const reader = await app.as({ permissions: ['promo.read'] });
  const id = await newPromo(staff, { ...BONUS, type: 'DEPOSIT', validityHours: 5 });
  const [one, other] = await players(2);
  await give(id, { userIds: [one!.id], amount: '3' });
  const [code] = await newCodes(staff, id);
  const { body: own } = await redeem(other!, { code });
  const due = {
    ...own,
    userId: other!.id,
    user: expect.objectContaining({ id: other!.id, username: other!.username }),
    source: 'CODE',
    code,
    grantedBy: null,
  };
  const list = await grantsOf(`promoId=${id}`);
  expect(list).toMatchObject({ total: 2, page: 1, take: 20, totalPages: 1 });
  expect(list.data[0]).toEqual(due);
  expect(list.data[1]).toMatchObject({
    userId: one!.id,
    source: 'ADMIN',
    code: null,
    grantedAmount: '3',
    grantedBy: { id: staff.id },
  });
  const amounts = async (query: string) =>
    (await grantsOf(`promoId=${id}&${query}`)).data.map(({ grantedAmount }: any) => grantedAmount);
  expect(await amounts('sortBy=grantedAmount&sortOrder=asc')).toEqual(['3', '10']);
  expect(await amounts('sortBy=expiresAt&sortOrder=asc')).toEqual(['3', '10']);
  expect(await amounts('sortOrder=asc')).toEqual(['3', '10']);
  expect(await amounts('status=PENDING')).toEqual([]);
  expect(await amounts('status=ACTIVE&take=1&page=2')).toEqual(['3']);
  expect((await grantsOf(`userId=${other!.id}`)).data).toEqual([due]);
  expect((await grantsOf('promoId=x')).data).toEqual([]);
  const { body } = await reader.call('GET', `/admin/promo/grants?userId=${other!.id}`);
  expect(body.data[0].user.email).toMatch(/\*\*\*/);
  for (const query of ['take=21', 'status=DONE', 'sortBy=name', 'userId=0'])
    expect((await staff.call('GET', `/admin/promo/grants?${query}`)).status, query).toBe(400);
});

test('counts up to 10,000 of 12,000 grants through an index, and sorts longer lists only by time', async () => {
  const id = await newPromo(staff, { type: 'MANUAL' });
  const player = await app.newPlayer();
  await app.sql`insert into promo_grants (promo_id, user_id, source_key, source, name, type, kind, status, currency_id,
      wager_multiplier_e2, wager_base, granted_amount)
    select ${BigInt(id)}, ${player.id}::int, 'bulk:' || n, 'ADMIN', 'Bulk', 'MANUAL', 'BONUS', 'EXPIRED', 'USDT', 100, 'BONUS', n
    from generate_series(1, 12000) n`.execute(app.db);
  await app.sql`analyze promo_grants`.execute(app.db);
  for (const filter of ['', `promoId=${id}&`, `promoId=${id}&status=EXPIRED&`, 'status=EXPIRED&']) {
    const last = await grantsOf(`${filter}page=500`);
    expect([last.total, last.data.length], filter).toEqual([10_000, 20]);
    expect(
      (await staff.call('GET', `/admin/promo/grants?${filter}sortBy=grantedAmount`)).body.code,
      filter,
    ).toBe('SORT_TOO_LONG');
  }
  for (const where of [
    '',
    `where promo_id = ${id}`,
    `where promo_id = ${id} and status = 'LOST'`,
    `where status = 'LOST'`,
  ]) {
    const { rows } = await app.sql<{ 'QUERY PLAN': string }>`explain select * from promo_grants
      ${app.sql.raw(where)} order by id desc limit 20`.execute(app.db);
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan, where).not.toMatch(/Seq Scan|Sort/);
  }
  await app.db.deleteFrom('promo_grants').where('source_key', 'like', 'bulk:%').execute();
});

test('cancels bonus money but not cash, and shows the player the reason', async () => {
  const id = await newPromo(staff, { ...BONUS, type: 'DEPOSIT' });
  const player = await app.newPlayer({ usdt: 7 });
  const { body: grant } = await redeem(player, { promoId: id });
  const cancel = (headers: Record<string, string> = {}, by = staff, grantId = grant.id) =>
    by.call('POST', `/admin/promo/grants/${grantId}/cancel`, {
      body: { reason: 'A mistake of ours' },
      headers,
    });
  const key = { 'idempotency-key': randomUUID() };
  const done = await cancel(key);
  const after = {
    status: 'CANCELLED',
    bonusBalance: '0',
    forfeitedAmount: '10',
    closeReason: 'A mistake of ours',
  };
  expect(done).toMatchObject({ status: 201, body: { ...after, userId: player.id, user: { id: player.id } } });
  expect((await cancel(key)).text).toBe(done.text);
  expect(refused(await cancel())).toBe('409 PROMO_GRANT_CLOSED');
  expect(await cashOf(player)).toBe('7');
  expect((await player.call('GET', '/promo/my')).body.data[0]).toMatchObject(after);
  const audit = await app.db
    .selectFrom('admin_audit')
    .select(['before', 'after', 'reason'])
    .where('user_id', '=', staff.id)
    .where('path', '=', `/admin/promo/grants/${grant.id}/cancel`)
    .where('after', 'is not', null)
    .execute();
  expect(audit).toMatchObject([
    {
      reason: 'A mistake of ours',
      before: { id: grant.id, status: 'ACTIVE', bonusBalance: '10' },
      after: { id: grant.id, status: 'CANCELLED', bonusBalance: '0' },
    },
  ]);
  for (const missing of ['0', 'x', '9223372036854775807'])
    expect(refused(await cancel({}, staff, missing))).toBe('404 PROMO_GRANT_NOT_FOUND');
});

test("does not cancel the caller's own grants or those of accounts that the caller created", async () => {
  const id = await newPromo(staff, { ...HALF, conditions: {} });
  const { body: own } = await redeem(staff, { promoId: id });
  const cancel = (grantId: string) =>
    staff.call('POST', `/admin/promo/grants/${grantId}/cancel`, { body: { reason: 'mine' } });
  expect(refused(await cancel(own.id))).toBe('403 OWN_ACCOUNT');
  const opened = await app.newPlayer();
  await app.db.updateTable('users').set({ opened_by: staff.id }).where('id', '=', opened.id).execute();
  const { body: theirs } = await redeem(opened, { promoId: id });
  expect(refused(await cancel(theirs.id))).toBe('403 ACCOUNT_CONNECTED');
});

test('grants a promotion once per source, and checks only the country rule for the sources VIP and CRM', async () => {
  const id = BigInt(
    await newPromo(staff, { type: 'MANUAL', conditions: { minVipLevel: 50, countriesDeny: ['FR'] } }),
  );
  const [player, french] = await players(2);
  await app.db.updateTable('users').set({ country_code: 'FR' }).where('id', '=', french!.id).execute();
  const grantTo = (userId: number, source: 'VIP' | 'ADMIN') =>
    transaction(app.db, (tx) =>
      app.services.promo.grantTo(tx, id, { userId, source, sourceKey: `${id}:vip:${userId}` }),
    );
  const first = await grantTo(player!.id, 'VIP');
  expect(first.isNew).toBe(true);
  expect(await grantTo(player!.id, 'VIP')).toEqual({ ...first, isNew: false });
  expect(await cashOf(player!)).toBe('10');
  await expect(grantTo(french!.id, 'VIP')).rejects.toMatchObject({ details: { rule: 'COUNTRY' } });
  await expect(grantTo(french!.id, 'ADMIN')).rejects.toMatchObject({ details: { rule: 'VIP_LEVEL' } });
  await expect(
    transaction(app.db, (tx) =>
      app.services.promo.grantTo(tx, 999_999n, { userId: player!.id, source: 'VIP', sourceKey: 'x' }),
    ),
  ).rejects.toMatchObject({ code: 'PROMO_NOT_FOUND' });
  await expect(grantTo(2_000_000_000, 'VIP')).rejects.toMatchObject({ code: 'USER_NOT_FOUND' });
});
