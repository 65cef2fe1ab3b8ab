import { expect, test, vi } from 'vitest';
import { RIGHTS } from '../client/api.ts';
import { AMOUNT_PATTERN } from '../src/platform/money.ts';
import { fixture } from './kit/fixture.ts';
import { dialectOf, isDone, isMalformed, isPartnerReport, isReport } from './kit/games/supplier-calls.ts';
import { fingerprint } from './kit/http/fingerprint.ts';
import type { Operation } from './kit/http/openapi.ts';
import {
  fullBody,
  inParallel,
  isKnownToWork,
  type Position,
  positionsOf,
  replaced,
  shareOf,
  startCaller,
} from './kit/http/requests.ts';

// The test sends requests for each field, so its duration grows with the number of operations.
vi.setConfig({ testTimeout: 360_000, hookTimeout: 180_000 });

const caller = fixture(startCaller);
const subject = fixture(() => caller.app.newPlayer());

/** Strings that cannot be interpreted as an amount above zero that the platform can store. */
const TEXTS = [
  '-1',
  '-0',
  '-0.01',
  '\u22121',
  '--1',
  '(1)',
  '+5',
  '5-',
  '-',
  '+',
  'NaN',
  'nan',
  'Infinity',
  '-Infinity',
  'inf',
  '\u221e',
  'null',
  'true',
  'undefined',
  'abc',
  '__proto__',
  '1e3',
  '1E3',
  '1e-3',
  '1e0',
  'e5',
  '0x10',
  '0b1',
  '0o7',
  '1_000',
  '1n',
  '1f',
  '010',
  '00',
  '01.5',
  '1.',
  '.5',
  '.',
  '1..5',
  '1.2.3',
  '1,5',
  '1.000,50',
  '1,000.5',
  "1'000",
  '1 000',
  '5;',
  "5'--",
  '',
  ' ',
  ' 5',
  '5 ',
  ' 5 ',
  '\t5',
  '5\n',
  '5\r\n',
  '\u00a05',
  '5\u2003',
  '5\u200b',
  '\ufeff5',
  '5\0',
  '\ud800',
  '$5',
  '5$',
  '5 USDT',
  '5%',
  '\u20ac5',
  '\u00bd',
  '1\u00b2',
  '1/2',
  '[5]',
  '{}',
  '"5"',
  "'5'",
  '\u0665',
  '\uff15',
  '\u096b',
  '\u{1d7d3}',
  '\u4e94',
  'V',
  '1\u066b5',
  '9'.repeat(40),
  '9'.repeat(40_000),
  `1${'0'.repeat(12)}`,
  '0'.repeat(40),
  '92233720369',
  '999999999999',
  '92233720368.54775808',
  '999999999999.999999999999999999',
  '1.0000000000000000000',
  '0.0000000000000000001',
  '1.000000001',
  '0.000000000000000001',
];
const ZEROS = ['0', '0.0', '0.000000000000000000'];
const VALUES = [
  null,
  true,
  false,
  5,
  0,
  -1,
  1.5,
  1e21,
  Number.MAX_SAFE_INTEGER,
  [],
  ['5'],
  [5],
  {},
  { amount: '5' },
];
/** Raw JSON values that are inserted into the body without quotes. */
const RAW = [
  'NaN',
  '-Infinity',
  '0x10',
  '05',
  '.5',
  '+5',
  "'5'",
  'undefined',
  '5n',
  '1e999',
  '"5" "5"',
  '"\\x35"',
];

