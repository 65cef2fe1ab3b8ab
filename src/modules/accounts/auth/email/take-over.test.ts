import { expect, test } from 'vitest';
import { type Account, codeOf, startAccounts } from '../../../../../test/kit/accounts/accounts.ts';
import { addPasskey, authenticatorFor, passkeyDoor } from '../../../../../test/kit/accounts/passkeys.ts';
import { turnOnMfa } from '../../../../../test/kit/accounts/totp.ts';
import { betOnDice, type Player } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import { aName, anEmail, stepsAt, tokenOf, WAYS } from '../../../../../test/kit/games/providers.ts';

const SITE = 'https://casino.example';
const on = fixture(() => startAccounts({ SITE_URL: SITE, SITE_ORIGINS: SITE }));

const NEW_PASSWORD = 'a second good one';
const LINK = 'https://platform.example/tradeoffer/new/?partner=1&token=a-B_c';
const verify = (token: string, headers = {}) =>
  on.app.call('GET', `/user/verify-email?token=${token}`, { headers });
const confirmation = ({ email }: Pick<Account, 'email'>) => on.tokenIn(email, /^Confirm/);
/** Requests a reset link as the owner of the mailbox, and sets a new password with it. */
const resetByMail = async ({ email }: Pick<Account, 'email'>, newPassword = NEW_PASSWORD) => {
  await on.app.db.deleteFrom('attempts').execute();
  await on.app.call('POST', '/user/forgot-password', { body: { email } });
  const token = await on.tokenIn(email, /^Reset/);
  return on.app.call('PATCH', '/user/confirm-password-reset', { body: { token, newPassword } });
};
const playerOf = ({ id, token }: Pick<Account, 'id' | 'token'>): Player =>
  ({ id, call: (m: string, p: string, o = {}) => on.as(token, m, p, o) }) as Player;
const withFactor = async (account: Account) => turnOnMfa(on.app, playerOf(account));
const signInAs = (account: Account, password: string, headers = {}) =>
  on.signIn({ ...account, password }, headers);
const rowsOf = async (userId: number) => {
  const { rows } = await on.app.sql<Record<string, number>>`
    select (select count(*)::int from mfa_secrets where user_id = ${userId} and (active is not null or pending is not null)) as factors,
      (select count(*)::int from recovery_codes where user_id = ${userId}) as codes,
      (select count(*)::int from passkeys where user_id = ${userId}) as passkeys,
      (select count(*)::int from identities where user_id = ${userId}) as identities,
      (select count(*)::int from api_keys where user_id = ${userId} and revoked_at is null) as keys,
      (select count(*)::int from sessions where user_id = ${userId} and revoked_at is null) as sessions`.execute(
    on.app.db,
  );
  return rows[0];
};
const giveKey = async ({ id }: Account) => {
  const staff = await on.app.as('superadmin');
  return (await staff.call('POST', '/admin/api-keys', { body: { userId: id } })).status;
};
const NOTHING = { factors: 0, codes: 0, passkeys: 0, identities: 0, keys: 0, sessions: 0 };

