import { expect, test } from 'vitest';
import { documentsOf } from '../web/lobby/pages/documents.ts';
import { arrivalOf } from '../web/lobby/pages/wallet/arrival.ts';
import { money } from '../web/lobby/words/money.en.ts';

test('says how far a deposit has come', () => {
  const deposit = { amount: '250', currencyId: 'USDT', confirmations: 2, requiredConfirmations: 3 };
  const said = (status: 'DETECTED' | 'CONFIRMING' | 'COMPLETED' | 'UNDER_REVIEW', change: object = {}) =>
    arrivalOf({ ...deposit, ...change, status }, money.history).replaceAll('\u00a0', ' ');
  expect(said('CONFIRMING')).toBe('Deposit of 250.00 USDT: 2 of 3 confirmations');
  expect(said('DETECTED', { confirmations: 0, requiredConfirmations: 0 })).toBe(
    'Deposit of 250.00 USDT: Detected',
  );
  expect(said('COMPLETED')).toBe('250.00 USDT added to your balance');
  expect(said('UNDER_REVIEW')).toBe('Deposit of 250.00 USDT: Under review');
});

test.each(['en', 'de', 'es', 'pt'])('names only documents that have an address: %s', async (language) => {
  const { account } = await import(`../web/lobby/words/account.${language}.ts`);
  const [termsUrl, privacyUrl] = ['https://site.example/terms', 'https://site.example/privacy'];
  const linksOf = (site: Parameters<typeof documentsOf>[0]) =>
    [...account.entry.consent[documentsOf(site)](18).matchAll(/\]\((\w+)\)/g)].map((found) => found[1]);
  expect(linksOf(undefined)).toEqual([]);
  expect(linksOf({ termsUrl: null, privacyUrl: '' })).toEqual([]);
  expect(linksOf({ termsUrl, privacyUrl: null })).toEqual(['terms']);
  expect(linksOf({ termsUrl: null, privacyUrl })).toEqual(['privacy']);
  expect(linksOf({ termsUrl, privacyUrl })).toEqual(['terms', 'privacy']);
});
