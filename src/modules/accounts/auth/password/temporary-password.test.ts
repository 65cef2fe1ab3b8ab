import { describe, expect, test } from 'vitest';
import { codeOf, startAccounts } from '../../../../../test/kit/accounts/accounts.ts';
import { newcomer } from '../../../../../test/kit/accounts/sign-in.ts';
import { startApp } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';

const on = fixture(startAccounts);
/** Another process that uses the same database. */
const backoffice = fixture(() => startApp({ part: 'backoffice', database: on.app.database }));
const boss = fixture(() => on.app.as('superadmin'));

const OWN = 'meadow lantern 41';
type Person = ReturnType<typeof newcomer>;

/** Creates a staff account with a temporary password, and signs in to it. */
async function opened(permissions = ['note.read', 'user.read'], by = boss) {
  const person = { ...newcomer(), password: 'corridor battery 9' };
  const answer = await by.call('POST', '/admin/user/admin-user', { body: { ...person, permissions } });
  expect(answer.status, answer.text).toBe(201);
  return { ...person, id: answer.body.id as number, token: await tokenOf(person) };
}
const tokenOf = async (person: Pick<Person, 'email' | 'password'>): Promise<string> => {
  const answer = await on.signIn(person);
  expect(answer.status, answer.text).toBe(201);
  return answer.body.accessToken.token;
};
const notes = async (token: string) => codeOf(await on.as(token, 'GET', '/admin/user-notes'));
const verify = async ({ email }: Person) => {
  const token = await on.tokenIn(email, /verify|confirm/i);
  return (await on.app.call('GET', `/user/verify-email?token=${token}`)).body;
};
const change = (token: string, currentPassword: string, newPassword = OWN) =>
  on.as(token, 'PATCH', '/user/change-password', { body: { currentPassword, newPassword } });
const reset = async ({ email }: Person, newPassword = OWN) => {
  expect((await on.app.call('POST', '/user/forgot-password', { body: { email } })).status).toBeLessThan(300);
  const token = await on.tokenIn(email, /reset/i);
  return on.app.call('PATCH', '/user/confirm-password-reset', { body: { token, newPassword } });
};

describe('a temporary password set for a new staff member', () => {
  test('allows sign-in with a temporary password but no staff routes, and explains how to activate the account', async () => {
    const person = await opened();
    const answer = await on.as(person.token, 'GET', '/admin/user-notes');
    expect(answer.body).toMatchObject({
      statusCode: 403,
      code: 'STAFF_NOT_ACTIVATED',
      message: expect.stringContaining('/user/forgot-password'),
    });
    const { token } = person;
    const path = `/user/${person.id}`;
    expect(codeOf(await backoffice.call('GET', path, { token }))).toBe('403 STAFF_NOT_ACTIVATED');
    expect((await on.as(token, 'GET', '/user/me')).status).toBe(200);
  });

  test('grants no permissions before activation, not even to a superadmin', async () => {
    const person = await opened([]);
    const body = { roles: ['SUPERADMIN'] };
    expect((await boss.call('PUT', `/admin/user/${person.id}/roles`, { body })).status).toBe(200);
    const call = () => on.as(person.token, 'PUT', `/admin/user/${boss.id}/roles`, { body: { roles: [] } });
    expect(codeOf(await call())).toBe('403 STAFF_NOT_ACTIVATED');
  });

  test('grants permissions in every process once the email is verified and the password is changed afterwards', async () => {
    const person = await opened();
    const { token } = person;
    expect(await verify(person)).toEqual({ result: true });
    await expect.poll(() => notes(token)).toBe('403 STAFF_NOT_ACTIVATED');
    expect(codeOf(await change(token, person.password, person.password))).toBe('400 PASSWORD_TEMPORARY');
    expect(await notes(token)).toBe('403 STAFF_NOT_ACTIVATED');
    expect((await change(token, person.password)).status).toBe(200);
    await expect.poll(() => notes(token)).toBe('200');
    const inBackoffice = async () => (await backoffice.call('GET', `/user/${boss.id}`, { token })).status;
    await expect.poll(inBackoffice).toBe(200);
  });

  test('keeps the password temporary when it is changed before the email is verified', async () => {
    const person = await opened();
    expect((await change(person.token, person.password)).status).toBe(200);
    expect(await verify(person)).toEqual({ result: true });
    const thief = await tokenOf({ ...person, password: OWN });
    expect(await notes(thief)).toBe('403 STAFF_NOT_ACTIVATED');
    // The owner of the mailbox takes over the account.
    expect((await reset(person, 'harbour violin 27')).body).toEqual({ result: true });
    await expect.poll(() => notes(thief)).toBe('401 UNAUTHORIZED');
    expect(await notes(await tokenOf({ ...person, password: 'harbour violin 27' }))).toBe('200');
  });

  test('removes identities that were connected before the temporary password was replaced', async () => {
    const person = await opened();
    const identity = {
      issuer: 'https://id.example',
      subject: person.username,
      user_id: person.id,
      email: null,
    };
    await on.app.db.insertInto('identities').values(identity).execute();
    await on.as(
      person.token,
      'GET',
      `/user/verify-email?token=${await on.tokenIn(person.email, /verify|confirm/i)}`,
    );
    expect((await change(person.token, person.password)).status).toBe(200);
    const left = await on.app.db
      .selectFrom('identities')
      .select('subject')
      .where('user_id', '=', person.id)
      .execute();
    expect(left).toEqual([]);
  });

  test('lets a reset link replace the temporary password and verify the email, but rejects the same password', async () => {
    const person = await opened();
    expect(codeOf(await reset(person, person.password))).toBe('400 PASSWORD_TEMPORARY');
    const token = await on.tokenIn(person.email, /reset/i);
    const body = { token, newPassword: OWN };
    expect((await on.app.call('PATCH', '/user/confirm-password-reset', { body })).body).toEqual({
      result: true,
    });
    expect(await notes(await tokenOf({ ...person, password: OWN }))).toBe('200');
  });
});

