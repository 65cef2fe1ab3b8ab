import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { betOnDice, type Player, startApp } from '../../../../test/kit/app.ts';
import { newTipper, tip } from '../../../../test/kit/engagement/tips.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { bonusFor, grantsOf, percentageFor } from '../../../../test/kit/money/grants.ts';
import { transaction } from '../../../platform/database/db.ts';
import { ONE } from '../../../platform/money.ts';
import { purgeJobs } from '../../accounts/auth/purge.ts';
import { verifyAudit } from '../../base/audit/verify.ts';
import { idempotency } from '../../base/idempotency/module.ts';
import { post } from '../../money/ledger/post.ts';
import { erase } from './erase.ts';

let person: Player;
const app = fixture(startApp);
beforeEach(async () => {
  person = await app.newPlayer({ usdt: 10 });
});

const ask = (player: Player) =>
  erase(app.services, { userId: player.id, by: player.id, reason: 'asked for it' });
const MONEY = ['ledger_lines', 'ledger_entries', 'bets', 'seed_pairs'];

/** Returns all rows of these tables as text. */
async function rowsOf(tables: readonly string[]): Promise<string[]> {
  const all = await Promise.all(
    tables.map((table) =>
      sql<{ row: string }>`select t::text as row from ${sql.table(table)} t order by 1`.execute(app.db),
    ),
  );
  return all.flatMap(({ rows }) => rows.map(({ row }) => row));
}

