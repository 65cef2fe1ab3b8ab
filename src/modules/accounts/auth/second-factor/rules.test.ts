import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { RECOVERY_CODE_BYTES, readCode, spellRecoveryCode } from './factor.ts';

test('reads six digits as an app code, ignoring spaces and hyphens', () => {
  for (const text of ['012345', '012 345', ' 012345 ', '012-345'])
    expect(readCode(text)).toEqual({ kind: 'TOTP', code: '012345' });
});

test('reads recovery codes in any case and spacing, and replaces look-alike letters', () => {
  const read = { kind: 'RECOVERY', code: '01AB23CD45EF67GH' };
  for (const text of [
    '01AB-23CD-45EF-67GH',
    '01ab23cd45ef67gh',
    ' 01AB 23CD 45EF 67GH',
    'OIAB-23CD-45EF-67GH',
    'oLab23cd45ef67gh',
  ])
    expect(readCode(text), text).toEqual(read);
});

test('rejects any other string as a code', () => {
  for (const text of [
    '',
    ' ',
    '12345',
    '1234567',
    '12345a',
    '１２３４５６',
    '٠١٢٣٤٥',
    '1e5',
    '01AB-23CD-45EF-67G',
    '01AB-23CD-45EF-67GHJ',
    '01AB-23CD-45EF-67GU',
    '01AB-23CD-45EF-67G🎲',
  ])
    expect(readCode(text), text).toBeUndefined();
});

test('encodes all 80 bits of a recovery code', () => {
  expect(RECOVERY_CODE_BYTES * 8).toBe(80);
  expect(spellRecoveryCode(Buffer.alloc(10))).toBe('0000-0000-0000-0000');
  expect(spellRecoveryCode(Buffer.alloc(10, 255))).toBe('ZZZZ-ZZZZ-ZZZZ-ZZZZ');
  const spelt = new Set<string>();
  for (let bit = 0; bit < 80; bit++) {
    const bytes = Buffer.alloc(10);
    bytes[bit >> 3] = 1 << (bit & 7);
    spelt.add(spellRecoveryCode(bytes));
  }
  expect(spelt.size).toBe(80);
  for (let i = 0; i < 100; i++) {
    const text = spellRecoveryCode(randomBytes(10));
    expect(text).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){3}$/);
    expect(readCode(text)).toEqual({ kind: 'RECOVERY', code: text.replaceAll('-', '') });
  }
});