const SET_BALANCE = 'PUT /admin/user/{id}/balance';
const ANSWER_200 = new Set([
  SET_BALANCE,
  'POST /admin/accounting/transactions',
  'POST /admin/affiliate',
  'POST /admin/admin-tips',
  'POST /admin/admin-tips/deduct-balance',
  'PUT /admin/challenge',
  'PATCH /admin/challenge/{id}',
  'POST /marketing/bonus/credit/funds',
]);
/** Operations whose fields are valid only in combination. The tests of promotions, leaderboards and deposits cover their amounts. */
const DECIDED_TOGETHER = new Set([
  'POST /admin/promo',
  'PATCH /admin/promo/{id}',
  'POST /admin/promo/{id}/grant',
  'POST /marketing/bonus/credit',
  'POST /admin/leaderboards/give-prize',
  'POST /admin/leaderboards/schedule/{id}',
  'POST /admin/admin-tips/end-turnover',
  'POST /admin/payments/deposit/{id}/review',
]);
/** Operations that accept zero, for example as a balance. */
const MAY_BE_ZERO = new Set([
  'POST /admin/leaderboards',
  'POST /admin/affiliate',
  'POST /admin/accounting/transactions',
  'POST /admin/bets',
  'POST /debug/user/create',
  'POST /debug/user/action',
  'POST /admin/admin-tips/end-turnover',
  SET_BALANCE,
  'POST /user-limits/gambling-limits',
  'POST /admin/user-limits/gambling-limits',
]);
/** Operations that accept null, which removes a limit. */
const MAY_BE_NULL = new Set(['POST /user-limits/gambling-limits']);
/** The amount of a side bet may be zero or null, which means that there is no side bet. */
const isSideBet = ({ path }: Field) => path.join('.') === 'sideBetAmount';

type Field = { operation: Operation; path: Position['path'] };
/** Returns every body field with the pattern of an amount. */
const amountFields = (): Field[] =>
  caller.operations.flatMap((operation) =>
    positionsOf(operation.body ?? {})
      .filter(({ schema }) => schema.pattern === AMOUNT_PATTERN.source)
      .map(({ path }) => ({ operation, path })),
  );

const PLACEHOLDER = '"the amount"';
const bodyWith = ({ operation, path }: Field, raw: string, others: Position['path'][] = []) => {
  // The request that changes a challenge accepts the same body as the one that creates a challenge.
  const like = operation.name === 'PATCH /admin/challenge/{id}' ? 'PUT /admin/challenge' : operation.name;
  const whole = fullBody(caller.operations.find(({ name }) => name === like)!);
  const body = [path, ...others].reduce((all, at) => replaced(all, at, 'the amount'), whole);
  return JSON.stringify(body).replaceAll(PLACEHOLDER, () => raw);
};

/** Fields that must contain the same amount, because the amount of a roulette bet is the sum of its entries. */
const EQUALS: Readonly<Record<string, Position['path'][]>> = {
  'POST /casino/games/house/roulette/bet': [['betAmount'], ['params', 'bets', 0, 'amount']],
  'POST /casino/games/house/roulette/series': [['betAmount'], ['params', 'bets', 0, 'amount']],
};

/** A promotion that is a draft. */
const draft = fixture(async () => {
  const terms = { type: 'MANUAL', kind: 'BONUS', currency_id: 'USDT', amount: 100_000_000n };
  const { id } = await caller.app.db
    .insertInto('promos')
    .values({ name: 'Draft', wager_multiplier_e2: 1000, wager_base: 'BONUS', ...terms })
    .returning('id')
    .executeTakeFirstOrThrow();
  return { id };
});

