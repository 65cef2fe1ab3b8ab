import { randomBytes } from 'node:crypto';
import { CompiledQuery, Kysely, PostgresDialect, sql } from 'kysely';
import { describe, expect, test, vi } from 'vitest';
import { PATIENCE, startApp } from '../../../../test/kit/app.ts';
import { begin, FEED, listening, PATIENT, tell } from '../../../../test/kit/engagement/feed.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { newRealPlayer } from '../../../../test/kit/games/bet-rows.ts';
import { createPool, type Db } from '../../../platform/database/db.ts';
import type { DB } from '../../../platform/database/tables.ts';
import { silentLog } from '../../../platform/observability/log.ts';
import { events } from '../../base/events/module.ts';
import { NO_SCENERY } from '../../games/bets/live.ts';
import { createBets } from '../../games/bets/service.ts';
import { createFeed } from './service.ts';

const app = fixture(() => startApp({ env: PATIENCE, reconcileOnStop: false }));

const newFeed = (db: Db) => {
  const bets = createBets({
    db,
    beside: () => undefined,
    lastPlayed: async () => new Map(),
    scenery: NO_SCENERY,
    highRollerUsd: 1,
    luckyMultiplier: 1,
  });
  return createFeed({ ...app.services, db, bets, config: FEED });
};

