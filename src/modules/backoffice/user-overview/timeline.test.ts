import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { betOnDice, type Player, startApp } from '../../../../test/kit/app.ts';
import { newPromo } from '../../../../test/kit/engagement/promo.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { consumeAll } from '../../../../test/kit/games/bets.ts';
import { plansOf } from '../../../../test/kit/plans.ts';
import { newId } from '../../../platform/ids.ts';
import { entriesOf, KINDS, type Kind } from './timeline-sources.ts';

const app = fixture(() => startApp({ reconcileOnStop: false }));
const boss = fixture(() => app.as('superadmin'));
const clerk = fixture(() => app.as({ permissions: ['user.read'] }));

const timelineOf = (by: Player, { id }: { id: number | string }, query = '') =>
  by.call('GET', `/admin/users/${id}/timeline${query}`);

/** Creates a player with one entry of every kind. */
async function eventful(): Promise<Player> {
  const player = await app.newPlayer({ usdt: 50 });
  await betOnDice(player, { betAmount: '2' });
  await betOnDice(player, { betAmount: '3' });
  await consumeAll(app);
  const body = { type: 'LOSS', period: 'WEEK', amount: '20' };
  await player.call('POST', '/user-limits/gambling-limits', { body });
  const note = { userId: player.id, note: 'Wrote from 203.0.113.9.', riskLevel: 'LOW' };
  expect((await boss.call('POST', '/admin/user-notes', { body: note })).status).toBe(201);
  await insertRows(player);
  expect((await boss.call('PATCH', `/admin/user/${player.id}`, { body: { isPrivate: true } })).status).toBe(
    200,
  );
  return player;
}

async function insertRows({ id }: Player): Promise<void> {
  await sql`insert into deposits (id, user_id, status, status_history, provider_id, external_id, currency_id, network_id, pay_address,
      amount, usd_amount, required_confirmations, noticed_at)
    values (${newId()}, ${id}, 'WRITTEN_OFF', '[]', 'sandbox', ${newId()}, 'USDT', 'tron', 'x', 2500000000, 2500000000, 20, now())`.execute(
    app.db,
  );
  await sql`insert into withdrawals (id, user_id, currency_id, network_id, amount, fee, usd_amount, is_priced, recipient_address, status,
      status_history, risk_score, risk_reasons, reject_reason, confirmed_by)
    values (${newId()}, ${id}, 'USDT', 'tron', 1000000000, 0, 1000000000, true, 'x', 'REJECTED', '[]', 0, '{}', 'Wrong network',
      ${boss.id})`.execute(app.db);
  await sql`insert into exclusions (user_id, kind, source, started_at, expires_at, play_from, created_by)
    values (${id}, 'COOL_OFF', 'PLAYER', now(), now(), now(), ${id})`.execute(app.db);
  await sql`insert into kyc_history (id, user_id, tier, from_status, to_status, actor_id)
    values (${newId()}, ${id}, 'IDENTITY', 'PENDING', 'APPROVED', ${boss.id})`.execute(app.db);
  await sql`
    with promo as (
      insert into promos (name, type, kind, currency_id, amount, wager_multiplier_e2, wager_base)
      values ('A gift', 'MANUAL', 'CASH', 'USDT', 1, 100, 'BONUS') returning id)
    insert into promo_grants (promo_id, user_id, source_key, source, name, type, kind, status, currency_id, granted_amount, granted_usd,
      wager_multiplier_e2, wager_base)
    select id, ${id}, ${newId()}, 'ADMIN', 'A gift', 'MANUAL', 'CASH', 'COMPLETED', 'USDT', 700000000, 700000000, 100, 'BONUS'
    from promo`.execute(app.db);
}

const player = fixture(eventful);
const ALL = Object.keys(KINDS) as Kind[];

