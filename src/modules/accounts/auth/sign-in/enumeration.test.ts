import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { type Account, startAccounts } from '../../../../../test/kit/accounts/accounts.ts';
import { newcomer } from '../../../../../test/kit/accounts/sign-in.ts';
import type { Answer } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';

/** Email addresses, keyed by the state of their account. The user of a passwordless account signs in only through a provider. */
let people: Record<'verified' | 'unverified' | 'missing' | 'banned' | 'passwordless', { email: string }>;
const on = fixture(() => startAccounts({ TRUSTED_PROXIES: '127.0.0.1' }));
beforeAll(async () => {
  const set = (account: Account, fields: object) =>
    on.app.db.updateTable('users').set(fields).where('id', '=', account.id).execute();
  const [verified, unverified, banned] = [
    await on.registered(),
    await on.registered(),
    await on.registered(),
  ];
  await set(verified, { email_verified: true });
  await set(banned, { banned_at: new Date() });
  const { username } = await on.app.newPlayer();
  const passwordless = { email: `${username}@test.example` };
  people = { verified, unverified, missing: newcomer(), banned, passwordless };
});

/** Everything that a caller sees of a response: status, names and values of headers, and body. */
const seen = ({ status, headers, text, body }: Answer) => {
  const shown = [...headers].filter(([name]) => !['date', 'x-request-id'].includes(name));
  return JSON.stringify([status, shown, text.replace(body?.requestId ?? ' ', '')]);
};
const everybody = async (ask: (email: string) => Promise<Answer>) => {
  const answers = [];
  for (const { email } of Object.values(people)) answers.push(await ask(email));
  return answers;
};

test('returns identical sign-in responses for every kind of account, including the rate limit after three attempts', async () => {
  for (const [round, status] of [401, 401, 401, 429].entries()) {
    const answers = await everybody((email) => on.signIn({ email, password: `wrong ${round}` }));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([status]));
    const withoutTime = answers.map((a) => seen(a).replace(/\b1[78]\d\d\b/g, 'seconds'));
    expect(new Set(withoutTime).size, withoutTime.join('\n')).toBe(1);
  }
});

test('returns identical forgot-password responses for every kind of account, even above the limit', async () => {
  const ask = (email: string) => on.app.call('POST', '/user/forgot-password', { body: { email } });
  for (let round = 0; round < 5; round++) {
    const answers = await everybody(ask);
    expect(new Set(answers.map(seen)).size).toBe(1);
    expect([answers[0]!.status, answers[0]!.body]).toEqual([201, { result: true }]);
  }
});

test('returns false from verify-email and confirm-password-reset for any unknown token', async () => {
  const tokens = [randomUUID(), 'x', 'ü', "'", 'x'.repeat(128)];
  const verified = await Promise.all(
    tokens.map((token) => on.app.call('GET', `/user/verify-email?${new URLSearchParams({ token })}`)),
  );
  const reset = await Promise.all(
    tokens.map((token) =>
      on.app.call('PATCH', '/user/confirm-password-reset', {
        body: { token, newPassword: 'a good new one' },
      }),
    ),
  );
  for (const answers of [verified, reset]) {
    expect(new Set(answers.map(seen)).size).toBe(1);
    expect([answers[0]!.status, answers[0]!.body]).toEqual([200, { result: false }]);
  }
});

test('returns the same 409 for a taken email on sign-up, whatever the state of its account', async () => {
  const { verified, unverified, banned, passwordless } = people;
  const answers = [];
  for (const [i, { email }] of [verified, unverified, banned, passwordless].entries())
    answers.push(await on.signUp({ ...newcomer(), email }, { 'x-forwarded-for': `10.3.${i}.1` }));
  expect(new Set(answers.map(seen)).size).toBe(1);
  expect([answers[0]!.status, answers[0]!.body.code]).toEqual([409, 'AUTH_USER_EXISTS']);
  for (const { headers } of answers) expect(headers.getSetCookie()).toEqual([]);
});