/** A challenge that can be changed. */
const challenge = fixture(async () => {
  const { id } = await caller.app.db
    .insertInto('challenges')
    .values({
      id: '01a20bc1-4f61-7371-9317-79760da40e40',
      game_id: 1,
      min_bet_usd: 1n,
      min_multiplier_e4: 10_000n,
      reward_currency_id: 'USDT',
      reward_amount: 1n,
      is_hidden: true,
      created_by: 1,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return { id };
});

/** Returns a URL with an existing user, promotion or challenge, for operations that need one. */
const urlOf = ({ name, path }: Operation): { url?: string } => {
  if (name === SET_BALANCE) return { url: `/admin/user/${subject.id}/balance` };
  if (name.includes('/admin/challenge/{id}')) return { url: path.replace('{id}', challenge.id) };
  return name.includes('/admin/promo/{id}') ? { url: path.replace('{id}', String(draft.id)) } : {};
};
const sendTo = ({ operation }: Field, raw: string) => caller.send(operation, { raw, ...urlOf(operation) });

/** Removes the limits that this test has set for users. */
const clearLimits = () =>
  Promise.all(
    [3, 4].map((userId) =>
      caller.app.call('POST', '/debug/user/action', { body: { userId, action: 'CLEAR_LIMITS' } }),
    ),
  );

const isNotice = ({ operation }: Field) =>
  operation.access === 'Signature' || operation.name === 'POST /debug/deposit/{userId}';
const hasNoForm = (raw: string) =>
  raw !== 'null' && !(/^".*"$/.test(raw) && AMOUNT_PATTERN.test(raw.slice(1, -1)));

const nameOf = ({ operation, path }: Pick<Field, 'operation' | 'path'>) =>
  `${operation.name} ${path.join('.')}`;

test('defines a valid sample amount for every decimal field of every body', () => {
  const fields = amountFields();
  expect(fields.map(nameOf)).toEqual(
    expect.arrayContaining([
      'POST /accounting/to-vault amount',
      'POST /accounting/from-vault amount',
      'POST /casino/games/house/dice/bet betAmount',
      'POST /debug/user/create balances.0.amount',
    ]),
  );
  const isWorking = ({ operation }: Field) =>
    isKnownToWork(operation) ||
    [SET_BALANCE, 'PATCH /admin/challenge/{id}'].includes(operation.name) ||
    DECIDED_TOGETHER.has(operation.name);
  expect(fields.filter((field) => !isWorking(field)).map(nameOf)).toEqual([]);
  // Finds, by their names, amount fields whose schema lacks the pattern of an amount.
  const money = /amount|balance|stake|price|limit$|bonus|reward/i;
  const isName = (path: Position['path']) =>
    /^(reward_uuid|bonusCode|bonus_code|rewardCurrency)$/.test(String(path.at(-1)));
  const strings = caller.operations.flatMap((operation) =>
    positionsOf(operation.body ?? {}).flatMap(({ path, schema }) => {
      const isMoney =
        schema.type === 'string' &&
        money.test(String(path.findLast((s) => typeof s === 'string'))) &&
        !isName(path);
      return isMoney && schema.pattern !== AMOUNT_PATTERN.source
        ? [`${operation.name} ${path.join('.')}`]
        : [];
    }),
  );
  // Supplier callbacks have their own formats. Tests below cover them.
  expect(strings.toSorted()).toEqual(
    supplierFields()
      .filter(({ isText }) => isText)
      .map(nameOf)
      .toSorted(),
  );
});

test(`rejects ${TEXTS.length + VALUES.length + RAW.length} malformed amounts in every field with 400 and changes no row`, async () => {
  expect(TEXTS.filter((t, i) => TEXTS.indexOf(t) !== i)).toEqual([]);
  const poison = [...TEXTS, ...VALUES].map((value) => JSON.stringify(value)).concat(RAW);
  // All of these fields have the same schema, so each one gets some of the amounts. A full run sends all of them.
  const isUsual = (field: Field) =>
    !isNotice(field) &&
    !isSideBet(field) &&
    ![DECIDED_TOGETHER, MAY_BE_NULL, MAY_BE_ZERO].some((names) => names.has(field.operation.name));
  const cases = amountFields().flatMap((field, place) => {
    const { name } = field.operation;
    const zeros = MAY_BE_ZERO.has(name) || isSideBet(field) ? [] : ZEROS.map((zero) => JSON.stringify(zero));
    // Signed reports are booked or stored regardless of their content (see test/partner-reports.test.ts).
    if (isPartnerReport(field.operation)) return [];
    if (isNotice(field)) return poison.filter(hasNoForm).map((raw) => ({ field, raw }));
    const bad = MAY_BE_NULL.has(name) || isSideBet(field) ? poison.filter((raw) => raw !== 'null') : poison;
    const sent = isUsual(field) ? shareOf(bad, place) : bad;
    return [...sent, ...zeros].map((raw) => ({ field, raw }));
  });
  const before = await fingerprint(caller.app.db);
  const wrong = await inParallel(cases, async ({ field, raw }) => {
    const { status, body, text } = await sendTo(field, bodyWith(field, raw));
    const codes = ['VALIDATION_FAILED', 'AMOUNT_OUT_OF_RANGE'];
    if (DECIDED_TOGETHER.has(field.operation.name)) codes.push('PROMO_INVALID');
    const isRefused = status === 400 && codes.includes(body.code);
    return isRefused ? [] : [`${nameOf(field)} = ${raw.slice(0, 60)}: ${status} ${text.slice(0, 200)}`];
  });
  expect(wrong.flat()).toEqual([]);
  expect(await fingerprint(caller.app.db)).toEqual(before);
});

test('rejects an amount with a megabyte of digits before reading all of it', async () => {
  const before = await fingerprint(caller.app.db);
  for (const field of amountFields()) {
    const raw = bodyWith(field, `"${'9'.repeat(1024 * 1024)}"`);
    // The service may close the connection before the whole body is sent.
    const status = await sendTo(field, raw).then(
      (answer) => answer.status,
      () => 413,
    );
    expect([nameOf(field), status]).toEqual([nameOf(field), 413]);
  }
  expect(await fingerprint(caller.app.db)).toEqual(before);
});

/** The amounts in supplier callbacks are decimal strings, or whole numbers of the smallest unit. */
const supplierFields = () =>
  caller.operations.filter(dialectOf).flatMap((operation) =>
    positionsOf(operation.body!)
      .filter(({ path, schema }) => /amount$/i.test(String(path.at(-1))) && schema.type !== 'array')
      .map(({ path, schema }) => ({ operation, path, isText: schema.type === 'string' })),
  );
/** Returns true for strings that are not decimals, have too many decimals, are negative, or exceed the ledger's maximum. */
const isNone = (text: string) =>
  !/^(0|[1-9]\d*)(\.\d+)?$/.test(text) || /\.\d{9,}/.test(text) || Number(text) > 92_233_720_369;

const NUMBERS = [
  ...VALUES.filter((value) => value !== 5 && value !== 0 && value !== Number.MAX_SAFE_INTEGER),
  0.5,
  2 ** 63,
  -0.5,
];
/**
 * Returns all combinations of an amount field in a supplier callback and a malformed amount. `areReports` selects the fields of reports
 * instead of those of requests.
 */
const supplierCases = ({ areReports }: { areReports: boolean }) =>
  supplierFields()
    .filter(({ operation }) => isReport(operation) === areReports)
    .flatMap((field) => {
      const texts = TEXTS.filter(isNone).filter(
        (text) =>
          text.isWellFormed() &&
          // Some suppliers' callbacks accept -0 as zero, which is valid.
          text !== '-0' &&
          // An adjustment may be negative, and an empty promotion win is valid.
          !(field.operation.path.endsWith('/adjustment.html') && /^-/.test(text)) &&
          !(field.path.at(-1) === 'promoWinAmount' && text === ''),
      );
      return (field.isText ? texts : [...texts, ...NUMBERS]).map((value) => ({ field, value }));
    });
const sendToSupplierRoute = async ({ field, value }: ReturnType<typeof supplierCases>[number]) => {
  const { operation, path } = field;
  const answer = await caller.send(operation, { body: replaced(fullBody(operation), path, value) });
  const text = `${nameOf(field)} = ${String(value).slice(0, 60)}: ${answer.status} ${answer.text}`;
  return { operation, answer, text };
};

test("rejects malformed amounts in provider requests in each provider's format and changes no row", async () => {
  const cases = supplierCases({ areReports: false });
  expect(new Set(cases.map(({ field }) => nameOf(field))).size).toBeGreaterThan(4);
  const before = await fingerprint(caller.app.db);
  const wrong = await inParallel(cases, async (one) => {
    const { operation, answer, text } = await sendToSupplierRoute(one);
    const isRefused = isMalformed(operation, answer) || answer.body?.status === 'INVALID_REQUEST';
    return isRefused ? [] : [text];
  });
  expect(wrong.flat()).toEqual([]);
  expect(await fingerprint(caller.app.db)).toEqual(before);
});

test('accepts signed payment reports, and stores a finding for staff if the amount cannot be read', async () => {
  // PostgreSQL cannot store the NUL character, so messages that contain it are rejected.
  const cases = supplierCases({ areReports: true }).filter(({ value }) => !String(value).includes('\0'));
  expect(new Set(cases.map(({ field }) => nameOf(field))).size).toBeGreaterThan(6);
  const countFindings = async () => {
    const unbooked = caller.app.db.selectFrom('provider_findings').where('kind', '=', 'UNBOOKED_REPORT');
    return (await unbooked.select('id').execute()).length;
  };
  const before = await countFindings();
  const wrong = await inParallel(cases, async (one) => {
    const { operation, answer, text } = await sendToSupplierRoute(one);
    return isDone(operation, answer) ? [] : [text];
  });
  expect(wrong.flat()).toEqual([]);
  // A report is booked if its amount is a number in JSON notation that the ledger can store, with or without white space around it.
  const isNumber = ({ value }: (typeof cases)[number]) =>
    /^[+-]?\d+\.?\d*(e[+-]?\d+)?$/i.test(String(value).trim());
  const booked = cases.length - ((await countFindings()) - before);
  expect(booked).toBeGreaterThan(0);
  expect(booked).toBeLessThanOrEqual(cases.filter(isNumber).length);
});

test.each(['1', '1.5', '0.5', '1.0', '1.25', '0.010000', '1.000000000000000000'])(
  'accepts the valid amount %s in every field',
  async (amount) => {
    for (const field of amountFields()) {
      if (DECIDED_TOGETHER.has(field.operation.name)) continue;
      // Limits are removed first, because an existing limit could only be lowered.
      if (field.operation.name.includes('-limits/')) await clearLimits();
      const { status, text } = await sendTo(
        field,
        bodyWith(field, JSON.stringify(amount), EQUALS[field.operation.name]),
      );
      const { access, name } = field.operation;
      const due = access === 'Signature' || ANSWER_200.has(name) ? 200 : 201;
      expect([nameOf(field), status, text]).toEqual([nameOf(field), due, text]);
    }
  },
);

/** The largest amount that can be stored, similar amounts, and amounts that overflow when they are added or multiplied. */
const LARGEST = [
  '92233720368.54775807',
  '92233720368',
  '46116860184.27387904',
  '9223372036.85477581',
  '999999999.99999999',
];

test('returns no 5xx for the largest amounts in any staff operation, with or without a second approver', {
  timeout: 600_000,
}, async () => {
  const second = await caller.app.as('superadmin');
  const fields = amountFields().filter(({ operation }) => operation.name in RIGHTS);
  expect(fields.length).toBeGreaterThan(15);
  const wrong: string[] = [];
  for (const field of fields)
    for (const amount of LARGEST) {
      const sent = { raw: bodyWith(field, JSON.stringify(amount)), ...urlOf(field.operation) };
      const first = await caller.send(field.operation, sent);
      const headers = { authorization: `Bearer ${second.token}` };
      const isProposed = first.body?.code === 'APPROVAL_NEEDED';
      const agreed = isProposed ? await caller.send(field.operation, { ...sent, headers }) : first;
      for (const { status, text } of [first, agreed])
        if (status >= 500) wrong.push(`${nameOf(field)} = ${amount}: ${status} ${text}`);
    }
  expect(wrong).toEqual([]);
});