test('lists one entry of every kind, newest first', async () => {
  const { status, body } = await timelineOf(boss, player);
  expect(status).toBe(200);
  expect(body.next).toBeNull();
  expect(new Set(body.entries.map(({ kind }: any) => kind))).toEqual(new Set(ALL));
  const times = body.entries.map(({ at }: any) => at);
  expect(times).toEqual(times.toSorted().reverse());
  const of = (kind: Kind) => body.entries.find((entry: any) => entry.kind === kind);
  expect(of('deposit')).toMatchObject({
    state: 'FAILED',
    text: 'tron',
    amount: '25',
    currencyId: 'USDT',
    usdAmount: '25',
  });
  expect(of('withdrawal')).toMatchObject({
    state: 'REJECTED',
    text: 'tron, Wrong network',
    amount: '10',
    by: { id: boss.id },
  });
  expect(of('bets').bets).toMatchObject({ count: 2, stakedUsd: '5' });
  expect(of('bets').id).toMatch(/^\d{4}-\d\d-\d\d$/);
  expect(of('limit')).toMatchObject({ state: 'APPLIED', text: 'LOSS WEEK', amount: '20', by: null });
  expect(of('exclusion')).toMatchObject({ state: 'COOL_OFF', by: null });
  expect(of('note')).toMatchObject({ state: 'LOW', text: 'Wrote from 203.0.113.9.', by: { id: boss.id } });
  expect(of('verification')).toMatchObject({ state: 'APPROVED', text: 'IDENTITY', by: { id: boss.id } });
  expect(of('bonus')).toMatchObject({ state: 'COMPLETED', text: 'A gift', amount: '7' });
  expect(of('staff')).toMatchObject({ text: `PATCH /admin/user/${player.id}`, by: { id: boss.id } });
  expect(of('sign-in').text).toContain('127.0.0.1');
});

test('contains changes whose request does not name the user, each of them once', async () => {
  const [one, other, another] = [
    await app.newPlayer({ usdt: 50 }),
    await app.newPlayer(),
    await app.newPlayer(),
  ];
  const grant = { reason: 'A gift.', userIds: [one.id, other.id] };
  const promoId = await newPromo(boss, { type: 'MANUAL' });
  expect((await boss.call('POST', `/admin/promo/${promoId}/grant`, { body: grant })).body.granted).toBe(2);
  const role = { username: one.username, role: 'SUPPORT' };
  for (const change of ['add', 'revoke'])
    expect((await boss.call('PUT', `/admin/user/${change}-single-role`, { body: role })).status).toBe(200);
  await insertRows(one);
  const { id } = await app.db
    .updateTable('withdrawals')
    .set({ status: 'WAITING_FOR_APPROVAL', reject_reason: null, confirmed_by: null })
    .where('user_id', '=', one.id)
    .returning('id')
    .executeTakeFirstOrThrow();
  await sql`insert into admin_audit (id, user_id, method, path, service, permission, status_code, request_id, created_at, hash, request_body,
      before, after)
    values (0, ${boss.id}::int, 'POST', '/admin/payments/withdraw/approve', 'api', 'withdraw.approve', 201, 'x', now(), '',
      jsonb_build_object('id', ${id}::text), jsonb_build_object('id', ${id}::text, 'userId', ${one.id}::int),
      jsonb_build_object('id', ${id}::text, 'userId', ${one.id}::int))`.execute(app.db);
  await boss.call('POST', '/admin/user-notes', { body: { userId: one.id, note: 'Once.', riskLevel: 'LOW' } });
  const actsOf = async (player: Player) =>
    (await timelineOf(boss, player, '?kinds=staff')).body.entries.map(({ text }: any) => text);
  expect(await actsOf(one)).toEqual([
    'POST /admin/user-notes',
    'POST /admin/payments/withdraw/approve',
    'PUT /admin/user/revoke-single-role',
    'PUT /admin/user/add-single-role',
    `POST /admin/promo/${promoId}/grant, A gift.`,
  ]);
  expect(await actsOf(other)).toEqual([`POST /admin/promo/${promoId}/grant, A gift.`]);
  expect(await actsOf(another)).toEqual([]);
});

test('tells the moderation of a user in the chat apart, with the end of a mute', async () => {
  const { id } = await app.newPlayer();
  for (const [action, args] of [
    ['MUTE_USER', { userId: id, seconds: 600 }],
    ['UNMUTE_USER', { userId: id }],
  ] as const)
    expect((await boss.call('POST', '/admin/chat/admin-action', { body: { action, args } })).status).toBe(
      201,
    );
  const { entries } = (await timelineOf(boss, { id }, '?kinds=staff')).body;
  expect(entries).toMatchObject([
    { state: 'UNMUTE_USER', text: 'POST /admin/chat/admin-action' },
    { state: 'MUTE_USER', text: expect.stringMatching(/^POST \/admin\/chat\/admin-action, 2.*Z$/) },
  ]);
});

