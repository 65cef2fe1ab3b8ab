import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { PATIENCE, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { readList } from '../../../platform/list/list.ts';
import { tipsOf } from './list.ts';

const app = fixture(() => startApp({ env: PATIENCE, reconcileOnStop: false }));

test('reads a page of tips from two merged indexes without sorting, in ascending and descending order', async () => {
  const player = await app.newPlayer();
  await sql`insert into users (username) select 'tipper_' || i from generate_series(1, 50) i`.execute(app.db);
  await sql`insert into tips (sender_id, recipient_id, currency_id, amount, usd_amount, is_public, created_at)
    select case when i % 2 = 0 then ${player.id} else u.id end, case when i % 2 = 0 then u.id else ${player.id} end, 'USDT', 1, i, false,
      now() - make_interval(secs => i)
    from generate_series(1, 600) i, users u where u.username like 'tipper%'`.execute(app.db);
  await sql`analyze tips`.execute(app.db);
  for (const [sortBy, column] of [
    ['createdAt', 'created_at'],
    ['usdAmount', 'usd_amount'],
  ] as const) {
    const { rows } = await sql<{ 'QUERY PLAN': string }>`explain (costs off)
      select id from tip_sides where user_id = ${player.id} order by ${sql.ref(column)} desc, id desc limit 20000`.execute(
      app.db,
    );
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toContain('Merge Append');
    expect(plan).not.toMatch(/Seq Scan|Sort\b(?! Key)/);
    const request = { sortOrder: 'desc', page: 2, take: 20 } as const;
    const { rows: ids, total } = await readList(app.db, tipsOf(player.id, { sortBy }), request);
    expect(ids).toHaveLength(20);
    expect(total).toBeGreaterThan(5000);
  }
});
