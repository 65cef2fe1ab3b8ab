import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { chatErrors } from '../src/modules/engagement/chat/schemas.ts';
import { realtimeErrors } from '../src/realtime/errors.ts';
import { codes as de } from '../web/lobby/words/codes.de.ts';
import { codes as en } from '../web/lobby/words/codes.en.ts';
import { codes as es } from '../web/lobby/words/codes.es.ts';
import { codes as pt } from '../web/lobby/words/codes.pt.ts';

type Operation = { responses: Record<string, { description: string }> };
const { paths } = JSON.parse(readFileSync('docs/openapi/main.json', 'utf8')) as {
  paths: Record<string, Record<string, Operation>>;
};

/** Messages that the page itself shows when it gets no response. */
const OF_THE_PAGE = ['NO_ANSWER'];
/** Operations that are opened by a link. Their errors appear in the URL of the page to which they redirect. */
const BY_LINK = ['google', 'steam'].flatMap((provider) => [
  `GET /auth/${provider}`,
  `GET /auth/${provider}/${provider === 'google' ? 'callback' : 'return'}`,
]);
/** Chat errors that only staff receive. */
const OF_STAFF = ['CHAT_ACTION_UNKNOWN', 'CHAT_MESSAGE_NOT_FOUND'];
/** Errors of chat messages. Pages never show other errors of sockets. */
const OF_THE_CHAT = [
  ...Object.keys(chatErrors).filter((code) => !OF_STAFF.includes(code)),
  ...['RATE_LIMITED', 'SHUTTING_DOWN'].filter((code) => code in realtimeErrors),
];

const sources = globSync(['{web/lobby,web/kit}/**/*.{ts,tsx}', 'client/call.ts']).map((file) =>
  readFileSync(file, 'utf8'),
);
const literals = new Set(
  sources.flatMap((source) =>
    [...source.matchAll(/['"]((?:GET|POST|PUT|PATCH|DELETE) \/[^'"]*)['"]/g)].map((m) => m[1]!),
  ),
);

/** Returns an operation's error codes. In the OpenAPI document each code begins a paragraph in the description of its response. */
function codesOf(op: string): string[] {
  const [method, path] = op.split(' ') as [string, string];
  const operation = paths[path]?.[method.toLowerCase()];
  if (!operation) return [];
  return Object.entries(operation.responses)
    .filter(([status]) => Number(status) >= 400)
    .flatMap(([, { description }]) => [...description.matchAll(/^`([A-Z0-9_]+)`/gm)].map((m) => m[1]!));
}

const answered = new Set([...OF_THE_PAGE, ...OF_THE_CHAT, ...[...literals, ...BY_LINK].flatMap(codesOf)]);

test.each(Object.entries({ en, de, es, pt }))(
  'has words for every error that a player can receive: %s',
  (_, codes) => {
    expect(literals.size).toBeGreaterThan(100);
    expect([...answered].filter((code) => !(code in codes))).toEqual([]);
  },
);

test('contains no messages for errors that are never returned', () => {
  expect(Object.keys(en).filter((code) => !answered.has(code))).toEqual([]);
});

test('calls only operations that exist', () => {
  const unknown = [...literals].filter((op) => codesOf(op).length === 0);
  expect(unknown).toEqual([]);
});
