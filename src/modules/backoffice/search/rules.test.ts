import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Term, termOf } from './rules.ts';

const UUID = '01926f3a-7c3e-7d2a-9c1b-3f5e8a7b6c5d';
const HASH = 'A1'.repeat(32);
const TRON = 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8';
const EVM = '0xAb5801a7D398351b8bE11C439e05C5B3259aeC9B';
const SOLANA = '5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW';

const readings = (q: string) =>
  Object.entries(termOf(q) ?? {}).flatMap(([name, value]) => (value === undefined ? [] : [name]));

describe('the readings of a search text', () => {
  test.each<[string, Partial<Term>]>([
    ['alex', { name: 'alex', username: 'alex' }],
    [' Alex_7 ', { name: 'alex_7', username: 'alex_7' }],
    ['a'.repeat(20), { name: 'a'.repeat(20), username: 'a'.repeat(20) }],
    ['a'.repeat(21), { name: 'a'.repeat(21) }],
    ['Sweet Bonanza', { name: 'sweet bonanza' }],
    ['7', { name: '7', username: '7', id: 7, betId: 7n }],
    ['#42', { name: '#42', id: 42, betId: 42n }],
    ['##42', { name: '##42' }],
    ['42#', { name: '42#' }],
    ['0', { name: '0', username: '0' }],
    ['2147483647', { id: 2_147_483_647 }],
    ['2147483648', { id: undefined, betId: 2_147_483_648n }],
    ['9223372036854775807', { betId: 9_223_372_036_854_775_807n }],
    ['9223372036854775808', { betId: undefined }],
    [UUID.toUpperCase(), { name: undefined, uuid: UUID }],
    ['Ann@web.example', { name: undefined, email: 'ann@web.example' }],
    ['ann@', { name: undefined, email: 'ann@' }],
    ['@ann', { name: '@ann' }],
    ['an n@web.example', { email: undefined }],
    ['a@b@c', { name: 'a@b@c' }],
    ['203.0.113.7', { name: undefined, ip: '203.0.113.7' }],
    ['2001:DB8::1', { name: undefined, ip: '2001:db8::1' }],
    ['203.0.113', { ip: undefined }],
    ['abc12', { reference: undefined }],
    ['abc123', { reference: 'abc123', hashes: ['abc123', '0xabc123'], address: undefined }],
    ['Xyz123', { reference: 'Xyz123', hashes: ['xyz123', 'Xyz123'] }],
    ['abcdef', { reference: undefined, hashes: undefined }],
    ['abc 1234', { reference: undefined, hashes: undefined }],
    [`${'x1'.repeat(100)}`, { reference: 'x1'.repeat(100) }],
    [`${'x1'.repeat(100)}x`, { reference: undefined }],
    [HASH, { hashes: [HASH.toLowerCase(), `0x${HASH.toLowerCase()}`, HASH] }],
    [
      SOLANA,
      { hashes: [SOLANA.toLowerCase(), SOLANA], address: { key: SOLANA, lower: SOLANA.toLowerCase() } },
    ],
    [TRON, { address: { key: TRON, lower: TRON.toLowerCase() }, username: undefined }],
    [EVM, { address: { key: EVM.toLowerCase(), lower: EVM.toLowerCase() } }],
    ['a1'.repeat(13), { address: { key: 'a1'.repeat(13), lower: 'a1'.repeat(13) } }],
    [`${'a1'.repeat(12)}a`, { address: undefined }],
    ['a1'.repeat(55), { address: { key: 'a1'.repeat(55), lower: 'a1'.repeat(55) } }],
    [`${'a1'.repeat(55)}a`, { address: undefined }],
  ])('reads %s', (q, due) => {
    const term = termOf(q)!;
    const read = Object.keys(due).map((name) => [name, term[name as keyof Term]]);
    expect(Object.fromEntries(read)).toEqual(due);
  });

  test('reads a UUID, an email address, an IP address and a phrase in only one way', () => {
    expect(readings(UUID)).toEqual(['uuid']);
    expect(readings('ann@web.example')).toEqual(['email']);
    expect(readings('203.0.113.71')).toEqual(['ip']);
    expect(readings('sweet bonanza')).toEqual(['name']);
    expect(readings('alexander')).toEqual(['name', 'username']);
  });

  test('ignores a blank text', () => {
    for (const q of ['', ' ', '\t\n ']) expect(termOf(q)).toBeUndefined();
  });

  test('reads every text the same with blanks around it', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), (q) => {
        const term = termOf(q);
        expect(termOf(` ${q}\n`)).toEqual(term);
        if (term?.name) expect(term.name).toBe(q.trim().toLowerCase());
      }),
      { seed: 127 },
    );
  });
});
