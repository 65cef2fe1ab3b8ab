import { expect, test } from 'vitest';
import { fixture } from './kit/fixture.ts';
import { ROUND_STARTS } from './kit/games/house-rounds.ts';
import { fingerprint } from './kit/http/fingerprint.ts';
import type { Operation } from './kit/http/openapi.ts';
import { rawRequest } from './kit/http/raw-http.ts';
import {
  examplePath,
  fullBody,
  inParallel,
  isKnownToWork,
  shareOf,
  startCaller,
} from './kit/http/requests.ts';

const caller = fixture(startCaller);

const REFUSED = [
  'application/json\t;charset=utf-8',
  'application/json,text/plain',
  'application/jsonp',
  'application/json/x',
  'application/json x',
  'application/json.',
  'application/x-json',
  'text/json',
  'application/vnd.api+json',
  'application/merge-patch+json',
  'text/plain',
  'text/plain; application/json',
  'text/plain;charset=UTF-8',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  '*/*',
  '',
  'application',
  'json',
  '"application/json"',
  'application/json"',
  'application /json',
  ';application/json',
];
const ACCEPTED = [
  'application/json',
  'APPLICATION/JSON',
  'Application/Json; Charset=UTF-8',
  'application/json;charset=utf-8',
  ' application/json',
  'application/json ',
  '\tapplication/json',
  'application/json\t',
  'application/json ; charset="utf-8"',
];

/** Sends a body in the format of the operation, or no body if the operation has none. */
async function sendAs(operation: Operation, type: string | undefined, body?: string): Promise<number> {
  const headers = {
    ...(await caller.admission(operation, body)),
    ...(type === undefined ? {} : { 'content-type': type }),
  };
  const options = body === undefined ? { headers } : { headers, body };
  return (await rawRequest(caller.app.url, operation.method, examplePath(operation), options)).status;
}

const textOf = (operation: Operation) =>
  operation.body ? caller.written(operation, fullBody(operation)) : undefined;
const MULTIPART = 'multipart/form-data; boundary=x';
const FORM = 'application/x-www-form-urlencoded';
/** Returns the content types that an operation must reject. They include JSON if the operation requires a form. */
const refusedBy = ({ isForm, isUpload }: Operation) => [
  ...REFUSED.filter((type) => !(isForm && type === FORM) && !(isUpload && type === MULTIPART)),
  ...(isForm ? [...ACCEPTED, 'application/x-www-form-urlencoded2'] : []),
];
const changing = () =>
  caller.operations.filter(({ method, name }) => method !== 'GET' && !/log-?out/.test(name));

test('rejects all content types except JSON and forms with 415 in every state-changing operation', async () => {
  // Operations that accept only JSON share a parser, so each one gets some of the types. A full run sends all of them.
  const cases = changing().flatMap((operation, place) => {
    const isUsual = !operation.isForm && !operation.isUpload;
    const types = isUsual ? shareOf(refusedBy(operation), place) : refusedBy(operation);
    return types.map((type) => ({ operation, type }));
  });
  expect(cases.length).toBeGreaterThan(150);
  const before = await fingerprint(caller.app.db);
  const answers = await inParallel(cases, async ({ operation, type }) => {
    const status = await sendAs(operation, type, textOf(operation));
    return `${operation.name} ${JSON.stringify(type)} ${status}`;
  });
  expect(answers.filter((line) => !line.endsWith(' 415'))).toEqual([]);
  expect(await fingerprint(caller.app.db)).toEqual(before);
});

test('rejects JSON labelled as multipart with 400 in upload operations', async () => {
  const takers = changing().filter(({ isUpload }) => isUpload);
  expect(takers.length).toBeGreaterThan(0);
  const before = await fingerprint(caller.app.db);
  for (const operation of takers)
    expect(await sendAs(operation, MULTIPART, textOf(operation) ?? '{}'), operation.name).toBe(400);
  expect(await fingerprint(caller.app.db)).toEqual(before);
});

test('rejects a body without a content type with 415, but not an empty body', async () => {
  const before = await fingerprint(caller.app.db);
  for (const operation of changing()) {
    expect(await sendAs(operation, undefined, textOf(operation) ?? '{}'), operation.name).toBe(415);
  }
  expect(await fingerprint(caller.app.db)).toEqual(before);
  for (const operation of changing())
    expect(await sendAs(operation, undefined), operation.name).not.toBe(415);
});

test('accepts every spelling of the JSON content type', async () => {
  // An open round would block the next one.
  const isRepeatable = ({ path }: Operation) => !path.includes('from-vault') && !ROUND_STARTS[path];
  const operations = changing().filter((o) => isKnownToWork(o) && isRepeatable(o) && !o.isForm);
  expect(operations.length).toBeGreaterThan(4);
  const cases = operations.flatMap((operation) => ACCEPTED.map((type) => ({ operation, type })));
  const answers = await inParallel(cases, async ({ operation, type }) => {
    const status = await sendAs(operation, type, textOf(operation));
    return `${operation.name} ${JSON.stringify(type)} ${status}`;
  });
  expect(answers.filter((line) => !/ 20[01]$/.test(line))).toEqual([]);
});

test('accepts every spelling of the form content type', async () => {
  const operations = changing().filter(({ isForm }) => isForm);
  expect(operations.length).toBeGreaterThan(0);
  const spelled = ACCEPTED.map((type) => type.replace(/application\/json/i, FORM));
  const answers = await inParallel(
    operations.flatMap((operation) => spelled.map((type) => ({ operation, type }))),
    async ({ operation, type }) =>
      `${operation.name} ${type} ${await sendAs(operation, type, textOf(operation))}`,
  );
  // Callbacks from identity providers get a redirect as the response.
  expect(answers.filter((line) => !/ (200|303)$/.test(line))).toEqual([]);
});

test('ignores the charset of the content type', async () => {
  const operation = caller.operations.find((o) => o.path.endsWith('/dice/bet'))!;
  const headers = {
    ...(await caller.admission(operation)),
    'content-type': 'application/json; charset=utf-16le',
  };
  for (const body of [
    Buffer.from(textOf(operation)!, 'utf16le'),
    Buffer.from('{"currencyId":"\xe9"}', 'latin1'),
  ]) {
    const { status } = await rawRequest(caller.app.url, 'POST', operation.path, { headers, body });
    expect(status).toBe(400);
  }
});
