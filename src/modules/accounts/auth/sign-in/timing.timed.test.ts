import { expect, test } from 'vitest';
import { newcomer } from '../../../../../test/kit/accounts/sign-in.ts';
import { startApp } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import { startElsewhere } from '../../../../../test/kit/processes/environments.ts';

const app = fixture(startApp);
const local = fixture(() => startElsewhere(app, 'local', { env: { RATE_LIMIT_AUTH: '0' } }));

/** A busy machine can distort a single round. If the response time really reveals something, the difference appears in every round. */
const ROUNDS = 4;
const HEADERS = { 'x-captcha-token': 'local-captcha' };

/** Creates accounts with the same password. Each is used for about one request. */
async function manyKnown(count: number): Promise<string[]> {
  const password_hash = await local.services.signUps.hashPassword('the password of them all', {});
  const users = Array.from({ length: count }, () => {
    const { username, email } = newcomer();
    return { username, email, password_hash, username_skeleton: username };
  });
  await app.db.insertInto('users').values(users).execute();
  return users.map(({ email }) => email);
}

async function time(ask: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await ask();
  return performance.now() - started;
}

const median = (values: readonly number[]) =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;

/**
 * Returns the p-value of the Mann-Whitney U test (two-sided, normal approximation) for the hypothesis that both samples have the same
 * distribution.
 */
function pValue(a: readonly number[], b: readonly number[]): number {
  let u = 0;
  for (const x of a) for (const y of b) u += x < y ? 1 : x === y ? 0.5 : 0;
  const n = a.length * b.length;
  const z = Math.abs(u - n / 2) / Math.sqrt((n * (a.length + b.length + 1)) / 12);
  // Approximates the normal distribution with formula 26.2.17 of Abramowitz and Stegun.
  const t = 1 / (1 + 0.2316419 * z);
  const tail =
    t *
    (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429)))) *
    (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI));
  return 2 * tail;
}

/** Sends requests in pairs, one for a known and one for an unknown address. Which of them comes first alternates from pair to pair. */
async function compare(pairs: number, ask: (email: string) => Promise<unknown>) {
  const known: number[] = [];
  const unknown: number[] = [];
  // The addresses are made in advance, because making one would be measured with its request.
  const strangers = Array.from({ length: pairs }, () => newcomer().email);
  for (const [i, email] of (await manyKnown(pairs)).entries()) {
    const steps = [
      async () => void known.push(await time(() => ask(email))),
      async () => void unknown.push(await time(() => ask(strangers[i]!))),
    ];
    for (const step of i % 2 ? steps : steps.reverse()) await step();
  }
  return { ratio: median(known) / median(unknown), p: pValue(known, unknown) };
}

async function expectNoDifference(pairs: number, ask: (email: string) => Promise<unknown>): Promise<void> {
  await compare(20, ask);
  const rounds = [];
  for (let round = 0; round < ROUNDS; round++) {
    const { ratio, p } = await compare(pairs, ask);
    rounds.push({ ratio, p });
    if (Math.abs(ratio - 1) <= 0.05 && p > 0.01) return;
  }
  expect(rounds).toBe('a round without a difference');
}

const post = async (path: string, body: object, status: number) => {
  const answer = await local.call('POST', path, { body, headers: HEADERS });
  expect(answer.status, answer.text).toBe(status);
};

test('takes the same time to sign in whether or not the account exists', { timeout: 240_000 }, () =>
  expectNoDifference(60, (email) => post('/auth/sign-in', { email, password: 'a wrong password' }, 401)),
);

test(
  'takes the same time to request a password reset whether or not the account exists',
  {
    timeout: 240_000,
  },
  () => expectNoDifference(200, (email) => post('/user/forgot-password', { email }, 201)),
);

test('detects a difference of one millisecond in ten (control for the other tests)', () => {
  const around = (middle: number) => Array.from({ length: 60 }, (_, i) => middle + Math.sin(i * 7.3));
  expect(pValue(around(10), around(10.01))).toBeGreaterThan(0.01);
  expect(pValue(around(10), around(11))).toBeLessThan(0.001);
});
