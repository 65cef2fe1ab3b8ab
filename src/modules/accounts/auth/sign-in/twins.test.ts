import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { codeOf, startAccounts } from '../../../../../test/kit/accounts/accounts.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';

const on = fixture(() => startAccounts({ TRUSTED_PROXIES: '127.0.0.1', PASSWORD_HASH_QUEUE: '200' }));

/** Returns letters that look like no other letter or digit. */
const unlike = () => [...randomBytes(6)].map((byte) => 'acdefghjkp'[byte % 10]).join('');
const password = 'a good password';
/** Uses a new IP address for each sign-up, because sign-ups with taken names are limited per address. */
const signUp = (body: object) =>
  on.signUp({ password, ...body }, { 'x-forwarded-for': `10.${[...randomBytes(3)].join('.')}` });

/** Returns names that look the same to a reader. */
const lookalikes = (name: string) => [
  name,
  name.toUpperCase(),
  name.replaceAll('o', '0'),
  name.replaceAll('l', '1'),
  name.replaceAll('l', 'I'),
  name.replaceAll('s', '5'),
  name.replaceAll('m', 'rn'),
  name.replaceAll('w', 'vv'),
  name.replaceAll('z', '2').replaceAll('b', '8'),
];
/** Returns invalid names, which contain other scripts, wide characters or invisible characters. */
const foreign = (name: string) => [
  name.replace('o', 'о'),
  name.replace('o', 'ｏ'),
  `${name}\u200b`,
  `\u2060${name}`,
  name.replace('o', 'o\u0301'),
];
const addresses = (email: string) => [
  email,
  email.toUpperCase(),
  email.replace(/^./, (c) => c.toUpperCase()),
];
const noAddresses = (email: string) => [
  email.replace('o', 'ｏ'),
  email.replace('o', 'о'),
  email.replace('@', '\u200b@'),
  email.replace('@', '＠'),
  `${email}\u200b`,
  ` ${email}`,
];

const fresh = () => `free_${randomBytes(5).toString('hex')}`;
const atOnce = async (bodies: object[]) => {
  const codes = (await Promise.all(bodies.map(signUp))).map(codeOf);
  expect(new Set(codes)).toEqual(new Set(['200', '409 AUTH_USER_EXISTS', '400 VALIDATION_FAILED']));
  return codes.filter((code) => code === '200').length;
};
const accountsLike = async (id: string) => {
  const { rows } = await on.app.sql`select 1 from users
    where username ilike ${`%${id}%`} or email ilike ${`%${id}%`}`.execute(on.app.db);
  return rows.length;
};

test('opens exactly one account in 100 concurrent sign-ups with look-alike usernames', async () => {
  const id = unlike();
  const username = `smolwzb_${id}`;
  const names = [...lookalikes(username), ...foreign(username)];
  const emails = () => [`po.lo_${id}@mail.example`, `polo_${id}@mail.example`, `${fresh()}@mail.example`];
  const bodies = Array.from({ length: 100 }, (_, i) => ({
    username: names[i % names.length]!,
    email: emails()[i % 3]!,
  }));
  expect(await atOnce(bodies)).toBe(1);
  expect(await accountsLike(id)).toBe(1);
});

test('opens exactly one account in 100 concurrent sign-ups with one email in every spelling', async () => {
  const id = unlike();
  const email = `polo_${id}@mail.example`;
  const spellings = [...addresses(email), ...noAddresses(email)];
  const bodies = Array.from({ length: 100 }, (_, i) => ({
    username: fresh(),
    email: spellings[i % spellings.length]!,
  }));
  expect(await atOnce(bodies)).toBe(1);
  expect(await accountsLike(id)).toBe(1);
});

test('rejects every other spelling of a taken username or email', async () => {
  const id = unlike();
  const username = `smolwzb_${id}`;
  const email = `polo_${id}@mail.example`;
  expect(codeOf(await signUp({ username, email }))).toBe('200');
  const outcomes = async (bodies: object[]) => new Set((await Promise.all(bodies.map(signUp))).map(codeOf));
  const byName = (names: string[]) =>
    names.map((name) => ({ username: name, email: `${fresh()}@mail.example` }));
  const byMail = (mails: string[]) => mails.map((mail) => ({ username: fresh(), email: mail }));
  expect(await outcomes(byName(lookalikes(username)))).toEqual(new Set(['409 AUTH_USER_EXISTS']));
  expect(await outcomes(byName(foreign(username)))).toEqual(new Set(['400 VALIDATION_FAILED']));
  expect(await outcomes(byMail(addresses(email)))).toEqual(new Set(['409 AUTH_USER_EXISTS']));
  expect(await outcomes(byMail(noAddresses(email)))).toEqual(new Set(['400 VALIDATION_FAILED']));
  // Dots are significant in an address. Most mail servers deliver po.lo and polo to different people.
  expect(await outcomes(byMail([email.replace('polo', 'po.lo')]))).toEqual(new Set(['200']));
});

test('allows an IP address only 20 sign-ups with a taken username an hour, and does not count sign-ups with available ones', async () => {
  const taken = { username: fresh(), email: `${fresh()}@mail.example` };
  expect((await signUp(taken)).status).toBe(200);
  const from = { 'x-forwarded-for': '198.51.100.7' };
  const free = () => ({ username: fresh(), email: `${fresh()}@mail.example`, password });
  for (let i = 0; i < 5; i++) {
    const opened = await Promise.all(Array.from({ length: 5 }, () => on.signUp(free(), from)));
    expect(opened.map(codeOf)).toEqual(Array(5).fill('200'));
  }
  const asked = Array.from({ length: 40 }, () =>
    on.signUp({ ...free(), username: taken.username }, from).then(codeOf),
  );
  const codes = await Promise.all(asked);
  expect(codes.filter((code) => code === '409 AUTH_USER_EXISTS')).toHaveLength(20);
  expect(codes.filter((code) => code === '429 RATE_LIMITED')).toHaveLength(20);
  expect(codeOf(await on.signUp(free(), from))).toBe('429 RATE_LIMITED');
  expect((await signUp(free())).status).toBe(200);
});

test('keeps the username and email available when a sign-up fails halfway', async () => {
  const user = { username: fresh(), email: `${fresh()}@mail.example` };
  await on.app.sql`alter table seed_pairs rename to seed_pairs_away`.execute(on.app.db);
  const failed = await signUp(user);
  await on.app.sql`alter table seed_pairs_away rename to seed_pairs`.execute(on.app.db);
  expect(codeOf(failed)).toBe('500 INTERNAL_ERROR');
  expect((await signUp(user)).status).toBe(200);
});