/** Returns the tables that contain the given text. */
async function tablesWith(text: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`.execute(
    app.db,
  );
  const found: string[] = [];
  for (const { name } of rows) {
    const { rows: hits } =
      await sql`select from ${sql.table(name)} t where t::text ilike ${`%${text}%`} limit 1`.execute(app.db);
    if (hits.length > 0) found.push(name);
  }
  return found;
}

test('rejects the erasure of an account with money or open items, and returns the reasons', async () => {
  await expect(ask(person)).rejects.toMatchObject({
    code: 'ERASURE_REFUSED',
    details: { reasons: ['10 USDT on the account'] },
  });
  const staff = await app.as({ permissions: ['bet.read'] });
  await expect(ask(staff)).rejects.toMatchObject({ details: { reasons: ['a staff account'] } });
  const mines = await app.newPlayer({ usdt: 1 });
  await sql`insert into claims (user_id, currency_id, amount, remaining, source_key) values (${mines.id}, 'USDT', 5, 5, 'test')`.execute(
    app.db,
  );
  await expect(ask(mines)).rejects.toMatchObject({
    details: { reasons: ['1 USDT on the account', 'a debt'] },
  });
  await sql`delete from claims where source_key = 'test'`.execute(app.db);
  await sql`insert into skin_deposits (id, user_id, currency_id, game, success_url, fail_url, status)
    values (gen_random_uuid(), ${mines.id}, 'USDT', 'x', '', '', 'IN_HOLD')`.execute(app.db);
  await expect(ask(mines)).rejects.toMatchObject({
    details: { reasons: ['1 USDT on the account', 'pending skin deposits'] },
  });
  await sql`delete from skin_deposits where user_id = ${mines.id}`.execute(app.db);
  for (const by of [mines.id, 999_999])
    await expect(erase(app.services, { userId: person.id, by, reason: 'x' })).rejects.toMatchObject({
      code: 'ERASED_BY_NOBODY',
    });
  expect((await person.call('GET', '/user/me')).status).toBe(200);
});

test('deletes all personal data, ends the sessions, moves no money and audits the erasure once', async () => {
  const secret = `canary${person.id}x`;
  await sql`update users set email = ${`${secret}@mail.example`}, platform_trade_link = ${secret}, platform_id = ${secret}, idp_email = ${secret},
    referrer = ${secret}, password_hash = ${secret} where id = ${person.id}`.execute(app.db);
  await sql`update sessions set ip_address = ${secret}, user_agent = ${secret}, device = ${secret} where user_id = ${person.id}`.execute(
    app.db,
  );
  await sql`update registration_info set ip_address = ${secret}, user_agent = ${secret} where user_id = ${person.id}`.execute(
    app.db,
  );
  await sql`insert into user_notes (user_id, created_by, note) values (${person.id}, ${person.id}, ${secret})`.execute(
    app.db,
  );
  await sql`insert into user_tags (user_id, tag, created_by) values (${person.id}, ${secret}, ${person.id})`.execute(
    app.db,
  );
  await sql`insert into kyc_persons (user_id, sealed, person_key, stated_at, document_country)
    values (${person.id}, ${secret}::text::bytea, '', now(), 'NL')`.execute(app.db);
  await sql`insert into identities (issuer, subject, user_id, email) values ('x', ${secret}, ${person.id}, ${secret})`.execute(
    app.db,
  );
  await sql`insert into passkeys (id, user_id, credential_id, public_key, sign_count, transports, is_backed_up, name)
    values (gen_random_uuid(), ${person.id}, ${secret}::text::bytea, '', 0, '{}', false, ${secret})`.execute(
    app.db,
  );
  await sql`insert into email_changes (id, user_id, session_id, new_email, expires_at)
    values (gen_random_uuid(), ${person.id}, gen_random_uuid(), ${`${secret}@mail.example`}, now() + interval '1 day')`.execute(
    app.db,
  );
  await sql`insert into events (id, user_id, room, name, data) values (nextval('ledger_ids'), ${person.id}, 'user', 'test', ${`{"a":"${secret}"}`})`.execute(
    app.db,
  );
  expect(await tablesWith(secret)).not.toEqual([]);
  const paid = {
    userId: person.id,
    currencyId: 'USDT',
    amount: 10n * ONE,
    debit: 'cash',
    credit: 'adjustments',
  } as const;
  const entry = {
    key: `test:paid:${person.id}`,
    kind: 'test',
    postings: [{ ...paid, kind: 'admin.adjustment' as const }],
  };
  await transaction(app.services.db, (tx) => post(tx, [entry]));
  const before = await rowsOf(MONEY);

  expect(await ask(person)).toBe(true);
  expect(await tablesWith(secret)).toEqual([]);
  expect(await tablesWith(person.username)).toEqual([]);
  const { document_country } = await app.db
    .selectFrom('kyc_persons')
    .select('document_country')
    .where('user_id', '=', person.id)
    .executeTakeFirstOrThrow();
  expect(document_country).toBeNull();
  expect(await rowsOf(MONEY)).toEqual(before);
  await expect.poll(async () => (await person.call('GET', '/user/me')).status).toBe(401);

  expect(await ask(person)).toBe(false);
  const { rows } =
    await sql`select count(*)::int as n, max(reason) as reason from admin_audit where path = ${`erase ${person.id}`}`.execute(
      app.db,
    );
  expect(rows).toEqual([{ n: 1, reason: 'asked for it' }]);
  expect((await verifyAudit(app.services.db)).breaks).toEqual([]);
});

test('deletes the messages of sent tips but keeps the tips', async () => {
  const [sender, recipient, other] = [
    await newTipper(app, 20),
    await newTipper(app),
    await newTipper(app, 20),
  ];
  const message = `words of ${sender.id}`;
  expect((await tip(sender, recipient, { amount: '20', message, isPublic: true })).status).toBe(201);
  const back = `words to ${sender.id}`;
  expect((await tip(other, sender, { amount: '10', message: back })).status).toBe(201);
  const paid = { userId: sender.id, currencyId: 'USDT', amount: 10n * ONE } as const;
  const posting = { ...paid, kind: 'admin.adjustment', debit: 'cash', credit: 'adjustments' } as const;
  const entry = { key: `test:paid:${sender.id}`, kind: 'test', postings: [posting] };
  await transaction(app.services.db, (tx) => post(tx, [entry]));
  expect(await tablesWith(message)).not.toEqual([]);
  expect(await ask(sender)).toBe(true);
  expect(await tablesWith(message)).toEqual([]);
  // Messages sent by other players are kept.
  const { rows } = await sql<{ message: string | null; amount: bigint }>`
    select message, amount from tips where ${sender.id} in (sender_id, recipient_id) order by id`.execute(
    app.db,
  );
  expect(rows).toEqual([
    { message: null, amount: 20n * ONE },
    { message: back, amount: 10n * ONE },
  ]);
});

test('purges sessions, tokens, keys and webhooks after 90 days, and keeps the ledger, bets and audit log for five years', async () => {
  const player = await app.newPlayer({ usdt: 5 });
  // A name that is used only in this test run.
  const name = `of-${player.id}`;
  expect((await betOnDice(player)).status).toBe(201);
  await sql`update sessions set revoked_at = now() where user_id = ${player.id}`.execute(app.db);
  await sql`insert into idempotency_keys (user_id, key, input_hash, status, body) values (${player.id}, ${name}, '', 200, '')`.execute(
    app.db,
  );
  await sql`insert into webhook_events (kind, provider, body_hash, body, processed_at) values ('deposit', ${name}, ${name}::text::bytea, 'what was said', now())`.execute(
    app.db,
  );
  const kept = [...MONEY, 'admin_audit'];
  const run = async () => {
    for (const job of [...purgeJobs(app.db, app.config), ...idempotency.jobs!(app)]) await job.run();
    await app.services.webhooks.forget(app.config.WEBHOOKS_KEEP_DAYS);
    await app.services.partitions.maintain();
  };
  const left = async () => {
    const { rows } = await sql<Record<string, number>>`select
      (select count(*)::int from sessions where user_id = ${player.id} and revoked_at is not null) as sessions,
      (select count(*)::int from idempotency_keys where key = ${name}) as keys,
      (select count(*)::int from webhook_events where provider = ${name} and body <> '') as bodies,
      (select count(*)::int from webhook_events where provider = ${name}) as notices`.execute(app.db);
    return rows[0];
  };
  const age = (days: number) =>
    sql`
    with s as (update sessions set created_at = created_at - interval '1 day' * ${days}::int, expires_at = expires_at - interval '1 day' * ${days}::int,
        revoked_at = revoked_at - interval '1 day' * ${days}::int where user_id = ${player.id}),
      k as (update idempotency_keys set created_at = created_at - interval '1 day' * ${days}::int where key = ${name})
    update webhook_events set received_at = received_at - interval '1 day' * ${days}::int where provider = ${name}`.execute(
      app.db,
    );
  const before = await rowsOf(kept);
  const { sessions } = (await left())!;
  expect(sessions).toBeGreaterThan(0);
  await age(29);
  await run();
  expect(await left()).toEqual({ sessions, keys: 1, bodies: 1, notices: 1 });
  await age(62);
  await run();
  expect(await left()).toEqual({ sessions: 0, keys: 0, bodies: 0, notices: 1 });
  // Even five years later, no job has removed ledger rows.
  await app.services.partitions.maintain(new Date(Date.now() + 5 * 366 * 86_400_000));
  expect(await rowsOf(kept)).toEqual(before);
});

test('cancels waiting bonuses, and rejects the erasure while a bonus is active', async () => {
  const player = await app.newPlayer();
  const { issue, end, row } = grantsOf(app);
  const [active, waiting, percentage] = [
    await issue(bonusFor(player)),
    await issue(bonusFor(player)),
    await issue(percentageFor(player)),
  ];
  await expect(ask(player)).rejects.toMatchObject({ details: { reasons: ['50 USDT on the account'] } });
  await end(waiting!);
  await end(active!);
  expect((await row(percentage!)).status).toBe('PENDING');
  expect(await ask(player)).toBe(true);
  expect(await row(percentage!)).toMatchObject({ status: 'CANCELLED', close_reason: 'ERASED', to_start: 0n });
});
