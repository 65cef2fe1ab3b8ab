import { randomBytes } from 'node:crypto';
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { storedTexts } from './kit/fingerprint.ts';
import { fixture } from './kit/fixture.ts';
import { rawRequest } from './kit/raw-http.ts';
import {
  type Caller,
  EXPECTED_WARNINGS,
  examplePath,
  fullBody,
  inParallel,
  inTurn,
  isKnownToWork,
  positionsOf,
  replaced,
  startCaller,
  typeOf,
} from './kit/requests.ts';
import { dialectOf, isDone, isMalformed } from './kit/supplier-calls.ts';

// As many requests as there are fields: the more operations, the longer.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

type Operation = Caller['operations'][number];
const caller = fixture(startCaller);
beforeAll(async () => {
  await caller.player.call('POST', '/accounting/to-vault', { body: { currencyId: 'USDT', amount: '1000' } });
});
// A database that refuses a text (22021) or a number (22003) would be logged as a failed request.
const failures = () => caller.app.lines.filter((line) => !EXPECTED_WARNINGS.test(line));
afterEach(() => expect(failures()).toEqual([]));

/** PostgreSQL cannot store these as they are. */
const UNSTORABLE = ['a\0b', '\0', '\ud800', 'x\udc00y', '\udc00\ud800'];
/** Every one of these means itself and nothing else. */
const HOSTILE = [
  '🎲🃏',
  '\u202eesuoh',
  '\u{10ffff}',
  'é',
  'e\u0301',
  'ﷺ',
  '\u200b',
  '\ufeff',
  '\u2028',
  '\ufffd',
  '\u0001',
  '\x7f',
  '"',
  '\\',
  '\\\\"',
  "'",
  "');--",
  '{',
  '}',
  '{}',
  ',',
  '{"a":1}',
  'NULL',
  'null',
  '%_',
  '$1',
  '\t',
  '\n',
  '\\x41',
  '2147483648',
  '9223372036854775808',
  '100000000000000000000',
  '99999-12-31T00:00:00.000Z',
  '-infinity',
];

/** A third of the texts in each place, in turn; HOSTILE_EVERY=1 sends them all. */
const EVERY = Number(process.env.HOSTILE_EVERY ?? 3);

/**
 * Passwords are hashed, tokens and codes looked up; whose password was forgotten, and who somebody is, is sealed; what is asked of the gateway
 * passes through; who waits for a launch is kept only while the page before it is shown.
 */
const NEVER_STORED =
  /[pP]assword$|confirm-password-reset token$|email\/confirm token$|forgot-password email$|(withdraw|user-tips) mfaCode$|^POST \/kyc\/basic |^POST \/debug\/gateway\/send |^POST \/coming-soon\/subscribe /;

/** Of callbacks of suppliers identities are kept, and the rounds they name; the rest is looked up, or is the supplier's own business. */
const isNotKept = (operation: Operation, path: readonly (string | number)[]): boolean =>
  dialectOf(operation) !== undefined &&
  (!/^(transactionId|transaction_uuid|action_id|issue_id|reference|promoWinReference)$/.test(
    String(path.at(-1)),
  ) ||
    // Under a name that says what it is.
    operation.path.endsWith('/refund.html'));

/** A name is kept until the next one: whoever takes one keeps it. */
const asSomebodyNew = async (at: string): Promise<Record<string, string>> =>
  at === 'PATCH /user/me username' ? { authorization: `Bearer ${(await caller.app.newPlayer()).token}` } : {};

const textsIn = (operation: Operation) =>
  operation.body ? positionsOf(operation.body).filter(({ schema }) => schema.type === 'string') : [];

test('H03 database-breaking text: NUL and half characters are refused in every text of every body', async () => {
  const cases = caller.operations.flatMap((operation) =>
    textsIn(operation).flatMap(({ path }) =>
      // UTF-8, which forms are written in, has no half characters.
      UNSTORABLE.filter((text) => !operation.isForm || text.isWellFormed()).map((text) => ({
        operation,
        path,
        text,
      })),
    ),
  );
  expect(cases.length).toBeGreaterThan(80);
  const wrong = await inParallel(inTurn(cases), async ({ operation, path, text }) => {
    const answer = await caller.send(operation, { body: replaced(fullBody(operation), path, text) });
    return isMalformed(operation, answer)
      ? []
      : [`${operation.name} ${path} ${JSON.stringify(text)}: ${answer.status}`];
  });
  expect(wrong.flat()).toEqual([]);
});

