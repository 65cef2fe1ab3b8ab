import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { chatErrors } from '../src/modules/engagement/chat/schemas.ts';
import { realtimeErrors } from '../src/realtime/errors.ts';
import { refusalTextIn } from '../web/lobby/refusal-text.ts';
import * as inGerman from '../web/lobby/words/codes.de.ts';
import * as inEnglish from '../web/lobby/words/codes.en.ts';
import * as inSpanish from '../web/lobby/words/codes.es.ts';
import * as inPortuguese from '../web/lobby/words/codes.pt.ts';

const [en, de, es, pt] = [inEnglish.codes, inGerman.codes, inSpanish.codes, inPortuguese.codes];

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

describe('an address that cannot be paid', () => {
  const source = readFileSync('src/modules/money/payments/recipient.ts', 'utf8');
  const [, union = ''] = /type UnpayableReason = ([^;]+);/.exec(source)!;
  const reasons = [...union.matchAll(/'(\w+)'/g)].map((found) => found[1]!);
  const texts = { en: inEnglish, de: inGerman, es: inSpanish, pt: inPortuguese };

  test.each(Object.entries(texts))('is explained for each reason of the server: %s', (_, all) => {
    expect(reasons).toContain('OWN_DEPOSIT_ADDRESS');
    const refusal = (reason: string) =>
      refusalTextIn(all)({
        code: 'RECIPIENT_ADDRESS_INVALID',
        message: 'of the server',
        details: { reason },
      });
    expect(new Set(Object.keys(all.addressReasons))).toEqual(new Set(reasons));
    expect(new Set(reasons.map(refusal)).size).toBe(reasons.length);
    for (const reason of reasons) expect(refusal(reason)).not.toBe(all.codes.RECIPIENT_ADDRESS_INVALID);
    expect(refusal('NOT_AN_ADDRESS')).toBe(all.codes.RECIPIENT_ADDRESS_INVALID);
  });
});
