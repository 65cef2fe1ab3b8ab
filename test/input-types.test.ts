import { expect, test, vi } from 'vitest';
import { mainRoutes } from '../src/app/apps.ts';
import { takesBytes } from '../src/http/route.ts';
import { fixture } from './kit/fixture.ts';
import {
  dialectOf,
  formValue,
  isDone,
  isMalformed,
  isPartnerReport,
  isReport,
  takesMoreFields,
} from './kit/games/supplier-calls.ts';
import { fingerprint } from './kit/http/fingerprint.ts';
import { misfits, type Operation, type Schema } from './kit/http/openapi.ts';
import {
  examplePath,
  fullBody,
  inParallel,
  inTurn,
  positionsIn,
  replaced,
  shareOf,
  startCaller,
  TAKES_MORE,
} from './kit/http/requests.ts';

// The test sends requests for each field, so its duration grows with the number of operations.
vi.setConfig({ testTimeout: 360_000, hookTimeout: 180_000 });

const caller = fixture(startCaller);

/** Values that a coercing framework would convert (null → false, [7] → "7", true → 1 …). */
const CONFUSIONS: readonly unknown[] = [
  null,
  true,
  false,
  0,
  1,
  -1,
  0.5,
  1e21,
  -1e21,
  2 ** 53,
  {},
  { a: 1 },
  { $gt: '' },
  [],
  [null],
  [[]],
  '',
  ' ',
  '0',
  '1',
  'true',
  'null',
  'NaN',
  'Infinity',
  '-Infinity',
  '0x10',
  '1e3',
  '-0',
  '+5',
  ' 5 ',
  '.5',
  '5.',
  '1,5',
  '٣',
  '１',
  '1_000',
  '0.1000000000000000001',
  '9'.repeat(40),
  '[object Object]',
];

type Case = { operation: Operation; at: string; body: unknown };

/** Returns the cases of each field. */
function casesOf(operation: Operation): Case[][] {
  const good = fullBody(operation);
  expect(misfits(operation.body!, good)).toEqual([]);
  return positionsIn(operation.body!, good).map(({ path, schema }) => {
    const here = path.reduce((value, step) => value?.[step], good);
    // All fields of a form are strings and may have any content.
    if (operation.isForm && path.length === 0) return [];
    const sent = operation.isForm ? formValue : (value: unknown) => value;
    return (
      [...CONFUSIONS, [here]]
        // A person may have only one name, so null counts as absent.
        .filter((value) => value !== null || !/^(first|last)Name$/.test(String(path.at(-1))))
        .filter((value) => misfits(schema, sent(value)).length > 0)
        .map((value) => ({ operation, at: path.join('.'), body: replaced(good, path, value) }))
    );
  });
}

/** Returns the cases that the schema of the operation's route accepts. Forms and signed callbacks are read in other ways. */
function acceptedBySchema(cases: readonly Case[]): string[] {
  const routes = new Map(mainRoutes(caller.app.services).map((r) => [`${r.method} ${r.path}`, r]));
  return cases.flatMap(({ operation, at, body }) => {
    const route = routes.get(operation.name)!;
    if (!route.body || route.form || takesBytes(route) || route.access === 'signature') return [];
    return route.body.safeParse(body).success ? [`${operation.name} ${JSON.stringify(body)} at ${at}`] : [];
  });
}