test('H03 database-breaking text: what is accepted in a body is stored as it was sent', async () => {
  const working = caller.operations.filter((o) => o.body && isKnownToWork(o));
  for (const operation of working) {
    const answer = await caller.send(operation, { body: fullBody(operation) });
    expect(isDone(operation, answer), `${operation.name} ${answer.text}`).toBe(true);
  }
  const places = caller.operations.flatMap((operation) =>
    textsIn(operation).map(({ path }) => ({ operation, path })),
  );
  const cases = places.flatMap((place, at) =>
    HOSTILE.filter((_, i) => (i + at) % EVERY === 0).map((text) => ({ ...place, text })),
  );
  const accepted: { at: string; sent: string }[] = [];
  const wrong = await inParallel(cases, async ({ operation, path, text }) => {
    const sent = `${text}${randomBytes(6).toString('hex')}${text}`;
    const at = `${operation.name} ${path}`;
    const body = replaced(fullBody(operation), path, sent);
    const answer = await caller.send(operation, { body, headers: await asSomebodyNew(at) });
    if (answer.status >= 500) return [`${at} ${JSON.stringify(sent)}: ${answer.text}`];
    if (!isDone(operation, answer) || NEVER_STORED.test(at) || isNotKept(operation, path)) return [];
    accepted.push({ at, sent });
    return [];
  });
  expect(wrong.flat()).toEqual([]);
  const stored = await storedTexts(caller.app.db);
  // One line of text is kept as one spelling of it.
  const keptAs = (sent: string) => [sent, sent.trim(), sent.normalize('NFC')];
  expect(accepted.filter(({ sent }) => !keptAs(sent).some((text) => stored.has(text)))).toEqual([]);
  const times = (place: string) => accepted.filter(({ at }) => at === place).length;
  const least = Math.floor(HOSTILE.length / EVERY);
  expect(times('POST /casino/games/house/dice/bet windowId')).toBeGreaterThanOrEqual(least);
  expect(times('POST /auth/sign-up referrer')).toBeGreaterThanOrEqual(least);
});

test('H03 database-breaking text: a password of any characters opens its own account and no other', async () => {
  const operation = (name: string) => caller.operations.find((o) => o.name === name)!;
  const password = '🎲\u202eé\\"\t pass\u{10ffff}';
  const body = { ...fullBody(operation('POST /auth/sign-up')), password };
  expect((await caller.send(operation('POST /auth/sign-up'), { body })).status).toBe(200);
  const signIn = (given: string) =>
    caller.send(operation('POST /auth/sign-in'), { body: { email: body.email, password: given } });
  expect((await signIn(password)).status).toBe(201);
  // One text, however a keyboard spells it, and no other.
  expect((await signIn(password.replace('é', 'e\u0301'))).status).toBe(201);
  expect((await signIn(password.replace('é', 'e'))).status).toBe(401);
});

/** Written into the JSON as they stand: JavaScript could not print them. */
const NUMBERS = [
  '2147483648',
  '-2147483649',
  '9223372036854775808',
  '100000000000000000000',
  '1e309',
  '-1e309',
  '1e-400',
  '5e-324',
  '0.1e1',
  '-0',
];

/** Whole in a supplier's smallest unit, and held by the ledger. */
const SUPPLIERS_MAY = ['2147483648', '0.1e1', '-0'];

/** Why user 1 cannot have it: they play, and have limits, an exclusion and a code. */
const LIMITED = new Set([
  'LIMIT_REACHED',
  'SELF_EXCLUDED',
  'AFFILIATE_CODE_TAKEN',
  'BOT_ACCOUNT_IN_USE',
  'BOT_ACCOUNT_NEEDED',
]);

