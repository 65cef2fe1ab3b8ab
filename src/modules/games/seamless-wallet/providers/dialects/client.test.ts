import { expect, test } from 'vitest';
import { imagesOf } from './client.ts';

test("percent-encodes a provider's pictures, and drops addresses that are invalid, not of the web, too long or have a password", () => {
  const invalid = ['https://[', 'https://%', 'https://a:99999999/a.png', 'https://u:p@cdn.example/a.png'];
  const others = ['javascript:alert(1)', 'data:image/png,x', 'https:a', '/a.png', '', null, undefined];
  const long = `https://cdn.example/${'a'.repeat(1000)}`;
  const given = ['https://cdn.example/a.png', 'http://cdn.example/ü\u202e.png'];
  expect(imagesOf(...given, ...invalid, ...others, long)).toEqual([
    'https://cdn.example/a.png',
    'http://cdn.example/%C3%BC%E2%80%AE.png',
  ]);
});
