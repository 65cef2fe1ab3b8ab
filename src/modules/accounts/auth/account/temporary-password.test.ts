import { describe, expect, test } from 'vitest';
import { codeOf, startAccounts } from '../../../../../test/kit/accounts.ts';
import { startApp } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import { newcomer } from '../../../../../test/kit/sign-in.ts';

const on = fixture(startAccounts);
/** Another process on the same database. */
const backoffice = fixture(() => startApp({ part: 'backoffice', database: on.app.database }));
const boss = fixture(() => on.app.as('superadmin'));

const OWN = 'meadow lantern 41';
type Person = ReturnType<typeof newcomer>;

/** Somebody for whom a colleague opens an account, and the session that the temporary password opens. */
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

describe('the password that staff gives to a new colleague is temporary', () => {
  test('it signs in, and no right counts through either door: the refusal says what to do', async () => {
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

  test('a superadmin’s rights do not count either', async () => {
    const person = await opened([]);
    const body = { roles: ['SUPERADMIN'] };
    expect((await boss.call('PUT', `/admin/user/${person.id}/roles`, { body })).status).toBe(200);
    const call = () => on.as(person.token, 'PUT', `/admin/user/${boss.id}/roles`, { body: { roles: [] } });
    expect(codeOf(await call())).toBe('403 STAFF_NOT_ACTIVATED');
  });

  test('the address alone is not enough; verified, and the password changed: rights apply immediately in every process', async () => {
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

  test('a password changed before the address was verified stays temporary: whoever set the first may have set the second', async () => {
    const person = await opened();
    expect((await change(person.token, person.password)).status).toBe(200);
    expect(await verify(person)).toEqual({ result: true });
    const thief = await tokenOf({ ...person, password: OWN });
    expect(await notes(thief)).toBe('403 STAFF_NOT_ACTIVATED');
    // The owner, who has the mailbox, takes the account over.
    expect((await reset(person, 'harbour violin 27')).body).toEqual({ result: true });
    await expect.poll(() => notes(thief)).toBe('401 UNAUTHORIZED');
    expect(await notes(await tokenOf({ ...person, password: 'harbour violin 27' }))).toBe('200');
  });

  test('an identity that was connected while the password was temporary goes with it', async () => {
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

  test('the link of a mail sets an own password and verifies the address in one step, but not the same password', async () => {
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

describe('siblings', () => {
  test('a player who is given rights keeps their password, and has none of them before the address is verified', async () => {
    const player = await on.registered();
    const body = { permissions: ['note.read'] };
    expect((await boss.call('PUT', `/admin/user/${player.id}/permissions`, { body })).status).toBe(200);
    await expect.poll(() => notes(player.token)).toBe('403 STAFF_NOT_ACTIVATED');
    expect(await verify(player)).toEqual({ result: true });
    await expect.poll(() => notes(player.token)).toBe('200');
  });

  test('a player without rights gets the answer that players get', async () => {
    const player = await on.registered();
    expect(await notes(player.token)).toBe('403 FORBIDDEN');
  });

  test('the first superadmin, appointed at the command line, works with the password that was printed', async () => {
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

  test('a superadmin whose rights do not count does not keep the command from appointing one', async () => {
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

  test('no socket of staff is opened by an account that is not activated', async () => {
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
