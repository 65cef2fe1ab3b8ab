import { afterAll, beforeAll, expect, test } from 'vitest';
import { startCaptcha } from '../../../../../test/kit/accounts/captcha.ts';
import { newcomer } from '../../../../../test/kit/accounts/sign-in.ts';
import { type Answer, startApp, type TestApp } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import { meanwhile } from '../../../../../test/kit/meanwhile.ts';
import { createPasswords } from './passwords.ts';

let app: TestApp;
const captcha = fixture(startCaptcha);
beforeAll(async () => {
  const places = { PASSWORD_HASHES_AT_ONCE: '2', PASSWORD_HASH_QUEUE: '4' };
  app = await startApp({ env: { ...captcha.env, ...places, DATABASE_CONNECT_TIMEOUT_MS: '20000' } });
});
afterAll(() => app.stop());

const PLACES = 6;
const limitedTo = (queue: number) => ({
  PASSWORD_HASHES_AT_ONCE: 2,
  PASSWORD_HASH_QUEUE: queue,
  DATA_SECRET: 'a secret of thirty-two characters',
});

/** Sends concurrent sign-ins for different people. The captchas are solved in advance. */
async function burst(password: string, count = 200): Promise<Answer[]> {
  const solved = await Promise.all(Array.from({ length: count }, () => captcha.solved()));
  return Promise.all(
    solved.map((headers) => {
      const body = { email: newcomer().email, password };
      return app.call('POST', '/auth/sign-in', { body, headers });
    }),
  );
}

/** Runs `work` while two hashes are computed and four wait. Each finished hash is replaced immediately, so the queue is always full. */
async function whileFull<T>(work: () => Promise<T>): Promise<T> {
  const hash = () => app.services.signUps.hashPassword('kept busy by this', {});
  // The first hash loads the list of common passwords before it enters the queue, so it is computed in advance.
  await hash();
  return meanwhile(work, Array(PLACES).fill(hash));
}

const REFUSED = '503 SERVICE_UNAVAILABLE 2';
const saidIn = (answers: readonly Answer[]) =>
  answers.map((a) => [a.status, a.body.code, a.headers.get('retry-after') ?? ''].join(' ').trim());

test("rejects sign-ins beyond the hash queue's limit immediately with Retry-After, and completes all others", async () => {
  expect(saidIn(await whileFull(() => burst('a password of nobody')))).toEqual(Array(200).fill(REFUSED));
  const served = saidIn(await burst('a password of nobody')).filter((said) => said !== REFUSED);
  expect(served.length).toBeGreaterThanOrEqual(PLACES);
  expect(new Set(served)).toEqual(new Set(['401 AUTH_INVALID_CREDENTIALS']));
});

test('does not count a sign-in rejected with Retry-After as a failed attempt', async () => {
  const user = newcomer();
  const { email, password } = user;
  const post = async (path: string, body: object) =>
    app.call('POST', path, { body, headers: await captcha.solved() });
  expect((await post('/auth/sign-up', user)).status).toBe(200);
  await whileFull(async () => {
    for (let i = 0; i < 5; i++) expect((await post('/auth/sign-in', { email, password })).status).toBe(503);
  });
  expect((await post('/auth/sign-in', { email, password })).status).toBe(201);
});

test('accepts sign-ins again after a burst of sign-ins', async () => {
  const [answer] = await burst('a password of nobody', 1);
  expect(answer!.body.code).toBe('AUTH_INVALID_CREDENTIALS');
});

test.each([
  ['1025 characters', 'x'.repeat(1025)],
  ['1025 bytes in few characters', `x${'😀'.repeat(256)}`],
  ['60 KB', 'x'.repeat(60_000)],
])('rejects passwords above 1 KB without hashing them: %s', async (_, password) => {
  const answers = await burst(password, 100);
  expect(new Set(answers.map((a) => `${a.status} ${a.body.code}`))).toEqual(
    new Set(['400 VALIDATION_FAILED']),
  );
});

