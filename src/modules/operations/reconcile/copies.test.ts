/**
 * Invariant N8: in a database copy, work that was still in progress when the copy was made is not reported as late, regardless of its age.
 */
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { reconcile } from '../../../app/commands/reconcile.ts';

const LATE = 'an event was not published within a minute';
const app = fixture(() => startApp());

test('reports a late event based on the clock, but in a copy only if the copy ends more than a minute after the event', async () => {
  const { id } = await app.newPlayer({ usdt: 5 });
  const createdAt = new Date(Date.now() - 3_600_000);
  await sql`insert into cursors (name, position) values ('events-relay', 1)
    on conflict (name) do update set position = 1`.execute(app.db);
  await sql`delete from events`.execute(app.db);
  await sql`insert into events (id, name, room, user_id, data, created_at)
    values (4711, 'balance.updated', 'user', ${id}, '{}', ${createdAt})`.execute(app.db);
  const late = async (asOf?: Date) => {
    const { findings } = await reconcile(app.db, { seedSecret: app.config.SEED_SECRET, asOf });
    return findings.filter(({ problem }) => problem === LATE).map(({ facts }) => Number(facts.id));
  };
  expect(await late()).toEqual([4711]);
  expect(await late(new Date(createdAt.getTime() + 30_000))).toEqual([]);
  expect(await late(new Date(createdAt.getTime() + 61_000))).toEqual([4711]);
  // The option applies only to the call to which it is passed.
  expect(await late()).toEqual([4711]);
  await sql`delete from events`.execute(app.db);
});
