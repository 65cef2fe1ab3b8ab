import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { startCaptcha } from '../../../../../test/kit/accounts/captcha.ts';
import { newcomer } from '../../../../../test/kit/accounts/sign-in.ts';
import { type Answer, startApp } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import { startElsewhere } from '../../../../../test/kit/processes/environments.ts';

const captcha = fixture(startCaptcha);
const app = fixture(() => startApp({ env: { ...captcha.env, TRUSTED_PROXIES: '127.0.0.1' } }));
const local = fixture(() => startElsewhere(app, 'local', { env: { ...captcha.env, RATE_LIMIT_AUTH: '0' } }));

/** Uses a new IP address for each sign-up, because sign-ups with taken names are limited per address. */
const signUp = async (body: unknown) =>
  app.call('POST', '/auth/sign-up', {
    body,
    headers: { ...(await captcha.solved()), 'x-forwarded-for': `10.${[...randomBytes(3)].join('.')}` },
  });
const signIn = async (body: unknown) =>
  app.call('POST', '/auth/sign-in', { body, headers: await captcha.solved() });
/** In the environment `local`, this token is accepted any number of times. */
const SOLVED = { 'x-captcha-token': 'local-captcha' };
const codeOf = ({ status, body }: Answer) => `${status} ${body?.code}`;
const withoutId = ({ text, body }: Answer) => text.replace(body.requestId, '');

async function registered(): Promise<ReturnType<typeof newcomer> & { id: number }> {
  const user = newcomer();
  const answer = await signUp(user);
  expect(answer.status).toBe(200);
  const me = await app.call('GET', '/user/me', { token: answer.body.accessToken.token });
  return { ...user, id: me.body.id };
}

const TOKENS = {
  accessToken: { token: expect.stringMatching(/^ey/), expiresAt: expect.stringMatching(/Z$/) },
  refreshToken: { token: expect.stringMatching(/^[\w-]{43}$/), expiresAt: expect.stringMatching(/Z$/) },
  socketToken: { token: expect.stringMatching(/^ey/), expiresAt: expect.stringMatching(/Z$/) },
};

test('stores the client seed sent with a sign-up, marked as chosen by the player', async () => {
  const seedsAfter = async (fields: object) => {
    const answer = await signUp({ ...newcomer(), ...fields });
    return answer.status === 200
      ? (await app.call('GET', '/fairness/seeds', { token: answer.body.accessToken.token })).body
      : codeOf(answer);
  };
  const clientSeed = 'drawn on my device';
  expect(await seedsAfter({ clientSeed })).toMatchObject({
    clientSeed,
    clientSeedOrigin: 'PLAYER',
    nonce: 0,
  });
  expect(await seedsAfter({})).toMatchObject({ clientSeedOrigin: 'SERVER' });
  for (const wrong of ['', 'x'.repeat(65), 'sëed'])
    expect(await seedsAfter({ clientSeed: wrong })).toBe('400 VALIDATION_FAILED');
});

test('opens an account that can play on sign-up, and a separate session on sign-in', async () => {
  const user = newcomer();
  const up = await signUp({
    ...user,
    language: 'en',
    affiliateCode: 'friend',
    referrer: 'https://a.example',
  });
  expect(up.status).toBe(200);
  expect(up.body).toEqual(TOKENS);
  const answer = await signIn({ email: user.email.toUpperCase(), password: user.password });
  expect(answer.status).toBe(201);
  expect(answer.body).toEqual(TOKENS);
  for (const token of [up.body.accessToken.token, answer.body.accessToken.token]) {
    const me = await app.call('GET', '/user/me', { token });
    expect(me.body).toMatchObject({ username: user.username, language: 'en', isStaff: false, roles: [] });
  }
  expect(answer.body.refreshToken.token).not.toBe(up.body.refreshToken.token);
  const seeds = await app.call('GET', '/fairness/seeds', { token: up.body.accessToken.token });
  expect(seeds.body.nonce).toBe(0);
});

test.each(['pt-br', 'es-419', 'zh-Hans-CN', 'fil'])('accepts %s as a language', async (language) => {
  const { body } = await signUp({ ...newcomer(), language });
  const me = await app.call('GET', '/user/me', { token: body.accessToken.token });
  expect(me.body.language).toBe(language);
});

test('sets HttpOnly, SameSite=Lax and Secure cookies with the __Host- prefix, and plain ones only when APP_ENV is local', async () => {
  const { email, password } = await registered();
  const body = { email, password };
  const deployed = await signIn(body);
  const nearby = await local.call('POST', '/auth/sign-in', { body, headers: SOLVED });
  for (const [answer, secure, prefix, path] of [
    [deployed, ' Secure;', '__Host-', '/'],
    [nearby, '', '', '/auth/refresh'],
  ] as const) {
    const { accessToken, refreshToken } = answer.body;
    const expires = ({ expiresAt }: { expiresAt: string }) => new Date(expiresAt).toUTCString();
    const inAYear = new Date(Date.now() + 365 * 86_400_000).toUTCString().slice(0, 16);
    expect(answer.headers.getSetCookie()).toEqual([
      `${prefix}access_token=${accessToken.token}; Path=/; Expires=${expires(accessToken)}; HttpOnly;${secure} SameSite=Lax`,
      `${prefix}refresh_token=${refreshToken.token}; Path=${path}; Expires=${expires(refreshToken)}; HttpOnly;${secure} SameSite=Lax`,
      expect.stringMatching(
        `^${prefix}device=[\\w.-]{71}; Path=/; Expires=${inAYear} [\\d:]{8} GMT; HttpOnly;${secure} SameSite=Lax$`,
      ),
    ]);
  }
});

