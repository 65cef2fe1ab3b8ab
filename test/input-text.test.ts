import { randomBytes } from 'node:crypto';
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { fixture } from './kit/fixture.ts';
import { dialectOf, isDone, isMalformed, isPartnerReport, isReport } from './kit/games/supplier-calls.ts';
import { storedTexts } from './kit/http/fingerprint.ts';
import { rawRequest } from './kit/http/raw-http.ts';
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
  shareOf,
  startCaller,
  typeOf,
} from './kit/http/requests.ts';

// The test sends requests for each field, so its duration grows with the number of operations.
vi.setConfig({ testTimeout: 360_000, hookTimeout: 180_000 });

type Operation = Caller['operations'][number];
const caller = fixture(startCaller);
beforeAll(async () => {
  await caller.player.call('POST', '/accounting/to-vault', { body: { currencyId: 'USDT', amount: '1000' } });
});
// If the database rejected a string (22021) or a number (22003), the log would contain an error about a failed request.
const failures = () => caller.app.lines.filter((line) => !EXPECTED_WARNINGS.test(line));
afterEach(() => expect(failures()).toEqual([]));

/** PostgreSQL cannot store these strings unchanged. */
const UNSTORABLE = ['a\0b', '\0', '\ud800', 'x\udc00y', '\udc00\ud800'];
/** Each of these strings must be stored unchanged. */
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

/**
 * Fields whose value is never stored unchanged. Passwords are hashed, and tokens and codes are only looked up. Password resets and
 * identities are encrypted. Gateway messages and the patterns of events are only forwarded, a launch is stored only while its page is open,
 * and an estimate is not stored at all.
 */
const NEVER_STORED =
  /[pP]assword$|confirm-password-reset token$|email\/confirm token$|forgot-password email$|(withdraw|user-tips) mfaCode$|^POST \/kyc\/basic |^POST \/debug\/gateway\/(send|emit) |^POST \/emit-event pattern$|^POST \/coming-soon\/subscribe |^POST \/payments\/withdraw\/estimate /;

/** Supplier callbacks store identities and round ids. The other fields are only used for lookups, or are ignored. */
const isNotKept = (operation: Operation, path: readonly (string | number)[]): boolean =>
  // A webhook with an invalid field is stored only as a hash.
  /^\/webhooks\/(kyc|skins)\//.test(operation.path) ||
  (dialectOf(operation) !== undefined &&
    (!/^(transactionId|transaction_uuid|action_id|issue_id|reference|promoWinReference)$/.test(
      String(path.at(-1)),
    ) ||
      // A refund is stored under a longer id that contains the reference.
      operation.path.endsWith('/refund.html')));

/** A user who changes their username cannot use the old one again, so each request needs a new player. */
const asSomebodyNew = async (at: string): Promise<Record<string, string>> =>
  at === 'PATCH /user/me username' ? { authorization: `Bearer ${(await caller.app.newPlayer()).token}` } : {};

const textsIn = (operation: Operation) =>
  operation.body ? positionsOf(operation.body).filter(({ schema }) => schema.type === 'string') : [];

test('rejects NUL and lone surrogates in every string of every body', async () => {
  const cases = caller.operations.flatMap((operation) =>
    textsIn(operation).flatMap(({ path }) =>
      // Forms are UTF-8, which cannot encode lone surrogates.
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
    // Callbacks from identity providers always get a redirect as the response.
    return isMalformed(operation, answer) || answer.status === 303
      ? []
      : [`${operation.name} ${path} ${JSON.stringify(text)}: ${answer.status}`];
  });
  expect(wrong.flat()).toEqual([]);
});

test('stores accepted strings as they were sent', async () => {
  const working = caller.operations.filter((o) => o.body && isKnownToWork(o));
  for (const operation of working) {
    const answer = await caller.send(operation, { body: fullBody(operation) });
    expect(isDone(operation, answer), `${operation.name} ${answer.text}`).toBe(true);
  }
  const places = caller.operations.flatMap((operation) =>
    textsIn(operation).map(({ path }) => ({ operation, path })),
  );
  const cases = places.flatMap((place, at) => shareOf(HOSTILE, at).map((text) => ({ ...place, text })));
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
  // Single-line text is stored in normalised form, and a transaction hash in lower case.
  const keptAs = (sent: string) => [sent, sent.trim(), sent.normalize('NFC'), sent.toLowerCase()];
  expect(accepted.filter(({ sent }) => !keptAs(sent).some((text) => stored.has(text)))).toEqual([]);
  const times = (place: string) => accepted.filter(({ at }) => at === place).length;
  const least = Math.min(...[...Array(6).keys()].map((at) => shareOf(HOSTILE, at).length));
  expect(times('POST /casino/games/house/dice/bet windowId')).toBeGreaterThanOrEqual(least);
  expect(times('POST /auth/sign-up referrer')).toBeGreaterThanOrEqual(least);
});