test('removes all credentials of a squatter but keeps the balance when the owner resets the password', async () => {
  const squatter = await on.registered();
  await withFactor(squatter);
  expect(await giveKey(squatter)).toBe(201);
  await on.as(squatter.token, 'PATCH', '/user/me', { body: { platformTradeLink: LINK } });
  await on.app.call('GET', '/debug/me/give-money?amount=25', { token: squatter.token });
  expect((await betOnDice(playerOf(squatter))).status).toBe(201);
  const cash = () =>
    on.app.sql`select sum(cash) as sum from wallets where user_id = ${squatter.id}`.execute(on.app.db);
  const before = await cash();
  const waiting = await on.signIn(squatter);
  expect(waiting.body.requireMfa).toBe(true);

  expect((await resetByMail(squatter)).body).toEqual({ result: true });
  expect(await rowsOf(squatter.id)).toEqual(NOTHING);
  const owner = await signInAs(squatter, NEW_PASSWORD);
  expect(codeOf(owner)).toBe('201');
  expect(owner.body.requireMfa).toBeUndefined();
  const me = await on.as(owner.body.accessToken.token, 'GET', '/user/me');
  expect(me.body).toMatchObject({
    id: squatter.id,
    emailVerified: true,
    mfaEnabled: false,
    platformTradeLink: null,
  });
  expect((await cash()).rows).toEqual(before.rows);
  await expect.poll(async () => (await on.as(squatter.token, 'GET', '/user/me')).status).toBe(401);
  expect(codeOf(await on.signIn(squatter))).toBe('401 AUTH_INVALID_CREDENTIALS');
  // The squatter's browser is no longer a known device of the account, so both sign-ins after the reset are reported by email.
  const known = await signInAs(squatter, NEW_PASSWORD, { cookie: squatter.device });
  expect(codeOf(known)).toBe('201');
  const told = await on.mailsTo(squatter.email);
  expect(told.filter(({ subject }) => /^New sign-in/.test(subject))).toHaveLength(2);
});

test('rejects the passkey and pending challenge of a squatter after the password reset', async () => {
  const squatter = await on.registered();
  const authenticator = authenticatorFor(on.app);
  await addPasskey(playerOf(squatter), authenticator);
  const door = passkeyDoor(on.app, on.outside.solve);
  expect(codeOf(await door.signIn(authenticator))).toBe('201');
  const options = (await on.as(squatter.token, 'POST', '/user/passkeys/registration/options')).body;
  expect((await resetByMail(squatter)).body).toEqual({ result: true });
  expect(await rowsOf(squatter.id)).toEqual(NOTHING);
  expect(codeOf(await door.signIn(authenticator))).toBe('401 PASSKEY_REFUSED');
  const late = { name: 'mine', response: authenticator.create(options) };
  expect(codeOf(await on.as(squatter.token, 'POST', '/user/passkeys', { body: late }))).toBe(
    '401 UNAUTHORIZED',
  );
  expect((await signInAs(squatter, NEW_PASSWORD)).body.requireMfa).toBeUndefined();
});

test("removes passkeys on reset if another browser confirmed the email, and keeps passkeys added after the owner's browser verified it", async () => {
  const squatter = await on.registered();
  await addPasskey(playerOf(squatter), authenticatorFor(on.app));
  expect((await verify(await confirmation(squatter))).body).toEqual({ result: true });
  expect((await resetByMail(squatter)).body).toEqual({ result: true });
  expect(await rowsOf(squatter.id)).toEqual(NOTHING);

  const owner = await on.registered();
  expect((await verify(await confirmation(owner), { cookie: owner.device })).body).toEqual({ result: true });
  const authenticator = authenticatorFor(on.app);
  await addPasskey(playerOf(owner), authenticator);
  expect((await resetByMail(owner)).body).toEqual({ result: true });
  expect((await signInAs(owner, NEW_PASSWORD)).body.requireMfa).toBe(true);
  expect(codeOf(await passkeyDoor(on.app, on.outside.solve).signIn(authenticator))).toBe('201');
});

test('removes an unconfirmed second factor when the password is reset', async () => {
  const squatter = await on.registered();
  expect((await on.as(squatter.token, 'GET', '/user/generate-2fa')).status).toBe(200);
  expect((await resetByMail(squatter)).body).toEqual({ result: true });
  expect(await rowsOf(squatter.id)).toEqual(NOTHING);
});

test('removes a second factor when it is turned on concurrently with a password reset', async () => {
  for (let i = 0; i < 5; i++) {
    const squatter = await on.registered();
    const turningOn = withFactor(squatter).catch(() => undefined);
    await Promise.all([turningOn, resetByMail(squatter)]);
    expect(await rowsOf(squatter.id)).toEqual(NOTHING);
    const next = await signInAs(squatter, NEW_PASSWORD);
    expect(next.body.requireMfa).toBeUndefined();
  }
});

