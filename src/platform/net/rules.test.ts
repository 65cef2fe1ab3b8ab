import { expect, test } from 'vitest';
import { isPageOf, parseWebUrl } from './rules.ts';

test.each([
  ['https://cdn.example/a.png', 'https://cdn.example/a.png'],
  ['HTTP://CDN.example', 'http://cdn.example/'],
  ['http://cdn.example/ü', 'http://cdn.example/%C3%BC'],
  ['https://', undefined],
  ['https://[', undefined],
  ['https:///site.example', undefined],
  ['https://\\site.example', undefined],
  ['https:site.example', undefined],
  ['https://user:word@site.example', undefined],
  ['https://user@site.example', undefined],
  ['https://:word@site.example', undefined],
  ['xhttps://site.example', undefined],
  ['ftp://site.example', undefined],
  ['javascript:alert(1)', undefined],
  ['/wallet', undefined],
  ['', undefined],
])('parses the address %j as %s', (text, href) => expect(parseWebUrl(text)?.href).toBe(href));

test.each([
  ['https://play.example', true],
  ['https://play.example/wallet?tab=skins#x', true],
  ['https://PLAY.example:443/', true],
  ['http://play.example/', false],
  ['https://play.example:8443/', false],
  ['https://play.example.evil.example/', false],
  ['https://play.example@evil.example/', false],
  ['https://user:secret@play.example/', false],
  ['https://user@play.example/', false],
  ['https://:secret@play.example/', false],
  ['https://play.example\\@evil.example/', false],
  ['https://play.example/\n//evil.example', false],
  [' https://play.example/', false],
  ['https:///play.example/', false],
  ['https:play.example', false],
  ['//evil.example', false],
  ['/wallet', false],
  ['javascript:alert(1)', false],
  ['data:text/html,x', false],
  ['', false],
])('decides whether %s is a valid return page: %s', (address, isOurs) =>
  expect(isPageOf(['https://play.example'], address)).toBe(isOurs),
);