test('rejects values of another type in every field of every body and changes nothing', async () => {
  const fields = caller.operations
    .filter((o) => o.body && !isPartnerReport(o) && !isReport(o))
    .flatMap(casesOf);
  expect(acceptedBySchema(fields.flat())).toEqual([]);
  // Only some of the invalid values of each field are sent. A full run sends all of them.
  const cases = fields.flatMap(shareOf);
  expect(cases.length).toBeGreaterThan(400);
  const before = await fingerprint(caller.app.db);
  const wrong = await inParallel(cases, async ({ operation, at, body }) => {
    const answer = await caller.send(operation, { body });
    const fields: { path: string }[] = answer.body?.details?.fields ?? [];
    // Supplier errors do not name the invalid field.
    const isNamed =
      takesMoreFields(operation) ||
      fields.some(({ path }) => path === at || at === '' || path.startsWith(`${at}.`));
    // A provider's callback with an unknown action is stored as a report instead of being rejected.
    const isStored = dialectOf(operation) !== undefined && /action$/.test(at) && isDone(operation, answer);
    const isRefused = isStored || (isMalformed(operation, answer) && isNamed);
    return isRefused
      ? []
      : [`${operation.name} ${JSON.stringify(body)} at ${at}: ${answer.status} ${answer.text}`];
  });
  expect(wrong.flat()).toEqual([]);
  expect(await fingerprint(caller.app.db)).toEqual(before);
});

test('rejects a body for operations that accept no body', async () => {
  const operations = caller.operations.filter(
    // Sign-out is excluded, because each request would need a new player, and creating one is a change.
    ({ body, method, name }) => !body && method !== 'GET' && !/log-?out/.test(name),
  );
  const bodies = ['null', 'true', '0', '5', '""', '"x"', '[]', '[1]', '[{}]', '{"a":1}', '{"a":null}'];
  const cases = operations.flatMap((operation) => bodies.map((raw) => ({ operation, raw })));
  expect(cases.length).toBeGreaterThan(20);
  const before = await fingerprint(caller.app.db);
  const statuses = await inParallel(
    cases,
    async ({ operation, raw }) =>
      `${operation.name} ${raw} ${(await caller.send(operation, { raw })).status}`,
  );
  expect(statuses.filter((line) => !line.endsWith(' 400'))).toEqual([]);
  expect(await fingerprint(caller.app.db)).toEqual(before);
});

/** Strings that are rejected where a number is expected, because only plain decimal notation is accepted. */
const NO_NUMBERS = [
  '',
  '%20',
  '+1',
  '%201',
  '1%20',
  '1e1',
  '0x1',
  '01',
  '1_0',
  'true',
  'null',
  'NaN',
  'Infinity',
  '٣',
  '1,0',
];
const NO_INTEGERS = [...NO_NUMBERS, '1.5', '-1', '9007199254740993', '1'.repeat(400)];
const NO_TEXT: string[] = [];

function wrongTexts({ type, enum: values, nullable }: Schema): string[] {
  // In a query field that allows null, the text `null` means null.
  if (nullable) return wrongTexts({ type, enum: values } as Schema).filter((text) => text !== 'null');
  if (values) return ['', 'nothing', `${values[0]}%20`, `${values[0]}x`];
  return (
    { integer: NO_INTEGERS, number: NO_NUMBERS, boolean: ['', '1', '0', 'TRUE', 'yes'] }[type as 'integer'] ??
    NO_TEXT
  );
}

test('accepts query parameters only in plain notation, and each parameter only once', async () => {
  const cases = caller.operations.flatMap((operation) =>
    operation.parameters
      .filter((p) => p.in === 'query')
      .flatMap(({ name, schema }) => {
        const twice = schema.type === 'array' ? [] : [`${name}=1&${name}=2`];
        const texts = wrongTexts(schema).map((text) => `${name}=${text}`);
        const others = [`${name}[]=1`, `${name}[a]=1`, `${name}.a=1`, `${name.toUpperCase()}=1`];
        const unknown = TAKES_MORE.has(operation.name) ? [] : others;
        return [...twice, ...texts, ...unknown].map((query) => ({ operation, query }));
      }),
  );
  expect(cases.length).toBeGreaterThan(60);
  const before = await fingerprint(caller.app.db);
  const statuses = await inParallel(inTurn(cases), async ({ operation, query }) => {
    const answer = await caller.send(operation, { url: `${examplePath(operation).split('?')[0]}?${query}` });
    return `${operation.name} ?${query} ${answer.status} ${answer.body?.code}`;
  });
  expect(statuses.filter((line) => !line.endsWith(' 400 VALIDATION_FAILED'))).toEqual([]);
  expect(await fingerprint(caller.app.db)).toEqual(before);
});