test('describes free spins with their number, their game and the stake of each', async () => {
  const { id } = await app.newPlayer();
  await insertRows({ id } as Player);
  await sql`insert into free_rounds (grant_id, provider_id, game_id, currency_id, rounds, bet, valid_until)
    select id, 1, (select min(id) from games), 'USDT', 10, 20000000, now() from promo_grants where user_id = ${id}`.execute(
    app.db,
  );
  const { name } = await app.db
    .selectFrom('games')
    .select('name')
    .orderBy('id')
    .limit(1)
    .executeTakeFirstOrThrow();
  const [bonus] = (await timelineOf(boss, { id }, '?kinds=bonus')).body.entries;
  expect(bonus).toMatchObject({ currencyId: 'USDT', freeSpins: { count: 10, game: name, value: '0.2' } });
});

test('contains the same entries page by page, each of them once', async () => {
  const whole = (await timelineOf(boss, player)).body.entries;
  const paged: object[] = [];
  let before = '';
  for (let page = 0; page < 40; page++) {
    const { body } = await timelineOf(boss, player, `?take=2${before}`);
    paged.push(...body.entries);
    if (body.next === null) break;
    before = `&before=${encodeURIComponent(body.next)}`;
  }
  expect(paged).toEqual(whole);
});

test('pages through entries of the same time and through days of bets', async () => {
  const { id } = await app.newPlayer();
  await sql`insert into user_notes (user_id, created_by, note, created_at)
    select ${id}::int, ${boss.id}::int, n::text, '2026-01-05 12:00:00.123456Z' from generate_series(1, 5) n`.execute(
    app.db,
  );
  await sql`insert into play_hours (hour, game_id, user_id, generation, bets, wins, staked_usd, paid_usd, biggest_win_usd,
      best_multiplier_e4, last_at, first_place, last_place, own_staked_usd, own_paid_usd)
    select hour, 1, ${id}::int, (select generation from cursors where name = 'user-stats'), 1, 0, 100000000, 0, 0, 0,
      hour + interval '5 minutes', 1, 1, 0, 0
    from generate_series(timestamptz '2026-01-01 22:00Z', timestamptz '2026-01-04 02:00Z', interval '2 hours') hour`.execute(
    app.db,
  );
  const seen: string[] = [];
  for (let before = ''; ; ) {
    const { body } = await timelineOf(boss, { id }, `?kinds=note,bets&take=2${before}`);
    for (const { kind, text, bets, id: day } of body.entries)
      seen.push(kind === 'note' ? `note ${text}` : `${day} ${bets.count}`);
    if (body.next === null) break;
    before = `&before=${encodeURIComponent(body.next)}`;
  }
  expect(seen.slice(0, 5).toSorted()).toEqual([1, 2, 3, 4, 5].map((n) => `note ${n}`));
  expect(seen.slice(5)).toEqual(['2026-01-04 2', '2026-01-03 12', '2026-01-02 12', '2026-01-01 1']);
});

test('shows each kind only with its permission, and masks addresses without user.pii', async () => {
  const { entries } = (await timelineOf(clerk, player)).body;
  expect(new Set(entries.map(({ kind }: any) => kind))).toEqual(new Set(['sign-up', 'sign-in']));
  expect(JSON.stringify(entries)).not.toContain('127.0.0.1');
  for (const [kind, permission] of Object.entries(KINDS)) {
    const reader = await app.as({ permissions: ['user.read', permission] });
    const { body } = await timelineOf(reader, player, `?kinds=${kind}`);
    expect(new Set(body.entries.map((entry: any) => entry.kind)), kind).toEqual(new Set([kind]));
    if (permission === 'user.read') continue;
    const refused = await timelineOf(clerk, player, `?kinds=sign-in,${kind}`);
    expect([refused.status, refused.body.details], kind).toEqual([403, { permission }]);
  }
  const reader = await app.as({ permissions: ['user.read', 'note.read'] });
  const [note] = (await timelineOf(reader, player, '?kinds=note')).body.entries;
  expect(note.text).toBe('Wrote from 203.0.*.*.');
});

