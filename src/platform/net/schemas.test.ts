import { expect, test } from 'vitest';
import { httpsUrl, WebUrl } from './schemas.ts';

const INVALID = [
  'https://[',
  'https://%',
  'https://a:99999999',
  'https://a:65536/',
  'https://256.256.256.256/',
  'https://\\evil.example',
  'https://site.example\\@evil.example',
  'https://site.example/\u202emoc.live',
  'https://site.example/a b',
  'https://münchen.example',
  'https:site.example',
  'https://',
  'https:///site.example',
  'https://user:word@site.example',
  'https://user@site.example',
  'javascript:alert(1)',
  'data:text/html,hi',
  '',
];
const VALID = [
  'https://site.example',
  'https://site.example:8443/terms?a=%C3%BC#b',
  'https://site.example?a=1',
];

test.each(INVALID)('rejects the address %j', (text) => {
  expect(httpsUrl(500).safeParse(text).success).toBe(false);
  expect(WebUrl.safeParse(text).success).toBe(false);
});

test.each(VALID)('accepts the address %s', (text) => {
  expect(httpsUrl(500).parse(text)).toBe(text);
  expect(WebUrl.parse(text)).toBe(text);
});

test('rejects http and long addresses where https is required', () => {
  for (const text of ['http://site.example', `https://site.example/${'a'.repeat(490)}`])
    expect(httpsUrl(500).safeParse(text).success, text).toBe(false);
});
