import { describe, expect, test } from 'vitest';
import { readClientData } from './options.ts';
import { isCopy } from './verify.ts';
import { knownTransports } from './webauthn.ts';

const CHALLENGE = 'c'.repeat(43);
const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('readClientData', () => {
  test.each([
    ['a page', { challenge: CHALLENGE }, false],
    [
      'a page with crossOrigin false',
      { challenge: CHALLENGE, crossOrigin: false, type: 'webauthn.get' },
      false,
    ],
    ['a frame with crossOrigin true', { challenge: CHALLENGE, crossOrigin: true }, true],
    ['a frame with topOrigin', { challenge: CHALLENGE, topOrigin: 'https://evil.example' }, true],
    ['a frame with an empty topOrigin', { challenge: CHALLENGE, crossOrigin: false, topOrigin: '' }, true],
  ])(
    'extracts the challenge, and whether the page is framed, from client data of %s',
    (_, data, isFramed) => {
      expect(readClientData(encoded(data))).toEqual({ challenge: CHALLENGE, isFramed });
    },
  );

  test.each([
    ['a missing challenge', encoded({ type: 'webauthn.get' })],
    ['a challenge that is too short', encoded({ challenge: 'c'.repeat(42) })],
    ['a challenge that is too long', encoded({ challenge: 'c'.repeat(44) })],
    ['a challenge with invalid characters', encoded({ challenge: `${'c'.repeat(42)}+` })],
    ['a challenge that is not a string', encoded({ challenge: 7 })],
    ['a crossOrigin that is not a boolean', encoded({ challenge: CHALLENGE, crossOrigin: 'no' })],
    ['a topOrigin that is not a string', encoded({ challenge: CHALLENGE, topOrigin: 1 })],
    ['an array', encoded([CHALLENGE])],
    ['null', encoded(null)],
    ['invalid JSON', Buffer.from('{"challenge":').toString('base64url')],
    ['an empty string', ''],
  ])('rejects client data with %s', (_, text) => {
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
])(
  'reports whether a single-device passkey is a copy when its counter goes from %s to %s: %s',
  (stored, seen, copied) => {
    expect(isCopy({ stored, seen, isMultiDevice: false })).toBe(copied);
    expect(isCopy({ stored, seen, isMultiDevice: true })).toBe(false);
  },
);

test('keeps only known transports, and sorts them without duplicates', () => {
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