test('H03 database-breaking numbers: none in any number of any body reaches the database out of range', async () => {
  const cases = caller.operations.flatMap((operation) =>
    (operation.body ? positionsOf(operation.body) : [])
      .filter(({ schema }) => schema.type === 'number' || schema.type === 'integer')
      .flatMap(({ path }) => NUMBERS.map((number) => ({ operation, path, number }))),
  );
  expect(cases.length).toBeGreaterThan(20);
  const wrong = await inParallel(inTurn(cases), async ({ operation, path, number }) => {
    const raw = JSON.stringify(replaced(fullBody(operation), path, '@@')).replace('"@@"', number);
    const answer = await caller.send(operation, { raw });
    const { status, body } = answer;
    // An amount may be as large as suppliers write it: more than there is, more than can be held, or none.
    if (dialectOf(operation) && status < 500)
      return isDone(operation, answer) && !SUPPLIERS_MAY.includes(number)
        ? [`${operation.name} ${path} ${number}: ${answer.text}`]
        : [];
    const isZeroOrOne = ['0.1e1', '-0', '1e-400', '5e-324'].includes(number);
    // User 1 is the player: among these are limits for user 0.1e1, their exclusion, and a code that they have.
    const isLimited = LIMITED.has(body?.code);
    // Tries to add a passkey are counted like every proof.
    const isTriedOften = operation.name === 'POST /user/passkeys' && status === 429;
    const isFine = status < 300 || status === 404 || isLimited;
    // A page may lie beyond the end, whatever its number.
    const isFarPage = path.at(-1) === 'page' && number === '2147483648';
    // The most that a bet may win has no bound above.
    const isGenerous = path.at(-1) === 'maxProfit' && number === '2147483648';
    // Terms are looked at once the promotion is found; POST proves the same terms.
    const isUnknownPromo = operation.name === 'PATCH /admin/promo/{id}' && status === 404;
    return status === 400 ||
      isUnknownPromo ||
      isTriedOften ||
      ((isZeroOrOne || isFarPage || isGenerous) && isFine)
      ? []
      : [`${operation.name} ${path} ${number}: ${status}`];
  });
  expect(wrong.flat()).toEqual([]);
});

const SEGMENTS =
  `0 -1 1 1e3 2147483648 9223372036854775807 9223372036854775808 100000000000000000000 99999-01-01 ' %22 %5C
  %00 a%00 %F0%9F%8E%B2 %E2%80%AE %ED%A0%80 %FF %C0%AF % %zz %2e%2e %2F %252F %0d%0aa:b __proto__ constructor null
  ${'x'.repeat(65)} ${'x'.repeat(5000)}`.split(/\s+/);

test('H03 database-breaking paths and queries: 400 or 404, in the form of every error', async () => {
  const paths = caller.operations
    .filter((o) => o.path.includes('{'))
    .flatMap((operation) =>
      SEGMENTS.map((s) => ({ operation, url: operation.path.replace(/\{[^}]+\}/g, s) })),
    );
  const queries = caller.operations.flatMap((operation) => {
    const names = operation.parameters.filter((p) => p.in === 'query').map((p) => p.name);
    const [path] = examplePath(operation).split('?');
    return ['unknown', ...names].flatMap((name) =>
      SEGMENTS.map((s) => ({ operation, url: `${path}?${name}=${s}` })),
    );
  });
  expect(paths.length).toBeGreaterThan(90);
  const wrong = await inParallel(inTurn([...paths, ...queries]), async ({ operation, url }) => {
    const headers = { ...(await caller.admission(operation)), 'content-type': typeOf(operation) };
    const { status, body } = await rawRequest(caller.app.url, operation.method, url, { headers });
    const isWell =
      status < 300 ||
      // A name is looked for in this path, and some are nobody's.
      body?.code === 'USERNAME_RESERVED' ||
      // The platform's own promotion is there, with what levels were rewarded with.
      body?.code === 'PROMO_HAS_GRANTS' ||
      ([400, 401, 403, 404].includes(status) && typeof body?.requestId === 'string');
    return isWell ? [] : [`${operation.method} ${url}: ${status} ${body?.code}`];
  });
  expect(wrong.flat()).toEqual([]);
});

test('H03 database-breaking headers: bytes beyond ASCII are stored as they came', async () => {
  const agent = `Gerät ${'\xf0\x9f\x8e\xb2'} \\"{}' ${randomBytes(6).toString('hex')}`;
  const username = `h_${randomBytes(7).toString('hex')}`;
  const path = `/debug/auth/login/${username}`;
  const { status } = await rawRequest(caller.app.url, 'POST', path, { headers: { 'user-agent': agent } });
  expect(status).toBe(201);
  expect(await storedTexts(caller.app.db)).toContain(agent);
});
