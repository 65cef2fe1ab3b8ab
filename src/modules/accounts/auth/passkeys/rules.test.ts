import { describe, expect, test } from 'vitest';
import { readClientData } from './client-data.ts';
import { isCopy, knownTransports } from './rules.ts';

const CHALLENGE = 'c'.repeat(43);
const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('readClientData', () => {
  test.each([
    ['a page', { challenge: CHALLENGE }, false],
    ['a page that says so', { challenge: CHALLENGE, crossOrigin: false, type: 'webauthn.get' }, false],
    ['a frame', { challenge: CHALLENGE, crossOrigin: true }, true],
    ['a frame that names its top', { challenge: CHALLENGE, topOrigin: 'https://evil.example' }, true],
    ['a frame without a name', { challenge: CHALLENGE, crossOrigin: false, topOrigin: '' }, true],
  ])('%s', (_, data, isFramed) => {
    expect(readClientData(encoded(data))).toEqual({ challenge: CHALLENGE, isFramed });
  });

  test.each([
    ['no challenge', encoded({ type: 'webauthn.get' })],
    ['a challenge of another length', encoded({ challenge: 'c'.repeat(42) })],
    ['a longer one', encoded({ challenge: 'c'.repeat(44) })],
    ['a challenge with other characters', encoded({ challenge: `${'c'.repeat(42)}+` })],
    ['a challenge that is no text', encoded({ challenge: 7 })],
    ['a flag that is no flag', encoded({ challenge: CHALLENGE, crossOrigin: 'no' })],
    ['a top that is no text', encoded({ challenge: CHALLENGE, topOrigin: 1 })],
    ['a list', encoded([CHALLENGE])],
    ['null', encoded(null)],
    ['no JSON', Buffer.from('{"challenge":').toString('base64url')],
    ['nothing', ''],
  ])('%s is none of ours', (_, text) => {
    expect(readClientData(text)).toBeUndefined();
  });
});

test.each([
  [0n, 0n, false],
  [0n, 1n, false],
  [1n, 2n, false],
  [41n, 4_294_967_295n, false],
  [1n, 1n, true],
  [2n, 1n, true],
  [1n, 0n, true],
  [4_294_967_295n, 0n, true],
])('isCopy: after %s uses one that counts %s: %s', (stored, seen, copied) => {
  expect(isCopy({ stored, seen })).toBe(copied);
});

test('knownTransports: those that browsers know, once each, in one order', () => {
  expect(knownTransports(['usb', 'nfc', 'usb', 'carrier-pigeon', 'ble'])).toEqual(['ble', 'nfc', 'usb']);
  expect(knownTransports(['hybrid', 'internal', 'smart-card', 'cable'])).toEqual([
    'cable',
    'hybrid',
    'internal',
    'smart-card',
  ]);
  expect(knownTransports([])).toEqual([]);
  expect(knownTransports(undefined)).toEqual([]);
});
