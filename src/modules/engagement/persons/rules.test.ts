import { expect, test } from 'vitest';
import { isSamePerson, isSuspect, type Signal } from './rules.ts';

const PAIRS: readonly Signal[][] = [
  ['NETWORK', 'DEVICE'],
  ['NETWORK', 'PAYOUT_ADDRESS'],
  ['DEVICE', 'PAYOUT_ADDRESS'],
];

test('suspects any two signals, or only one if it is an identity or a mailbox', () => {
  for (const pair of PAIRS) expect(isSuspect(new Set(pair)), pair.join()).toBe(true);
  for (const one of ['IDENTITY', 'MAILBOX'] as const) expect(isSuspect(new Set([one])), one).toBe(true);
  for (const one of ['NETWORK', 'DEVICE', 'PAYOUT_ADDRESS'] as const)
    expect(isSuspect(new Set([one])), one).toBe(false);
  expect(isSuspect(new Set())).toBe(false);
});

test('treats accounts as one person by any personal signal, never by network and browser', () => {
  for (const one of ['IDENTITY', 'MAILBOX', 'PAYOUT_ADDRESS'] as const)
    expect(isSamePerson(new Set([one])), one).toBe(true);
  expect(isSamePerson(new Set(['NETWORK', 'DEVICE']))).toBe(false);
});
