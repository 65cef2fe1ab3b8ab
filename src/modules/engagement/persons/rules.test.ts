import { expect, test } from 'vitest';
import { isSamePerson, isSuspect, type Signal, strengthOf } from './rules.ts';

const PAIRS: readonly Signal[][] = [
  ['NETWORK', 'DEVICE'],
  ['NETWORK', 'PAYOUT_ADDRESS'],
  ['DEVICE', 'PAYOUT_ADDRESS'],
];

test('suspects accounts that share any two signals, or a single signal if it is an identity or a mailbox', () => {
  for (const pair of PAIRS) expect(isSuspect(new Set(pair)), pair.join()).toBe(true);
  for (const one of ['IDENTITY', 'MAILBOX'] as const) expect(isSuspect(new Set([one])), one).toBe(true);
  for (const one of ['NETWORK', 'DEVICE', 'PAYOUT_ADDRESS'] as const)
    expect(isSuspect(new Set([one])), one).toBe(false);
  expect(isSuspect(new Set())).toBe(false);
});

test('treats accounts as one person if they share a personal signal, but not if they share only a network and a browser', () => {
  for (const one of ['IDENTITY', 'MAILBOX', 'PAYOUT_ADDRESS'] as const)
    expect(isSamePerson(new Set([one])), one).toBe(true);
  expect(isSamePerson(new Set(['NETWORK', 'DEVICE']))).toBe(false);
});

test('ranks a certain signal above a personal one, and a personal one above shared places', () => {
  const order: Signal[][] = [
    ['IDENTITY', 'NETWORK'],
    ['MAILBOX'],
    ['PAYOUT_ADDRESS', 'NETWORK', 'DEVICE'],
    ['PAYOUT_ADDRESS'],
    ['NETWORK', 'DEVICE'],
    ['NETWORK'],
    [],
  ];
  const strengths = order.map((signals) => strengthOf(new Set(signals)));
  expect(strengths).toEqual(strengths.toSorted((a, b) => b - a));
  expect(new Set(strengths).size).toBe(order.length);
});
