import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { releaseClock, takeOverClock } from '../demo/clock.ts';
import { fill, NotHere } from '../demo/fill.ts';
import { makePeople } from '../demo/names.ts';
import { createRandom } from '../demo/random.ts';
import { type Db, transaction } from '../src/platform/database/db.ts';
import { startApp } from './kit/app.ts';
import { fixture } from './kit/fixture.ts';
import { startElsewhere } from './kit/processes/environments.ts';

const app = fixture(() => startApp());

test('creates the same players for the same seed, and different players for another seed', () => {
  const names = (seed: number) =>
    makePeople(createRandom(seed), 500).map(({ username, ip }) => `${username} ${ip}`);
  expect(names(7)).toEqual(names(7));
  expect(names(8)).not.toEqual(names(7));
  expect(new Set(names(7).map((name) => name.split(' ')[0])).size).toBe(500);
});

test.each(['staging', 'production'] as const)(
  'creates no demo data on a server in %s',
  async (environment) => {
    const elsewhere = await startElsewhere(app, environment);
    const users = () => app.db.selectFrom('users').select('id').execute();
    const before = await users();
    const wanted = { seed: 1, players: 2, days: 1 };
    await expect(fill(app.config, elsewhere.url, wanted, () => {})).rejects.toThrow(NotHere);
    expect(await users()).toEqual(before);
    await elsewhere.stop();
  },
);

test('creates no demo data when the server uses a different database from the command', async () => {
  const other = await startApp();
  const config = { ...app.config, DATABASE_URL: other.database.url };
  const wanted = { seed: 1, players: 2, days: 1 };
  await expect(fill(config, app.url, wanted, () => {})).rejects.toThrow(NotHere);
  await other.stop();
});

test('gives all rows of a transaction one time, also if the demo sets its clock meanwhile', async () => {
  const clock = await takeOverClock(app.services.db);
  const [first, second] = [new Date('2024-02-29T10:59:59.000Z'), new Date('2024-03-01T11:00:01.000Z')];
  await clock.set(first);
  const times = await transaction(app.services.db, async (tx) => {
    const before = await timeOf(tx);
    await clock.set(second);
    return [before, await timeOf(tx)];
  });
  expect(times[1]).toEqual(times[0]);
  expect(Math.abs(times[0]!.getTime() - first.getTime())).toBeLessThan(60_000);
  const later = await timeOf(app.services.db);
  expect(Math.abs(later.getTime() - second.getTime())).toBeLessThan(60_000);
  await releaseClock(app.services.db);
  expect(Math.abs((await timeOf(app.services.db)).getTime() - Date.now())).toBeLessThan(60_000);
});

async function timeOf(db: Pick<Db, 'getExecutor'>): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select now() as now`.execute(db);
  return rows[0]!.now;
}