describe('activation of other accounts', () => {
  test('keeps the password of a player who becomes a staff member, and grants permissions once the email is verified', async () => {
    const player = await on.registered();
    const body = { permissions: ['note.read'] };
    expect((await boss.call('PUT', `/admin/user/${player.id}/permissions`, { body })).status).toBe(200);
    await expect.poll(() => notes(player.token)).toBe('403 STAFF_NOT_ACTIVATED');
    expect(await verify(player)).toEqual({ result: true });
    await expect.poll(() => notes(player.token)).toBe('200');
  });

  test('rejects a player without permissions with 403 FORBIDDEN', async () => {
    const player = await on.registered();
    expect(await notes(player.token)).toBe('403 FORBIDDEN');
  });

  test('lets the first superadmin, created on the command line, sign in with the printed password', async () => {
    const alone = await startAccounts();
    try {
      const { username, email } = newcomer();
      const { password } = await alone.app.services.access.appointFirst({ username, email });
      const { body } = await alone.signIn({ ...newcomer(), email, password: password! });
      const { status } = await alone.as(body.accessToken.token, 'GET', '/admin/user/all-permissions');
      expect(status).toBe(200);
    } finally {
      await alone.stop();
    }
  });

  test('creates a superadmin on the command line when the existing one is not activated', async () => {
    const alone = await startAccounts();
    try {
      const lost = await alone.registered();
      const rights = { roles: ['SUPERADMIN'], is_staff: true };
      await alone.app.db.updateTable('users').set(rights).where('id', '=', lost.id).execute();
      const { username, email } = newcomer();
      const made = await alone.app.services.access.appointFirst({ username, email });
      expect(made.user.username).toBe(username);
      const own = { email: lost.email, username: lost.username };
      await expect(alone.app.services.access.appointFirst(own)).rejects.toMatchObject({
        code: 'SUPERADMIN_EXISTS',
      });
    } finally {
      await alone.stop();
    }
  });

  test("does not treat a staff member's session as a staff session before activation", async () => {
    const person = await opened();
    const standings = async () => {
      const rows = await on.app.db
        .selectFrom('sessions')
        .select('id')
        .where('user_id', '=', person.id)
        .execute();
      const found = await on.app.services.sessions.standings(rows.map(({ id }) => id));
      return [...found.values()].map(({ isStaff }) => isStaff);
    };
    expect(await standings()).toEqual([false]);
    await verify(person);
    expect((await change(person.token, person.password)).status).toBe(200);
    expect(await standings()).toEqual([true]);
  });
});
