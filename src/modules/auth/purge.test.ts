import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type TestApp } from '../../../test/kit/app.ts';
import { countTry, giveBack, peekTries, takeTry } from './attempts.ts';
import { sessionJobs } from './jobs.ts';
import { addressOf, networkOf } from './network.ts';
import { hashToken, issueToken } from './one-time.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const DAY = 86_400;

test('the worker forgets tries, tokens and nonces that are over, and keeps what still says something', async () => {
  const { id } = await app.newPlayer();
  const token = async (
    name: string,
    purpose: 'MFA' | 'VERIFY_EMAIL',
    fields: [expires: number, used?: number],
  ) => {
    const hash = hashToken(
      await issueToken(app.db, { purpose, userId: id, lifeSeconds: 1, payload: { name } }),
    );
    const [expires, used] = fields.map((seconds) => new Date(Date.now() + seconds! * 1000));
    const set = { expires_at: expires!, used_at: used ?? null };
    await app.db.updateTable('one_time_tokens').set(set).where('hash', '=', hash).execute();
  };
  await token('alive', 'MFA', [60]);
  await token('over', 'MFA', [-1]);
  await token('over and used', 'MFA', [-1, -60]);
  await token('verified lately', 'VERIFY_EMAIL', [-28 * DAY, -29 * DAY]);
  await token('verified long ago', 'VERIFY_EMAIL', [-30 * DAY, -31 * DAY]);
  await token('never used', 'VERIFY_EMAIL', [-1]);
  await countTry(app.db, 'open', 60);
  await countTry(app.db, 'over', 60);
  await app.sql`update attempts set expires_at = now() - interval '1 second' where key = 'over'`.execute(
    app.db,
  );
  const seen = (days: number) => new Date(Date.now() - days * DAY * 1000);
  await app.db
    .insertInto('openid_nonces')
    .values([
      { nonce: 'new', seen_at: seen(0.5) },
      { nonce: 'old', seen_at: seen(2) },
    ])
    .execute();
  for (const { run } of sessionJobs(app.db)) await run();
  const { rows } = await app.sql<{ name: string }>`
    select payload ->> 'name' as name from one_time_tokens order by 1`.execute(app.db);
  expect(rows.map(({ name }) => name)).toEqual(['alive', 'verified lately']);
  const attempts = await app.db.selectFrom('attempts').select('key').execute();
  expect(attempts.map(({ key }) => key)).toEqual(['open']);
  const nonces = await app.db.selectFrom('openid_nonces').select('nonce').execute();
  expect(nonces.map(({ nonce }) => nonce)).toEqual(['new']);
});

test('A01 of 50 tries at once as many pass as there are; a window opens again when it is over', async () => {
  const limits = [
    { key: 'wide', tries: 20, windowSeconds: 100 },
    { key: 'narrow', tries: 7, windowSeconds: 50 },
  ];
  const waits = await Promise.all(Array.from({ length: 50 }, () => takeTry(app.db, limits)));
  expect(waits.filter((wait) => wait === 0)).toHaveLength(7);
  expect(Math.max(...waits)).toBeGreaterThan(90);
  expect(await peekTries(app.db, 'narrow')).toEqual({ tries: 50, waitSeconds: expect.any(Number) });
  await giveBack(app.db, ['narrow'], 'one');
  expect((await peekTries(app.db, 'narrow')).tries).toBe(49);
  await giveBack(app.db, ['narrow', 'wide'], 'all');
  expect(await peekTries(app.db, 'narrow')).toEqual({ tries: 0, waitSeconds: 0 });
  await countTry(app.db, 'narrow', 50);
  await app.sql`update attempts set expires_at = now() where key = 'narrow'`.execute(app.db);
  expect(await countTry(app.db, 'narrow', 50)).toEqual({ tries: 1, waitSeconds: 50 });
});

test.each([
  ['203.0.113.7', '203.0.113.0/24', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.0/24', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64', '2001:db8:1:2::/64'],
  ['2001:DB8:0001:0002::1', '2001:db8:1:2::/64', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64', 'fe80:0:0:0::/64'],
  ['a socket', 'a socket', 'a socket'],
])('A01 %s is of the network %s', (ip, network, address) => {
  expect(networkOf(ip)).toBe(network);
  expect(addressOf(ip)).toBe(address);
});
