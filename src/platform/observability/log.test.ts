import { describe, expect, test } from 'vitest';
import { createLog, type Logs } from './log.ts';
import { LEVELS, LOGGERS } from './loggers.ts';

function start(level = 'info'): { log: Logs; written: string[]; entries: () => Record<string, any>[] } {
  const written: string[] = [];
  const log = createLog({
    level,
    service: 'test',
    destination: { write: (line) => void written.push(line) },
  });
  return { log, written, entries: () => written.map((line) => JSON.parse(line)) };
}

/** Control characters, line separators and text direction marks. */
const MISLEADING = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;

describe('log lines', () => {
  const BREAKOUTS = [
    'a\r\nb',
    'a\n{"level":"error","msg":"forged"}',
    '"}\n{"level":"error","msg":"forged"}',
    '\u001b[31mred\u001b[0m',
    '\u009b31mred',
    '\u0085\u2028\u2029',
    '\u202egnp.exe\u2066',
    '\u007f\b\b\b',
    '\\u000a\\n',
    '%s %j %o %d',
    '\ud800',
    '</script><script>alert(1)</script>',
  ];

  test.each(BREAKOUTS)('writes one line of JSON when any field contains %j', (text) => {
    const { log, written, entries } = start();
    log.info({ text, deep: [{ text }], [text]: text }, text);
    log.child({ text }).warn({}, text);
    log.named('http').error({ error: new Error(text) }, 'failed');
    expect(written).toHaveLength(3);
    for (const line of written) {
      expect(line.endsWith('\n')).toBe(true);
      expect(line.slice(0, -1)).not.toMatch(MISLEADING);
    }
    expect(entries().map((e) => [e.level, e.service])).toEqual([
      ['info', 'test'],
      ['warn', 'test'],
      ['error', 'test'],
    ]);
    expect(entries()[0]!.msg).not.toBe('forged');
  });

  test.each(LEVELS)('redacts secrets at level %s as at any other level', (level) => {
    const { log, written } = start('trace');
    const secret = 'canary_0123456789abcdef';
    const facts = {
      password: secret,
      a: { b: { c: { token: secret } } },
      url: `/x?token=${secret}`,
      list: [`Bearer ${secret}`],
    };
    log[level](facts, `called with Bearer ${secret}`);
    log.named('auth').child({ cookie: secret })[level](facts, 'again');
    expect(written).toHaveLength(2);
    for (const line of written) expect(line).not.toContain(secret);
  });
});

test("uses the logger's own level or the default, and resets all levels with {}", () => {
  const { log, entries } = start('warn');
  const child = log.named('http').child({ requestId: 'r' });
  const say = () => {
    const from = entries().length;
    log.info({}, 'own');
    log.named('http').debug({}, 'http');
    child.debug({}, 'child');
    log.named('db').info({}, 'db');
    return entries()
      .slice(from)
      .map((e) => [e.logger, e.msg]);
  };
  expect(say()).toEqual([]);
  log.setLevels({ http: 'debug' });
  expect(say()).toEqual([
    ['http', 'http'],
    ['http', 'child'],
  ]);
  log.setLevels({ default: 'info', http: 'error' });
  expect(say()).toEqual([
    [undefined, 'own'],
    ['db', 'db'],
  ]);
  expect(log.levels()).toEqual({
    ...Object.fromEntries(LOGGERS.map((n) => [n, 'info'])),
    default: 'info',
    http: 'error',
  });
  log.setLevels({});
  expect(say()).toEqual([]);
  expect(new Set(Object.values(log.levels()))).toEqual(new Set(['warn']));
});
