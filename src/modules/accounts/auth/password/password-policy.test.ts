import { dictionary } from '@zxcvbn-ts/language-common';
import { expect, test } from 'vitest';
import { newcomer } from '../../../../../test/kit/accounts/sign-in.ts';
import { startApp } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import { startElsewhere } from '../../../../../test/kit/processes/environments.ts';
import { assertPassword } from './policy.ts';

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
  ['words and spaces only', 'correct horse battery staple'],
  ['8 characters outside the BMP', '😀🐎🔋📎🎲🎰🃏🀄'],
  ['Cyrillic letters', 'добрый вечер'],
])('accepts a password of %s unchanged', async (_, password) => {
  const { email, username } = newcomer();
  expect((await post('/auth/sign-up', { email, username, password })).status).toBe(200);
  expect((await post('/auth/sign-in', { email, password })).status).toBe(201);
  for (const other of [`${password} `, ` ${password}`, [...password].slice(0, -1).join('')])
    expect((await post('/auth/sign-in', { email, password: other })).status).toBe(401);
});

test.each([
  ['7 characters', 'zq8#kv!'],
  ['4 characters of two UTF-16 units each', '😀🐎🔋📎'],
  ['129 characters', 'k w 3 '.repeat(22).slice(0, 129)],
  ['128 characters that normalize to more', 'ﷺ'.repeat(128)],
  ['1 KB', 'x'.repeat(1024)],
  ['60 KB', 'x'.repeat(60_000)],
  ['a common password', 'password1'],
  ['a common password in capitals', 'PASSWORD1'],
  ['a common password in full-width letters', 'ｐａｓｓｗｏｒｄ１'],
])('rejects a password without hashing it: %s', async (_, password) => {
  const before = await hashes();
  const answer = await signUp(password);
  expect([answer.status, answer.body.code]).toEqual([400, 'VALIDATION_FAILED']);
  expect(answer.body.details.fields.map((f: { path: string }) => f.path)).toEqual(['password']);
  expect(answer.text).not.toContain(password);
  expect(await hashes()).toBe(before);
});

test.each([
  ['Passw0rd!', 'is too common and easy to guess'],
  ['P@ssw0rd', 'is too common and easy to guess'],
  ['#password99', 'is too common and easy to guess'],
  ['Sunshine1!', 'is too common and easy to guess'],
  ['Summer2026!', 'is too common and easy to guess'],
  ['Casino2026!', 'is too common and easy to guess'],
  ['$ummer2026', 'is too common and easy to guess'],
  ['2026!W1nter', 'is too common and easy to guess'],
  ['J4ckpot!!2025', 'is too common and easy to guess'],
  ['drowssap1', 'is too common and easy to guess'],
  ['aaaaaaaa', 'is too repetitive and easy to guess'],
  ['w'.repeat(40), 'is too repetitive and easy to guess'],
  ['zq8!zq8!zq8!', 'is too repetitive and easy to guess'],
  ['lolololo', 'is too repetitive and easy to guess'],
  ['14041990', 'is a date, which is easy to guess'],
  ['1990-04-14', 'is a date, which is easy to guess'],
  [' '.repeat(8), 'needs more than blanks'],
  ['\u00a0 \u2003 \u00a0 \u2003 ', 'needs more than blanks'],
  ['asdfghjkl;', 'follows the keyboard or the alphabet and is easy to guess'],
  ['abcdefghijk', 'follows the keyboard or the alphabet and is easy to guess'],
  ['my L_u-c-k-y star', 'may not contain the name of this site'],
  ['luckystar2026', 'may not contain the name of this site'],
  ['N0body_Here and more', 'may not contain your username or your email address'],
  ['ereh_ydobon', 'may not contain your username or your email address'],
  ['3reh.yd0b0n 77', 'may not contain your username or your email address'],
  ['r4ts ykcul', 'may not contain the name of this site'],
])('rejects %j, which %s', async (password, message) => {
  const owner = { ...NOBODY, brand: 'Lucky Star' };
  await expect(assertPassword(password, owner, 'password')).rejects.toMatchObject({
    details: { fields: [{ path: 'password', message }] },
  });
});

test.each([
  'correct horse battery staple',
  'password of my grandmother',
  'zq8#kv!w',
  'corridor battery 9',
  'summer of 1969',
  'Mai 1968 Nanterre',
  '8 4 19 77 31 5',
])('accepts %j, which only contains common words', (password) =>
  expect(assertPassword(password, { ...NOBODY, brand: 'Lucky Star' }, 'password')).resolves.toBeUndefined(),
);

test('rejects a 1 MB password with 413', async () => {
  const before = await hashes();
  const answer = await signUp('x'.repeat(1_000_000));
  expect([answer.status, answer.body.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  expect(await hashes()).toBe(before);
});

test('rejects a password that contains the username or email in any case', async () => {
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
  // Three-letter names occur in too many good passwords, so they are allowed.
  await expect(
    assertPassword('a bold abacus', { username: 'aba', email: 'bol@x.example' }, 'p'),
  ).resolves.toBe(undefined);
});

test('rejects each of the 3,000 most common passwords that meet the minimum length', async () => {
  const common = dictionary['passwords-common'].slice(0, 3000).filter((word) => word.length >= 8);
  expect(common.length).toBeGreaterThan(300);
  for (const word of common)
    await expect(assertPassword(word, NOBODY, 'password'), word).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
    });
});

test('accepts a password in any Unicode normalization', async () => {
  const { email, username } = newcomer();
  const password = 'crème brûlée №5 ﬁn';
  expect((await post('/auth/sign-up', { email, username, password })).status).toBe(200);
  for (const form of ['NFC', 'NFD', 'NFKC', 'NFKD'] as const) {
    const answer = await post('/auth/sign-in', { email, password: password.normalize(form) });
    expect(answer.status, form).toBe(201);
  }
  expect((await post('/auth/sign-in', { email, password: 'creme brulee №5 fin' })).status).toBe(401);
});

test('rejects the correct password when the pepper (DATA_SECRET) differs', async () => {
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
