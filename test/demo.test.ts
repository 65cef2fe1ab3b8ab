import { expect, test } from 'vitest';
import { fill, NotHere } from '../demo/fill.ts';
import { makePeople } from '../demo/names.ts';
import { createRandom } from '../demo/random.ts';
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
