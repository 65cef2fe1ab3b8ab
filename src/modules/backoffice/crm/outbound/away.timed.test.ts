/**
 * The CRM is down for a minute while a worker runs and players keep playing. The test expects that every event arrives, and that the events
 * of each player arrive in order.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { betOnDice, PATIENCE, startApp } from '../../../../../test/kit/app.ts';
import type { Told } from '../../../../../test/kit/backoffice/crm.ts';
import { deposit } from '../../../../../test/kit/engagement/promo.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import { startOutside } from '../../../../../test/kit/http/outside.ts';
import { until } from '../../../../../test/kit/until.ts';
import { startWorker } from '../../../../app/worker.ts';
import { NAMES } from './rules.ts';

const AWAY_MS = 60_000;
const MODES = ['down', 'garbage', 'error', 'busy', 'slow'] as const;

const outside = fixture(startOutside);

test('delivers every event in order after CRM outages of sixty seconds, for each kind of outage', {
  timeout: 300_000,
}, async () => {
  const app = await startApp({ env: { ...outside.env, ...PATIENCE } });
  outside.setApi(app.url);
  const workers = [startWorker(app.services, app.database.url)];
  // A second process receives the same events.
  const other = await startApp({
    part: 'worker',
    env: { ...outside.env, ...PATIENCE },
    database: app.database,
    reconcileOnStop: false,
  });
  workers.push(startWorker(other.services, app.database.url));
  try {
    const players = await Promise.all(Array.from({ length: 6 }, () => app.newPlayer({ usdt: 100 })));
    const began = performance.now();
    for (let turn = 0; performance.now() - began < AWAY_MS; turn++) {
      await outside.behave('crm', MODES[turn % MODES.length]!);
      const player = players[turn % players.length]!;
      await deposit(app, player, '1');
      await betOnDice(player);
      await player.call('PATCH', '/user/me', { body: { language: turn % 2 ? 'de' : 'es' } });
      await sleep(1000);
    }
    await outside.behave('crm', 'ok');
    const { rows: events } = await app.sql<{ id: bigint; userId: number }>`
      select id, user_id as "userId" from events where name = any(${[...NAMES]}::text[]) and user_id = any(${players.map(({ id }) => id)}::int4[])
      order by id`.execute(app.db);
    expect(events.length).toBeGreaterThan(100);
    const told = async () => (await (await fetch(`${outside.url}/crm/events.json`)).json()) as Told[];
    const hasAll = async () => {
      // Makes the messages due, so that the test does not wait for the next attempt.
      await app.sql`update crm_players set due_at = now() where due_at is not null`.execute(app.db);
      const ids = new Set((await told()).map(({ id }) => id));
      return events.every(({ id }) => ids.has(String(id)));
    };
    await until(hasAll, 60_000);
    const all = await told();
    for (const { id } of players) {
      const arrived = all.filter(({ userId, id: event }) => userId === String(id) && /^\d+$/.test(event));
      const ids = arrived.map((one) => BigInt(one.id));
      expect(ids).toEqual(ids.toSorted((a, b) => Number(a - b)));
    }
    // The messages about play per minute also arrive, one for each player and minute.
    await until(async () => (await told()).some(({ type }) => type === 'game_round'), 90_000);
    const minutes = (await told())
      .filter(({ type }) => type === 'game_round')
      .map(({ userId, body }) => `${userId} ${body.timestamp}`);
    expect(new Set(minutes).size).toBe(minutes.length);
    const { rows: dead } =
      await app.sql`select from graphile_worker._private_jobs where attempts >= max_attempts`.execute(app.db);
    expect(dead).toEqual([]);
  } finally {
    await Promise.all(workers.map((worker) => worker.close()));
    await other.stop();
    await app.stop();
  }
});