test('removes credentials on the next reset when the email was confirmed in a browser unknown to the account', async () => {
  const squatter = await on.registered();
  await withFactor(squatter);
  expect((await verify(await confirmation(squatter))).body).toEqual({ result: true });
  // A factor added after the confirmation is removed too, because the account as a whole is marked as unproven, not each factor.
  const mine = playerOf(squatter);
  await on.app.db
    .updateTable('mfa_secrets')
    .set({ last_step: 0n })
    .where('user_id', '=', squatter.id)
    .execute();
  expect((await mine.call('POST', '/user/disable-2fa')).status).toBe(201);
  await withFactor(squatter);

  expect((await resetByMail(squatter)).body).toEqual({ result: true });
  expect(await rowsOf(squatter.id)).toEqual(NOTHING);

  // From now on the account belongs to the owner of the mailbox, and a thief who has access to the mailbox cannot remove a factor.
  const { body } = await signInAs(squatter, NEW_PASSWORD);
  await withFactor({ ...squatter, token: body.accessToken.token });
  expect((await resetByMail(squatter, 'a third good one')).body).toEqual({ result: true });
  expect((await signInAs(squatter, 'a third good one')).body.requireMfa).toBe(true);
});

test('keeps the second factor on reset when the email was confirmed in a browser known to the account', async () => {
  const byDevice = await on.registered();
  const bySession = await on.registered();
  for (const account of [byDevice, bySession]) await withFactor(account);
  const session = `__Host-access_token=${bySession.token}`;
  await verify(await confirmation(byDevice), { cookie: byDevice.device });
  await verify(await confirmation(bySession), { cookie: session });
  for (const account of [byDevice, bySession]) {
    expect((await resetByMail(account)).body).toEqual({ result: true });
    expect((await signInAs(account, NEW_PASSWORD)).body.requireMfa).toBe(true);
  }
});

test('does not accept the session or device of another account as proof of ownership', async () => {
  const [squatter, victim] = [await on.registered(), await on.registered()];
  await withFactor(squatter);
  const cookie = `${victim.device}; __Host-access_token=${victim.token}`;
  await verify(await confirmation(squatter), { cookie });
  await resetByMail(squatter);
  expect((await signInAs(squatter, NEW_PASSWORD)).body.requireMfa).toBeUndefined();
});

test('keeps the second factor and API key of an account whose email was verified before they were added', async () => {
  const account = await on.registered();
  await verify(await confirmation(account));
  await withFactor(account);
  expect(await giveKey(account)).toBe(201);
  expect((await resetByMail(account)).body).toEqual({ result: true });
  expect(await rowsOf(account.id)).toEqual({ ...NOTHING, factors: 1, codes: 10, keys: 1 });
  expect((await signInAs(account, NEW_PASSWORD)).body.requireMfa).toBe(true);
});

test("disconnects the identity of a squatter who signed up through a provider with another person's email", async () => {
  const { signIn, setUp } = stepsAt(on.app);
  const who = WAYS.google();
  const victim = { email: anEmail() };
  const opened = await setUp(tokenOf(await signIn('google', who)), {
    username: aName(),
    email: victim.email,
  });
  expect(opened.status).toBe(201);
  await verify(await confirmation(victim));
  expect((await resetByMail(victim)).body).toEqual({ result: true });
  expect(tokenOf(await signIn('google', who))).toBeTruthy();
});

test('queues the welcome promotion task only for the password reset that verifies the email', async () => {
  const account = await on.registered();
  const key = `welcome-bonus:${account.id}`;
  const queued = async () => {
    const { rows } = await on.app.sql<{ n: number }>`
      select count(*)::int as n from graphile_worker._private_jobs where key = ${key}`.execute(on.app.db);
    return rows[0]!.n;
  };
  const unqueue = () =>
    on.app.sql`delete from graphile_worker._private_jobs where key = ${key}`.execute(on.app.db);
  await unqueue();
  expect((await resetByMail(account)).body).toEqual({ result: true });
  expect(await queued()).toBe(1);
  await unqueue();
  expect((await resetByMail(account, 'a third good one')).body).toEqual({ result: true });
  expect(await queued()).toBe(0);
});
