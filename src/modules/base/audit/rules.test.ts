import { expect, test } from 'vitest';
import { cpuMsOf } from '../../../../test/kit/processes/cpu.ts';
import { maskPersonal, RESPONSE_CLASSES } from './rules.ts';

const shown = (text: string) => maskPersonal(text, () => '***');

test.each([
  ['10.1.2.3', '10.1.*.*'],
  ['10.1.2.3:8080, 10.1.2.4/24; ip=10.1.2.5.', '10.1.*.*:8080, 10.1.*.*/24; ip=10.1.*.*.'],
  ['2001:db8::1', '2001:db8:…'],
  ['ip:2001:db8:1:2:3:4:5:6, [fe80::1%eth0]', 'ip:2001:db8:…, [fe80::…%eth0]'],
  ['::1 ::ffff:10.1.2.3', '::… ::…'],
  ['from 2001:DB8::7: twice', 'from 2001:DB8:… twice'],
  ['1.2.3.4 and 1.2.3.45', '1.2.*.* and 1.2.*.*'],
  ['::ffff:10.1.2.34, 2001:db8::ab12', '::…, 2001:db8:…'],
])('masks the second half of IP addresses: %j', (text, masked) => {
  expect(shown(text)).toBe(masked);
});

test.each([
  '10:30:00',
  '2026-11-21T10:30:00.000Z',
  '12.50',
  '1.2.3',
  '1.2.3.4.5',
  '10.1.2.1234',
  'std::string',
  'a:b',
  'no: yes',
])('keeps strings that are not IP addresses: %j', (text) => {
  expect(shown(text)).toBe(text);
});

test.each([
  ['ann@example.com', '***'],
  ['to "ann.b+c@mail.example.co.uk", please', 'to "***", please'],
  ['a@b.io;c@d.de', '***;***'],
])('masks email addresses: %j', (text, masked) => expect(shown(text)).toBe(masked));

test.each(['@ann', 'ann@', 'ann@example', 'ann@example.c', 'ann@example.42', 'ann @example.com'])(
  'keeps strings that are not email addresses: %j',
  (text) => expect(shown(text)).toBe(text),
);

const masked = (value: unknown) => maskPersonal(value, () => '<email>');

test.each(['7', '#42', ' 12 ', 'f0'.repeat(32), `0x${'AB'.repeat(32)}`])(
  'keeps a number or a transaction hash that staff searched for: %j',
  (q) => expect(masked({ q, take: 5 })).toEqual({ q, take: 5 }),
);

test.each(['alex', 'ann@', '10.1.2', `0x${'ab'.repeat(20)}`, '1a', '12 34', 'f0'.repeat(33)])(
  'masks any other text that staff searched for, at any depth: %j',
  (text) =>
    expect(masked({ q: text, take: 5, of: [{ search: text }], views: [{ name: 'x', query: text }] })).toEqual(
      {
        q: '***',
        take: 5,
        of: [{ search: '***' }],
        views: [{ name: 'x', query: '***' }],
      },
    ),
);

test.each([null, 7, true, ['a'], { a: 1 }])('keeps a search that is not a text: %j', (q) =>
  expect(masked({ q, other: q })).toEqual({ q, other: q }),
);

test('masks adversarial input in linear time', () => {
  for (const piece of ['1.', '1:', ':', 'a:', '1.1.1.', '::1.1.1.']) {
    const text = piece.repeat(5000);
    expect(
      cpuMsOf(() => shown(text)),
      piece,
    ).toBeLessThan(300);
  }
});

test.each([
  [101, 'Informational'],
  [201, 'Successful'],
  [302, 'Redirection'],
  [404, 'Client_Error'],
  [500, 'Server_Error'],
] as const)('classifies status %i as %s', (status, name) => {
  expect(RESPONSE_CLASSES[name]).toBe(Math.floor(status / 100));
});