test('rejects unknown users, kinds and cursors, and callers without user.read', async () => {
  const codeOf = async (by: Player, id: number | string, query?: string) => {
    const { status, body } = await timelineOf(by, { id }, query);
    return `${status} ${body.code}`;
  };
  expect(await codeOf(boss, 2_000_000_000)).toBe('404 USER_NOT_FOUND');
  for (const query of ['kinds=everything', 'before=x', 'before=1_note', 'take=0', 'take=101', 'page=2'])
    expect(await codeOf(boss, player.id, `?${query}`), query).toBe('400 VALIDATION_FAILED');
  expect(await codeOf(boss, player.id, '?before=99999999999999999_note_1')).not.toMatch(/^5/);
  expect(await codeOf(player, player.id)).toBe('403 FORBIDDEN');
  expect(await codeOf(await app.as({ permissions: ['audit.read'] }), player.id)).toBe('403 FORBIDDEN');
  expect((await app.call('GET', `/admin/users/${player.id}/timeline`)).status).toBe(401);
});

test('reads no large table completely', async () => {
  const { rows } = await sql<{ id: number }>`
    insert into users (username, username_skeleton) select 'line_' || n, 'line ' || n from generate_series(1, 3000) n returning id`.execute(
    app.db,
  );
  const other = rows[0]!.id;
  for (const statement of [
    sql`deposits (id, user_id, status, status_history, provider_id, external_id, currency_id, network_id, pay_address, amount, usd_amount,
        required_confirmations, noticed_at)
      select gen_random_uuid(), id, 'DETECTED', '[]', 'bulk', id::text, 'USDT', 'tron', 'x', 1, 1, 20, now()`,
    sql`withdrawals (id, user_id, currency_id, network_id, amount, fee, usd_amount, is_priced, recipient_address, status, status_history,
        risk_score, risk_reasons)
      select gen_random_uuid(), id, 'USDT', 'tron', 1, 0, 1, true, 'x', 'CANCELLED', '[]', 0, '{}'`,
    sql`sessions (id, user_id, refresh_hash, expires_at) select gen_random_uuid(), id, sha256(id::text::bytea), now()`,
    sql`user_notes (user_id, created_by, note) select id, id, 'a note of some length'`,
    sql`exclusions (user_id, kind, source, started_at, expires_at, play_from, created_by)
      select id, 'COOL_OFF', 'PLAYER', now(), now(), now(), id`,
    sql`gambling_limits (user_id, type, period, source) select id, 'WAGER', 'DAY', 'PLAYER'`,
    sql`admin_audit (id, user_id, method, path, service, permission, status_code, request_id, created_at, hash)
      select 0, ${boss.id}::int, 'PATCH', '/admin/user/' || id, 'api', 'user.write', 200, 'x', now(), ''`,
    sql`admin_audit (id, user_id, method, path, service, permission, status_code, request_id, created_at, hash, after)
      select 0, ${boss.id}::int, 'POST', '/admin/payments/withdraw/approve', 'api', 'withdraw.approve', 201, 'x', now(), '',
        jsonb_build_object('userId', id)`,
    sql`play_hours (hour, game_id, user_id, generation, bets, wins, staked_usd, paid_usd, biggest_win_usd, best_multiplier_e4, last_at,
        first_place, last_place, own_staked_usd, own_paid_usd)
      select date_trunc('hour', now()), 1, id, 0, 1, 0, 1, 0, 0, 0, now(), 1, 1, 0, 0`,
  ])
    await sql`insert into ${statement} from users where username like 'line%'`.execute(app.db);
  await sql`insert into gambling_limit_changes (id, limit_id, requested_by, outcome, closed_at)
    select gen_random_uuid(), id, user_id, 'APPLIED', now() from gambling_limits`.execute(app.db);
  await sql`analyze`.execute(app.db);
  const before = { micros: '1893456000000000', kind: 'note', id: '1' };
  const plan = await plansOf(app, (db) => entriesOf(ALL, { userId: other, before, most: 51 }).execute(db));
  const tables = [
    'users',
    'deposits',
    'withdrawals',
    'sessions',
    'user_notes',
    'exclusions',
    'gambling_limit_changes',
  ];
  expect(plan).not.toMatch(
    new RegExp(`Seq Scan on (${[...tables, 'admin_audit', 'play_hours'].join('|')})( |$)`, 'm'),
  );
  for (const index of [
    'admin_audit_subject_idx',
    'admin_audit_subjects_idx',
    'play_hours_user_idx',
    'gambling_limit_changes_limit_idx',
  ])
    expect(plan).toContain(index);
}, 120_000);