test('accepts a password with any characters, and only for its own account', async () => {
  const operation = (name: string) => caller.operations.find((o) => o.name === name)!;
  const password = '🎲\u202eé\\"\t pass\u{10ffff}';
  const body = { ...fullBody(operation('POST /auth/sign-up')), password };
  expect((await caller.send(operation('POST /auth/sign-up'), { body })).status).toBe(200);
  const signIn = (given: string) =>
    caller.send(operation('POST /auth/sign-in'), { body: { email: body.email, password: given } });
  expect((await signIn(password)).status).toBe(201);
  // The same string in another Unicode normalization form is accepted. Any other string is rejected.
  expect((await signIn(password.replace('é', 'e\u0301'))).status).toBe(201);
  expect((await signIn(password.replace('é', 'e'))).status).toBe(401);
});

/** Numbers that are inserted into the JSON as raw text, because JSON.stringify cannot produce them. */
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

/** Amounts that suppliers may send: integers in the supplier's smallest unit, within the range that the ledger can store. */
const SUPPLIERS_MAY = ['2147483648', '0.1e1', '-0'];

/** Error codes that are expected because user 1 plays, and has limits, an exclusion and a referral code. */
const LIMITED = new Set([
  'LIMIT_REACHED',
  'SELF_EXCLUDED',
  'AFFILIATE_CODE_TAKEN',
  'BOT_ACCOUNT_IN_USE',
  'BOT_ACCOUNT_NEEDED',
  'APPROVAL_NEEDED',
  'TURNOVER_NOT_ENDABLE',
]);

test('rejects out-of-range numbers in every body before they reach the database', async () => {
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
    // A report with an invalid number is stored for staff.
    if ((isReport(operation) || isPartnerReport(operation)) && isDone(operation, answer)) return [];
    // Suppliers may send any amount: zero, above the balance or above the maximum.
    if (dialectOf(operation) && status < 500)
      return isDone(operation, answer) && !SUPPLIERS_MAY.includes(number)
        ? [`${operation.name} ${path} ${number}: ${answer.text}`]
        : [];
    const isZeroOrOne = ['0.1e1', '-0', '1e-400', '5e-324'].includes(number);
    // 0.1e1 is the number 1, which is the id of the player. This player has limits, an exclusion and a code.
    const isLimited = LIMITED.has(body?.code);
    // Attempts to add a passkey are limited, like every verification of a second factor.
    const isTriedOften = operation.name === 'POST /user/passkeys' && status === 429;
    const isFine = status < 300 || status === 404 || isLimited;
    // A page number beyond the end is valid.
    const isFarPage = path.at(-1) === 'page' && number === '2147483648';
    // The maximum win of a bet has no upper limit.
    const isGenerous = path.at(-1) === 'maxProfit' && number === '2147483648';
    // Terms are checked only after the promotion has been found. The POST operation covers the check of the same terms.
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

test('returns 400 or 404 in the common error format for paths and queries that cannot be stored', async () => {
  const paths = caller.operations
    .filter((o) => o.path.includes('{'))
    .flatMap((operation, place) =>
      shareOf(SEGMENTS, place).map((s) => ({ operation, url: operation.path.replace(/\{[^}]+\}/g, s) })),
    );
  let place = 0;
  const queries = caller.operations.flatMap((operation) => {
    const names = operation.parameters.filter((p) => p.in === 'query').map((p) => p.name);
    const [path] = examplePath(operation).split('?');
    return ['unknown', ...names].flatMap((name) =>
      shareOf(SEGMENTS, place++).map((s) => ({ operation, url: `${path}?${name}=${s}` })),
    );
  });
  expect(paths.length).toBeGreaterThan(90);
  const wrong = await inParallel([...paths, ...queries], async ({ operation, url }) => {
    const headers = { ...(await caller.admission(operation)), 'content-type': typeOf(operation) };
    const { status, body } = await rawRequest(caller.app.url, operation.method, url, { headers });
    const isWell =
      status < 300 ||
      // One path contains a username, and some usernames are reserved.
      body?.code === 'USERNAME_RESERVED' ||
      // The platform's own promotion exists and has grants, because the rewards of levels use it.
      body?.code === 'PROMO_HAS_GRANTS' ||
      // User 1 is not banned.
      body?.code === 'USER_NOT_BANNED' ||
      // Reports that could not be booked have created findings.
      body?.code === 'FINDING_NOT_APPLICABLE' ||
      ([400, 401, 403, 404].includes(status) && typeof body?.requestId === 'string');
    return isWell ? [] : [`${operation.method} ${url}: ${status} ${body?.code}`];
  });
  expect(wrong.flat()).toEqual([]);
});

test('stores header bytes beyond ASCII unchanged', async () => {
  const agent = `Gerät ${'\xf0\x9f\x8e\xb2'} \\"{}' ${randomBytes(6).toString('hex')}`;
  const username = `h_${randomBytes(7).toString('hex')}`;
  const path = `/debug/auth/login/${username}`;
  const { status } = await rawRequest(caller.app.url, 'POST', path, { headers: { 'user-agent': agent } });
  expect(status).toBe(201);
  expect(await storedTexts(caller.app.db)).toContain(agent);
});