test("rejects hashes beyond the queue's limit before any other hash completes", async () => {
  const passwords = createPasswords(limitedTo(3), () => undefined);
  const order: string[] = [];
  const work = Array.from({ length: 8 }, (_, i) =>
    passwords.hash(`password ${i}`).then(
      () => void order.push('hashed'),
      (error) => void order.push(error.code),
    ),
  );
  await Promise.all(work);
  expect(order).toEqual([...Array(3).fill('SERVICE_UNAVAILABLE'), ...Array(5).fill('hashed')]);
  await expect(passwords.verify('x', await passwords.hash('x'))).resolves.toBe(true);
});

test('hashes with argon2id and a unique salt, and verifies only the same password', async () => {
  const passwords = createPasswords(limitedTo(10), () => undefined);
  const [one, two] = await Promise.all([passwords.hash('the password'), passwords.hash('the password')]);
  expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(one).not.toBe(two);
  await expect(passwords.verify('the password', two)).resolves.toBe(true);
  for (const other of ['The password', 'the password ', 'the passwor', 'nobody has this password'])
    await expect(passwords.verify(other, one)).resolves.toBe(false);
  for (const none of [null, undefined])
    await expect(passwords.verify('nobody has this password', none)).resolves.toBe(false);
});

test('verifies a password hashed with the previous secret, and reports that the password needs a new hash', async () => {
  const earlier = createPasswords(limitedTo(10), () => undefined);
  const [current, previous] = ['another secret of thirty-two chars', limitedTo(10).DATA_SECRET];
  const both = { ...limitedTo(10), DATA_SECRET: current, DATA_SECRET_PREVIOUS: previous };
  const passwords = createPasswords(both, () => undefined);
  const stored = await earlier.hash('a good one');
  expect(await passwords.verify('a good one', stored)).toBe(true);
  expect(await passwords.verify('a wrong one', stored)).toBe(false);
  expect(await passwords.verify('a good one', null)).toBe(false);
  expect(await passwords.isEarlier('a good one', stored)).toBe(true);
  const renewed = await passwords.hash('a good one');
  expect(await passwords.isEarlier('a good one', renewed)).toBe(false);
  expect(await earlier.verify('a good one', renewed)).toBe(false);
  expect(await earlier.isEarlier('a good one', stored)).toBe(false);
});

test('rehashes the password with the current secret when a user signs in during rotation', async () => {
  const user = newcomer();
  const { email, password } = user;
  const signUp = await app.call('POST', '/auth/sign-up', { body: user, headers: await captcha.solved() });
  expect(signUp.status).toBe(200);
  const { DATA_SECRET: DATA_SECRET_PREVIOUS } = app.config;
  const secrets = { DATA_SECRET: 'fb5a09c1e6d24738a1c0b97e5d3f6842fb5a09c1e6d2', DATA_SECRET_PREVIOUS };
  const hashOf = async () =>
    (
      await app.db
        .selectFrom('users')
        .select('password_hash')
        .where('email', '=', email)
        .executeTakeFirstOrThrow()
    ).password_hash!;
  const earlier = await hashOf();
  const rotated = await startApp({ database: app.database, env: { ...captcha.env, ...secrets } });
  const alone = await startApp({
    database: app.database,
    env: { ...captcha.env, DATA_SECRET: secrets.DATA_SECRET },
  });
  try {
    const signIn = async ({ call }: TestApp) =>
      (await call('POST', '/auth/sign-in', { body: { email, password }, headers: await captcha.solved() }))
        .status;
    expect(await signIn(alone)).toBe(401);
    expect(await signIn(rotated)).toBe(201);
    expect(await hashOf()).not.toBe(earlier);
    expect(await signIn(alone)).toBe(201);
  } finally {
    await rotated.stop();
    await alone.stop();
  }
});
