import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { PATIENCE, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { consumeAll } from '../../../../test/kit/games/bets.ts';
import { plansOf } from '../../../../test/kit/plans.ts';
import type { Db } from '../../../platform/database/db.ts';
import { readPaymentStats } from './statistics.ts';
import { readPlayer, readTotals } from './totals.ts';

const app = fixture(() => startApp({ reconcileOnStop: false, env: PATIENCE }));

describe('query plans', () => {
  beforeAll(async () => {
    await sql`insert into users (username, email) select 'many_' || i, null from generate_series(1, 2000) i`.execute(
      app.db,
    );
    await sql`insert into bets (id, amount, payout, usd_amount, usd_payout, usd_rate, user_id, game_id, status, currency_id)
      select nextval('ledger_ids'), 10, 0, 10, 0, 1, u.id, g.id, 'SETTLED', 'USDT'
      from generate_series(1, 20) i, games g, users u where g.slug = 'dice' and u.username like 'many%'`.execute(
      app.db,
    );
    await sql`insert into payment_stats select k, 'ALL', '-infinity', u.id, u.id, 1, now()
      from users u, unnest(array['DEPOSIT', 'WITHDRAW']) k where u.username like 'many%'`.execute(app.db);
    await sql`insert into bet_corrections (id, bet_id, bet_position, user_id, game_id, currency_id, amount_before, payout_before,
        usd_amount_before, usd_payout_before, at_before)
      select nextval('ledger_ids'), b.id, b.id, user_id, game_id, currency_id, 10, 0, 10, 0, now() from bets b where id % 4096 = 0`.execute(
      app.db,
    );
    await sql`update bets set is_corrected = true, status = 'ROLLBACK'
      where id in (select bet_id from bet_corrections)`.execute(app.db);
    await consumeAll(app);
    await sql`analyze`.execute(app.db);
  });

  test('reads totals and the favorite game through indexes', async () => {
    const { rows } = await sql<{
      id: number;
    }>`select id from users where username like 'many%' limit 20`.execute(app.db);
    const ids = rows.map((row) => row.id);
    const partitions = sql<{ filled: string }>`select distinct tableoid::regclass::text as filled from bets`;
    const [{ filled }] = (await partitions.execute(app.db)).rows as [{ filled: string }];
    for (const read of [(db: Db) => readTotals(db, ids), (db: Db) => readPlayer(db, ids[0]!)]) {
      const plan = await plansOf(app, read);
      for (const index of [
        `${filled}_user_id_id_idx`,
        'bet_corrections_user_idx',
        'bet_corrections_position_idx',
        'user_stats_pkey',
        'payment_stats_pkey',
      ])
        expect(plan).toContain(index);
      for (const table of [
        filled,
        'bet_corrections',
        'user_stats',
        'user_game_stats',
        'payment_stats',
        'users',
      ])
        expect(plan).not.toContain(`Seq Scan on ${table} `);
    }
  });

  test('lists users by amount through the index', async () => {
    const query = { transactionType: 'DEPOSIT', sortOrder: 'desc', page: 3, take: 20 } as const;
    const plan = await plansOf(app, (db) =>
      readPaymentStats({ db, databaseClock: { now: Date.now } }, query, { showsPii: true }),
    );
    expect(plan).toContain('payment_stats_amount_idx');
    expect(plan).toContain('users_pkey');
    expect(plan).not.toMatch(/Seq Scan on (payment_stats|users)/);
  });
});
