import { randomBytes, randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { hashToken } from '../../../platform/secrets/encryption.ts';
import { countTry, giveBack, takeTries } from './attempts.ts';
import { issueToken } from './one-time-tokens.ts';
import { purgeJobs } from './purge.ts';

const app = fixture(startApp);

const DAY = 86_400;

test('deletes expired attempts, tokens and nonces, and keeps recently used verification tokens', async () => {
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
  for (const { run } of purgeJobs(app.db, app.config)) await run();
  const { rows } = await app.sql<{ name: string }>`
    select payload ->> 'name' as name from one_time_tokens order by 1`.execute(app.db);
  expect(rows.map(({ name }) => name)).toEqual(['alive', 'verified lately']);
  const attempts = await app.db.selectFrom('attempts').select('key').execute();
  expect(attempts.map(({ key }) => key)).toEqual(['open']);
  const nonces = await app.db.selectFrom('openid_nonces').select('nonce').execute();
  expect(nonces.map(({ nonce }) => nonce)).toEqual(['new']);
});

test('deletes sessions and their used refresh tokens 90 days after they ended', async () => {
  const { id } = await app.newPlayer();
  await app.db.deleteFrom('sessions').where('user_id', '=', id).execute();
  const ago = (days: number) => new Date(Date.now() - days * DAY * 1000);
  type End = { revoked?: number; expires: number };
  const session = async (name: string, { revoked, expires }: End) => {
    const row = {
      id: randomUUID(),
      user_id: id,
      refresh_hash: randomBytes(32),
      created_at: ago(400),
      expires_at: ago(expires),
      revoked_at: revoked === undefined ? null : ago(revoked),
      user_agent: name,
    };
    await app.db.insertInto('sessions').values(row).execute();
    const used = [399, 1].map((days) => ({
      hash: randomBytes(32),
      session_id: row.id,
      used_at: ago(days),
    }));
    await app.db.insertInto('used_refresh_tokens').values(used).execute();
  };
  await session('alive', { expires: -30 });
  await session('expired lately', { expires: 89 });
  await session('revoked lately', { expires: -30, revoked: 89 });
  // The number of rows is larger than one batch.
  for (let i = 0; i < 101; i++) await session('expired long ago', { expires: 91 });
  await session('revoked long ago', { expires: 60, revoked: 91 });
  await session('both', { expires: 91, revoked: 92 });
  const job = purgeJobs(app.db, app.config).find(({ name }) => name === 'sessions.purge')!;
  await job.run();
  const { rows } = await app.sql`select user_agent as name, count(*)::int as used
    from sessions s join used_refresh_tokens u on u.session_id = s.id
    where user_id = ${id} group by s.id order by 1`.execute(app.db);
  expect(rows).toEqual(['alive', 'expired lately', 'revoked lately'].map((name) => ({ name, used: 2 })));
  const left = await app.sql`select id from sessions where user_id = ${id}
    union all select session_id from used_refresh_tokens`.execute(app.db);
  expect(left.rows).toHaveLength(3 + 6);
});

test('allows only the remaining attempts when 50 arrive concurrently, and resets the count when the window ends', async () => {
  const narrow = { key: randomUUID(), tries: 7, windowSeconds: 50 };
  const waits = await Promise.all(Array.from({ length: 50 }, () => takeTries(app.db, [narrow])));
  expect(waits.filter((wait) => wait === 0)).toHaveLength(7);
  expect(await peekTries(narrow.key)).toEqual({ tries: 50, waitSeconds: expect.any(Number) });
  // If two limits are exhausted, the longer wait applies.
  const wide = { key: randomUUID(), tries: 1, windowSeconds: 100 };
  expect(await takeTries(app.db, [narrow, wide])).toBeLessThanOrEqual(50);
  expect(await takeTries(app.db, [narrow, wide])).toBeGreaterThan(90);
  await giveBack(app.db, [narrow.key], 'one');
  expect((await peekTries(narrow.key)).tries).toBe(51);
  await giveBack(app.db, [narrow.key, wide.key], 'all');
  expect(await peekTries(narrow.key)).toEqual({ tries: 0, waitSeconds: 0 });
  await countTry(app.db, narrow.key, 50);
  await app.sql`update attempts set expires_at = now() where key = ${narrow.key}`.execute(app.db);
  expect(await countTry(app.db, narrow.key, 50)).toEqual({ tries: 1, waitSeconds: 50 });
});

async function peekTries(key: string): Promise<{ tries: number; waitSeconds: number }> {
  const { rows } = await app.sql`
    select tries, greatest(1, ceil(extract(epoch from expires_at - now())))::int as "waitSeconds"
    from attempts where key = ${key} and expires_at > now()`.execute(app.db);
  return (rows[0] ?? { tries: 0, waitSeconds: 0 }) as { tries: number; waitSeconds: number };
}
