import { dictionary } from '@zxcvbn-ts/language-common';
import { expect, test } from 'vitest';
import { startApp } from '../../../../test/kit/app.ts';
import { startElsewhere } from '../../../../test/kit/environments.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { newcomer } from '../../../../test/kit/sign-in.ts';
import { assertPassword } from './password-policy.ts';

const app = fixture(startApp);
const local = fixture(() => startElsewhere(app, 'local', { env: { RATE_LIMIT_AUTH: '0' } }));

const headers = { 'x-captcha-token': 'local-captcha' };
const post = (path: string, body: object) => local.call('POST', path, { body, headers });
const signUp = (password: string, fields = {}) =>
  post('/auth/sign-up', { ...newcomer(), ...fields, password });
const hashes = async () => (await local.services.metrics.passwordHashes.get()).values[0]?.value ?? 0;
const NOBODY = { username: 'nobody_here', email: 'somebody@mail.example' };

test.each([
  ['8 characters', 'zq8#kv!w'],
  ['64 characters', 'k w 3 '.repeat(11).slice(0, 64)],
  ['65 characters', 'k w 3 '.repeat(11).slice(0, 65)],
  ['128 characters', 'k w 3 '.repeat(22).slice(0, 128)],
  ['words and blanks, nothing else', 'correct horse battery staple'],
  ['one letter, often', 'w'.repeat(40)],
  ['8 characters outside the BMP', '😀🐎🔋📎🎲🎰🃏🀄'],
  ['another script', 'добрый вечер'],
])('A19 a password is taken as it is: %s', async (_, password) => {
  const { email, username } = newcomer();
  expect((await post('/auth/sign-up', { email, username, password })).status).toBe(200);
  expect((await post('/auth/sign-in', { email, password })).status).toBe(201);
  for (const other of [`${password} `, ` ${password}`, [...password].slice(0, -1).join('')])
    expect((await post('/auth/sign-in', { email, password: other })).status).toBe(401);
});

test.each([
  ['7 characters', 'zq8#kv!'],
  ['4 characters of two halves', '😀🐎🔋📎'],
  ['129 characters', 'k w 3 '.repeat(22).slice(0, 129)],
  ['128 characters that become more when they are spelled the one way', 'ﷺ'.repeat(128)],
  ['1 KB', 'x'.repeat(1024)],
  ['60 KB', 'x'.repeat(60_000)],
  ['a common one', 'password1'],
  ['a common one in capitals', 'PASSWORD1'],
  ['a common one in wide letters', 'ｐａｓｓｗｏｒｄ１'],
])('A19 refused before anything is hashed: %s', async (_, password) => {
  const before = await hashes();
  const answer = await signUp(password);
  expect([answer.status, answer.body.code]).toEqual([400, 'VALIDATION_FAILED']);
  expect(answer.body.details.fields.map((f: { path: string }) => f.path)).toEqual(['password']);
  expect(answer.text).not.toContain(password);
  expect(await hashes()).toBe(before);
});

test('A19 1 MB is no request at all', async () => {
  const before = await hashes();
  const answer = await signUp('x'.repeat(1_000_000));
  expect([answer.status, answer.body.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  expect(await hashes()).toBe(before);
});

test('A19 a password that contains the own username or address is refused, whatever the case', async () => {
  const { username, email } = newcomer();
  for (const password of [
    `${username}`,
    `my ${username.toUpperCase()} 77`,
    email,
    `x${email.split('@')[0]}x`,
  ]) {
    const answer = await signUp(password, { username, email });
    expect(answer.body.details.fields[0]).toEqual({
      path: 'password',
      message: 'may not contain your username or your email address',
    });
  }
  // Three letters stand in too many good ones.
  await expect(
    assertPassword('a bold abacus', { username: 'aba', email: 'bol@x.example' }, 'p'),
  ).resolves.toBe(undefined);
});

test('A19 each of the 3,000 most common passwords that are long enough is refused', async () => {
  const common = dictionary['passwords-common'].slice(0, 3000).filter((word) => word.length >= 8);
  expect(common.length).toBeGreaterThan(300);
  for (const word of common)
    await expect(assertPassword(word, NOBODY, 'password'), word).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
    });
});

test('A19 one text is one password, however the keyboard spells it', async () => {
  const { email, username } = newcomer();
  const password = 'crème brûlée №5 ﬁn';
  expect((await post('/auth/sign-up', { email, username, password })).status).toBe(200);
  for (const form of ['NFC', 'NFD', 'NFKC', 'NFKD'] as const) {
    const answer = await post('/auth/sign-in', { email, password: password.normalize(form) });
    expect(answer.status, form).toBe(201);
  }
  expect((await post('/auth/sign-in', { email, password: 'creme brulee №5 fin' })).status).toBe(401);
});

test('A19 a hash is worth nothing without the pepper, and another pepper makes another one', async () => {
  const { email, username, password } = newcomer();
  expect((await post('/auth/sign-up', { email, username, password })).status).toBe(200);
  const other = await startElsewhere(app, 'local', {
    env: { DATA_SECRET: 'another secret of thirty-two chars' },
  });
  try {
    const answer = await other.call('POST', '/auth/sign-in', { body: { email, password }, headers });
    expect([answer.status, answer.body.code]).toEqual([401, 'AUTH_INVALID_CREDENTIALS']);
  } finally {
    await other.stop();
  }
  expect((await post('/auth/sign-in', { email, password })).status).toBe(201);
});
