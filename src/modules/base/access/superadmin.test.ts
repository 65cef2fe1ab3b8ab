import { expect, test } from 'vitest';
import { newcomer } from '../../../../test/kit/accounts/sign-in.ts';
import { startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';

const app = fixture(startApp);

test('creates the first superadmin once when two commands run concurrently', async () => {
  const { access } = app.services;
  const { username, email } = newcomer();
  const [first, second] = await Promise.allSettled([
    access.appointFirst({ username, email }),
    access.appointFirst({ ...newcomer(), password: 'a password of my own' }),
  ]);
  const done = [first, second].filter((r) => r.status === 'fulfilled');
  expect(done).toHaveLength(1);
  const refused = [first, second].find((r) => r.status === 'rejected');
  expect(refused?.reason).toMatchObject({ code: 'SUPERADMIN_EXISTS' });
  const staff = await app.db.selectFrom('users').selectAll().where('is_staff', '=', true).execute();
  expect(staff).toHaveLength(1);
  expect(staff[0]).toMatchObject({ roles: ['SUPERADMIN'], email_verified: true });
  const written = await app.db.selectFrom('admin_audit').selectAll().execute();
  expect(written).toHaveLength(1);
  expect(written[0]).toMatchObject({
    method: 'COMMAND',
    path: 'croupier superadmin',
    user_id: staff[0]!.id,
    after: { roles: ['SUPERADMIN'] },
  });
  await expect(access.appointFirst(newcomer())).rejects.toMatchObject({ code: 'SUPERADMIN_EXISTS' });
});

test('promotes an existing verified account and keeps its password', async () => {
  await app.db.updateTable('users').set({ banned_at: new Date() }).where('is_staff', '=', true).execute();
  const player = await app.newPlayer();
  const email = `${player.username}@test.example`;
  const refused = (username: string) =>
    expect(app.services.access.appointFirst({ email, username })).rejects.toMatchObject({
      code: 'ACCOUNT_UNFIT',
    });
  await refused(player.username);
  await app.db.updateTable('users').set({ email_verified: true }).where('id', '=', player.id).execute();
  await refused('another_name');
  const { username } = player;
  const { password, user } = await app.services.access.appointFirst({ email, username });
  expect([password, user.username]).toEqual([undefined, player.username]);
  const row = await app.db
    .selectFrom('users')
    .selectAll()
    .where('id', '=', player.id)
    .executeTakeFirstOrThrow();
  expect(row).toMatchObject({ roles: ['SUPERADMIN'], is_staff: true });
});

test('rejects invalid emails and usernames before changing anything', async () => {
  const before = await app.db.selectFrom('users').select('id').execute();
  for (const input of [
    {},
    { email: 'no address', username: 'fine_name' },
    { email: 'a@b.example', username: 'x' },
  ])
    await expect((async () => app.services.access.appointFirst(input))()).rejects.toThrow();
  expect(await app.db.selectFrom('users').select('id').execute()).toEqual(before);
});