test('returns the same response for a wrong password, an unknown email and a wrong password of a banned account', async () => {
  const [known, banned] = [await registered(), await registered()];
  await app.db.updateTable('users').set({ banned_at: new Date() }).where('id', '=', banned.id).execute();
  const named = await app.newPlayer();
  const answers = await Promise.all([
    signIn({ email: `${known.username}@other.example`, password: known.password }),
    signIn({ email: known.email, password: `${known.password} ` }),
    signIn({ email: banned.email, password: 'another one' }),
    signIn({ email: `${named.username}@test.example`, password: 'has no password at all' }),
    signIn({ email: 'not an address', password: 'x' }),
  ]);
  const seen = answers.map((a) => `${codeOf(a)} ${[...a.headers.keys()]} ${withoutId(a)}`);
  expect(new Set(seen).size).toBe(1);
  expect(codeOf(answers[0]!)).toBe('401 AUTH_INVALID_CREDENTIALS');
  expect((await signIn({ email: known.email, password: known.password })).status).toBe(201);
});

test('reports a ban only when the password is correct, and opens no session', async () => {
  const banned = await registered();
  await app.db.updateTable('users').set({ banned_at: new Date() }).where('id', '=', banned.id).execute();
  const answer = await signIn({ email: banned.email, password: banned.password });
  expect(codeOf(answer)).toBe('403 USER_BANNED');
  expect(answer.headers.getSetCookie()).toEqual([]);
  expect(answer.text).not.toContain('token');
});

describe('accounts that look alike', () => {
  test('rejects an email or username that differs only in case with 409', async () => {
    const { username, email } = await registered();
    const other = newcomer();
    for (const twin of [
      { ...other, email: email.toUpperCase() },
      { ...other, username: username.toUpperCase() },
      { ...other, username: username.replace('n_', 'N_'), email: email.replace('n_', 'N_') },
    ])
      expect(codeOf(await signUp(twin))).toBe('409 AUTH_USER_EXISTS');
    expect((await signUp(other)).status).toBe(200);
  });

  test('opens exactly one account when one person sends 50 concurrent sign-ups', async () => {
    const { username, email, password } = newcomer();
    const spellings = [username, username.toUpperCase(), username.replace('n_', 'N_')];
    const codes = await Promise.all(
      Array.from({ length: 50 }, async (_, i) => {
        const isOther = i % 2 === 1;
        const name = isOther ? newcomer().username : spellings[i % 3]!;
        const answer = await signUp({ username: name, email: i % 5 ? email : email.toUpperCase(), password });
        return answer.status === 200 ? '200' : codeOf(answer);
      }),
    );
    expect(codes.filter((c) => c === '200')).toHaveLength(1);
    expect(codes.filter((c) => c === '409 AUTH_USER_EXISTS')).toHaveLength(49);
    const { rows } =
      await app.sql`select u.id, (select count(*)::int from sessions s where s.user_id = u.id) as sessions
      from users u where lower(email) = ${email}`.execute(app.db);
    expect(rows).toEqual([{ id: expect.any(Number), sessions: 1 }]);
    const { rows: strays } =
      await app.sql`select p.user_id from players p left join users u on u.id = p.user_id
      where u.id is null union all select user_id from seed_pairs group by user_id having count(*) <> 2`.execute(
        app.db,
      );
    expect(strays).toEqual([]);
  });
});

describe('validation of sign-up and sign-in', () => {
  const refused = async (path: string, body: unknown) => {
    const answer = await local.call('POST', path, { body, headers: SOLVED });
    const fields: { path: string }[] = answer.body.details?.fields ?? [];
    return `${codeOf(answer)} ${[...new Set(fields.map((f) => f.path))]}`;
  };
  test.each([
    [
      'username',
      [undefined, null, 7, '', 'ab', 'x'.repeat(21), 'me', 'ME', 'a b', 'naïve', 'аdmin', 'a\u200bb'],
    ],
    [
      'email',
      [undefined, null, '', 'a', 'a@b', '@b.example', `${'a'.repeat(250)}@b.example`, 'a@b.example '],
    ],
    ['password', [undefined, null, '', 'seven77', 'x'.repeat(129), ['x'.repeat(9)]]],
    ['isEmailNotificationsEnabled', [null, 'true', 1]],
    ['affiliateCode', [null, '', 'x'.repeat(65)]],
    [
      'language',
      [null, '', 'EN', 'e', 'english', 'english_us', 'en_US', 'en-', 'en-x', `en${'-latn'.repeat(4)}`],
    ],
    ['referrer', [null, 'x'.repeat(501)]],
    ['isStaff', [true]],
  ])('rejects an invalid %s on sign-up and names the field', async (field, values) => {
    for (const value of values)
      expect(await refused('/auth/sign-up', { ...newcomer(), [field]: value }), String(value)).toBe(
        `400 VALIDATION_FAILED ${field}`,
      );
  });

  test('rejects invalid fields on sign-in with 400', async () => {
    const good = { email: 'a@b.example', password: 'a password' };
    for (const [field, values] of [
      ['email', [undefined, null, '', 'x'.repeat(255)]],
      ['password', [undefined, null, '', 'x'.repeat(1025), '€'.repeat(400)]],
      ['token', ['x']],
    ] as const)
      for (const value of values)
        expect(await refused('/auth/sign-in', { ...good, [field]: value }), field).toBe(
          `400 VALIDATION_FAILED ${field}`,
        );
  });

  test('accepts the fixed captcha token when APP_ENV is local, and opens a regular account', async () => {
    const user = newcomer();
    expect((await local.call('POST', '/auth/sign-up', { body: user, headers: SOLVED })).status).toBe(200);
    expect((await signIn({ email: user.email, password: user.password })).status).toBe(201);
  });
});
