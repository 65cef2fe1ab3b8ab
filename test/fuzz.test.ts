import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, betOnDice, type Player } from './kit/app.ts';
import { anyText, type Request, type Rules, urlOf, validOf, validRequest } from './kit/arbitrary.ts';
import { type Broken, brokenRequest } from './kit/broken.ts';
import { watchLoop } from './kit/loop.ts';
import { committedDocument, misfits, type Operation, operationsOf } from './kit/openapi.ts';
import { type Caller, RULES, signInAgain, startCaller } from './kit/requests.ts';

/** FUZZ_SEED repeats a run; FUZZ_RUNS asks for more than fits into a push. */
const SEED = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31));
const RUNS = Number(process.env.FUZZ_RUNS ?? 200);
/** Requests of one kind in one run of all operations: as operations grow in number, each gets fewer. */
const BUDGET = 8000;
const TIMEOUT_MS = 120_000;

const operations = operationsOf(committedDocument('main'));
let caller: Caller;
let known: { betIds: string[]; account: { email: string; password: string }; other: Player };
let loop: ReturnType<typeof watchLoop>;

beforeAll(async () => {
  console.log(`contract fuzz: FUZZ_SEED=${SEED}`);
  caller = await startCaller();
  const bets = await Promise.all([betOnDice(caller.player), betOnDice(caller.player)]);
  const account = { email: 'known@fuzz.example', password: 'a known password' };
  await caller.app.call('POST', '/debug/user/create', { body: account });
  const other = await caller.app.newPlayer();
  known = { account, other, betIds: bets.map(({ body }) => body.betId) };
  loop = watchLoop();
});
afterAll(() => caller.stop());

/** Sign-up, sign-in: each hashes a password, 25 ms of a core on purpose. */
function runsOf({ captcha }: Operation): number {
  const affordable = process.env.FUZZ_RUNS ? RUNS : Math.min(RUNS, Math.floor(BUDGET / operations.length));
  return captcha ? Math.ceil(affordable / 10) : affordable;
}

/** Objects that exist, among others that do not, so that the answers of success are seen too. */
function rulesOf({ name, body }: Operation): Rules {
  const currencyId = fc.constantFrom('USDT', 'USDT', 'BTC', 'EUR', 'NONE', '🎲', 'usdt');
  const betId = fc.oneof(fc.constantFrom(...known.betIds), anyText(1, 64));
  const rules = {
    ...RULES,
    'query.debug_token': fc.oneof(fc.constant('test-debug-token'), fc.string()),
    'body.currencyId': currencyId,
    'body.balances[].currencyId': currencyId,
    'path.currencyId': currencyId,
    'path.betId': betId,
  };
  if (name !== 'POST /auth/sign-in') return rules;
  return {
    ...rules,
    body: fc.oneof(fc.constant(known.account), validOf({ ...body!, nullable: false }, 'input')),
  };
}

/** What a request needs beside the right form to succeed. */
async function preparation({ name }: Operation): Promise<Record<string, string>> {
  if (name === 'POST /auth/refresh')
    return { 'refresh-token': (await signInAgain(caller.app, known.other)).refreshToken };
  // Whoever becomes SuperAdmin must not be who tries the others.
  return name.endsWith('/give-admin') ? { authorization: `Bearer ${known.other.token}` } : {};
}

/** Answers that the documents still owe a word on; the last test fails once an entry is no longer needed. */
const UNDECLARED: Readonly<Record<string, string>> = { 'POST /debug/user/create': '404' };

/** Problems of an answer that hold for every request: failures of ours, undeclared statuses, undeclared forms. */
function problemsOf({ name, responses }: Operation, { status, body, text }: Answer): string[] {
  if (status >= 500) return [`${status} ${text}`];
  if (UNDECLARED[name] === String(status)) return [];
  if (!Object.hasOwn(responses, status)) return [`${status} is not declared: ${text}`];
  const schema = responses[status];
  if (!schema) return text === '' ? [] : [`${status} has no declared body: ${text}`];
  // The interface asks for an empty text where somebody has never signed in.
  const agreed = 'lastLoginAt is no time in UTC';
  const problems = misfits(schema, body).filter((p) => p !== agreed || body.lastLoginAt !== '');
  return problems.map((problem) => `${status}: ${problem}`);
}

async function sendValid(operation: Operation, request: Request): Promise<Answer> {
  const headers = { ...request.headers, ...(await preparation(operation)) };
  return caller.send(operation, { url: urlOf(operation, request), body: request.body, headers });
}

async function sendBroken(operation: Operation, { url, raw, headers, without }: Broken): Promise<Answer> {
  const admission = Object.entries(await caller.admission(operation)).filter(
    ([name]) => !without.includes(name),
  );
  const type: Record<string, string> = raw === undefined ? {} : { 'content-type': 'application/json' };
  const all = { ...Object.fromEntries(admission), ...type, ...headers };
  return caller.app.call(operation.method, url, { headers: all, ...(raw === undefined ? {} : { raw }) });
}

describe.concurrent.each(operations.map((operation) => [operation.name, operation] as const))(
  '%s',
  (_, operation) => {
    const settings = { seed: SEED, numRuns: runsOf(operation) };

    test(
      'H01 contract fuzz: a valid request is never refused for its form, and each answer is a declared one',
      async () => {
        let successes = 0;
        const property = fc.asyncProperty(validRequest(operation, rulesOf(operation)), async (request) => {
          const answer = await sendValid(operation, request);
          if (answer.status < 300) successes++;
          const isMisread = answer.body?.code === 'VALIDATION_FAILED';
          expect([...problemsOf(operation, answer), ...(isMisread ? [answer.text] : [])]).toEqual([]);
        });
        await fc.assert(property, settings);
        // A handful of requests may all name what is not there.
        if (settings.numRuns >= 50) expect(successes).toBeGreaterThan(0);
      },
      TIMEOUT_MS,
    );

    test(
      'H01 contract fuzz: a broken request is refused for just that, and each answer is a declared one',
      async () => {
        const property = fc.asyncProperty(brokenRequest(operation, rulesOf(operation)), async (broken) => {
          const answer = await sendBroken(operation, broken);
          const got = `${answer.status} ${answer.body?.code}`;
          expect([
            ...problemsOf(operation, answer),
            ...(broken.refusal.test(got) ? [] : [`${broken.kind}: ${got} instead of ${broken.refusal}`]),
          ]).toEqual([]);
        });
        await fc.assert(property, settings);
      },
      TIMEOUT_MS,
    );
  },
);

test('H01 contract fuzz: nothing failed inside, and the event loop stayed responsive', async () => {
  expect(caller.app.lines).toEqual([]);
  expect(await loop.p99Ms()).toBeLessThan(100);
  expect((await caller.app.call('GET', '/health')).status).toBe(200);
  const undeclared = operations.filter((o) => UNDECLARED[o.name] && !o.responses[UNDECLARED[o.name]!]);
  expect(undeclared.map((o) => o.name)).toEqual(Object.keys(UNDECLARED));
});