describe('database queries of the feed', () => {
  const LONG = { connectTimeoutMs: 5000, statementTimeoutMs: 20_000 };
  const pool = () =>
    createPool({ connectionString: app.database.url, poolSize: 2, name: 'feed', ...LONG }, silentLog);

  test('makes one round trip while nothing happens, and none for history that was not requested', async () => {
    const own = pool();
    const sent: string[] = [];
    const log = ({ query }: { query: CompiledQuery }) => void sent.push(query.sql);
    const watched = newFeed(new Kysely<DB>({ dialect: new PostgresDialect({ pool: own }), log }));
    const player = await newRealPlayer(app);
    await tell(app, player.id, 1);
    const audience = listening([player], 'public', 'game:speed-roulette');
    await begin(watched, audience);
    await watched.next(audience);
    await vi.waitFor(async () => {
      sent.length = 0;
      expect((await watched.next(audience)).deliveries).toEqual([]);
      expect(sent).toHaveLength(1);
    }, PATIENT);
    await own.end();
  });

  test('reads every list through an index, however many other rows exist', async () => {
    const name = `feed_${randomBytes(4).toString('hex')}_`;
    await sql`insert into users (username) select ${name}::text || i from generate_series(1, 3000) i`.execute(
      app.db,
    );
    const named = sql`username like ${`${name}%`}`;
    await sql`insert into wallets (user_id, currency_id) select id, 'USDT' from users where ${named}`.execute(
      app.db,
    );
    await sql`insert into bets (id, amount, payout, usd_amount, usd_payout, usd_rate, user_id, game_id, status, currency_id, settled_at)
      select nextval('ledger_ids'), 1, 0, 1, 0, 1, u.id, (select id from games where slug = 'dice'), 'SETTLED', 'USDT', now() from users u, generate_series(1, 7) where ${named}`.execute(
      app.db,
    );
    await sql`insert into events (id, user_id, room, name, data)
      select nextval('ledger_ids'), u.id, 'user', 'deposit.status', '{}' from users u, generate_series(1, 7) where ${named}`.execute(
      app.db,
    );
    await sql`update bets set settlement_id = id + 1024 where id % 4096 = 0`.execute(app.db);
    await sql`insert into bet_corrections (id, bet_id, bet_position, user_id, game_id, currency_id, amount_before, payout_before,
        usd_amount_before, usd_payout_before, at_before)
      select nextval('ledger_ids'), b.id, b.id, user_id, game_id, currency_id, 1, 0, 1, 0, now()
      from bets b join users u on u.id = user_id where ${named}`.execute(app.db);
    await sql`update bets set is_corrected = true where id % 8192 = 1024`.execute(app.db);
    // Inserts postings in the same block as their bet, in a later block, and without a bet.
    await sql`insert into ledger_lines (id, entry_id, amount, debit_after, user_id, debit, credit, currency_id, kind)
      select b.id + 1 + place, b.id, 1, 1, b.user_id, 1, 100, 'USDT', kind from bets b join users u on u.id = b.user_id,
        (values (0, 'bet.stake'), (1031, 'bet.payout'), (2, 'tip')) line(place, kind) where ${named}`.execute(
      app.db,
    );
    await sql`analyze`.execute(app.db);
    const own = pool();
    const sent: CompiledQuery[] = [];
    const log = ({ query }: { query: CompiledQuery }) => void sent.push(query);
    const watched = newFeed(new Kysely<DB>({ dialect: new PostgresDialect({ pool: own }), log }));
    const { rows: users } = await sql<{
      id: number;
    }>`select id from users where ${named}`.execute(app.db);
    const audience = listening(users, 'public', 'game:speed-roulette');
    const start = await begin(watched, audience);
    await tell(app, users[0]!.id, 1);
    await vi.waitFor(async () => expect((await watched.next(audience)).deliveries.length).toBe(1), PATIENT);
    await watched.missed(
      users.slice(0, 100).map(({ id }) => ({ userId: id, rooms: ['public'], lastSeq: start })),
    );
    await own.end();
    const plans: string[] = [];
    for (const { sql: text, parameters } of sent) {
      if (!/bets|events|ledger_lines/.test(text)) continue;
      const { rows } = await app.db.executeQuery<{ 'QUERY PLAN': string }>(
        CompiledQuery.raw(`explain (costs off) ${text}`, [...parameters]),
      );
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      plans.push(plan.replace(/\{[\d,]{20,}\}/g, '{…}'));
    }
    const plan = plans.join('\n\n');
    expect(plans.length).toBeGreaterThan(5);
    const indexes = [
      / events_pkey /,
      / events_user_idx /,
      / wallets_pkey /,
      / bets_\w+_pkey /,
      / bets_\w+_user_id_id_idx /,
      / bets_\w+_settlement_id_idx /,
      / bets_\w+_reversal_id_idx /,
      / bet_corrections_pkey /,
      / bet_corrections_user_idx /,
    ];
    for (const index of indexes) expect(plan).toMatch(index);
    // The partial indexes for rare postings, and for postings whose ids are in a later block than their bet's id.
    const partial = [...plan.matchAll(/ ledger_lines_\w+_id_idx\d* on (\w+)/g)].map(([scan]) => scan);
    expect(new Set(partial).size).toBeGreaterThanOrEqual(2);
    // Empty partitions are read without an index.
    const { rows: filled } = await sql<{ name: string }>`
      select distinct tableoid::regclass::text as name from bets union select distinct tableoid::regclass::text from ledger_lines`.execute(
      app.db,
    );
    const tables = ['events', 'wallets', 'bet_corrections', ...filled.map(({ name }) => name)];
    expect(tables.length).toBeGreaterThanOrEqual(4);
    expect(plan).not.toMatch(new RegExp(`Seq Scan on (${tables.join('|')})\\b`));
  });

  test('keeps events for the configured number of days, and at least until they are published to the broker', async () => {
    const player = await newRealPlayer(app);
    await tell(app, player.id, 1);
    await tell(app, player.id, 2);
    const kept = () => {
      const own = app.db.selectFrom('events').select('data').where('user_id', '=', player.id);
      return own.where('name', '=', 'deposit.status').execute();
    };
    await sql`update events set created_at = now() - interval '7 days 1 minute' where data ->> 'depositId' = '1' and user_id = ${player.id}`.execute(
      app.db,
    );
    const [job] = events.jobs!({ db: app.services.db, config: FEED });
    await sql`delete from events where user_id <> ${player.id}`.execute(app.db);
    await job!.run();
    expect(await kept()).toHaveLength(2);
    await sql`update cursors set position = (select max(id) from events) where name = 'events-relay'`.execute(
      app.db,
    );
    await job!.run();
    expect((await kept()).map(({ data }) => (data as { depositId: string }).depositId)).toEqual(['2']);
  });
});
