import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  addressKey,
  addressPatternOf,
  canTransition,
  DEPOSIT_STATUSES,
  type DepositStatus,
  differences,
  hashForms,
  OPEN_STATUSES,
  objectionsTo,
  outputKey,
  statusOf,
  storedHash,
} from './rules.ts';

test('no deposit ever comes back to a status that it has left, and money ends as COMPLETED or REVERSED', () => {
  const reachable = (from: DepositStatus): Set<DepositStatus> => {
    const seen = new Set<DepositStatus>();
    const walk = (at: DepositStatus) => {
      for (const to of DEPOSIT_STATUSES.filter((next) => canTransition(at, next) && !seen.has(next))) {
        seen.add(to);
        walk(to);
      }
    };
    walk(from);
    return seen;
  };
  for (const status of DEPOSIT_STATUSES) expect(reachable(status).has(status), status).toBe(false);
  expect([...reachable('COMPLETED')]).toEqual(['REVERSED']);
  expect([...reachable('REVERSED'), ...reachable('RETURNED')]).toEqual([]);
  expect(canTransition('UNDER_REVIEW', 'COMPLETED')).toBe(false);
  for (const status of DEPOSIT_STATUSES)
    expect(canTransition(status, 'REVERSED'), status).toBe(!['REVERSED', 'RETURNED'].includes(status));
});

const ENDS: DepositStatus[] = ['UNDER_REVIEW', 'ON_HOLD', 'RETURNED', 'FAILED', 'REVERSED'];
test.each<[DepositStatus, DepositStatus[]]>([
  ['CREATED', ['DETECTED', 'CONFIRMING', 'COMPLETED', 'PARTIALLY_PAID', 'EXPIRED', ...ENDS]],
  ['DETECTED', ['CONFIRMING', 'COMPLETED', 'PARTIALLY_PAID', 'EXPIRED', ...ENDS]],
  ['CONFIRMING', ['COMPLETED', ...ENDS]],
  ['COMPLETED', ['REVERSED']],
  ['PARTIALLY_PAID', ['CONFIRMING', 'COMPLETED', 'EXPIRED', ...ENDS]],
  ['EXPIRED', ['CONFIRMING', 'COMPLETED', ...ENDS]],
  ['UNDER_REVIEW', ['RETURNED', 'REVERSED']],
  ['ON_HOLD', ['COMPLETED', 'REVERSED']],
  ['RETURNED', []],
  ['FAILED', ['COMPLETED', 'UNDER_REVIEW', 'ON_HOLD', 'RETURNED', 'REVERSED']],
  ['REVERSED', []],
])('after %s may come %j and nothing else', (from, allowed) => {
  expect(DEPOSIT_STATUSES.filter((to) => canTransition(from, to))).toEqual(allowed);
});

test('open is what may still be completed and is waited for', () => {
  const open = ['CREATED', 'DETECTED', 'CONFIRMING', 'PARTIALLY_PAID'];
  expect(DEPOSIT_STATUSES.filter((status) => OPEN_STATUSES.includes(status))).toEqual(open);
});

test('COMPLETED means the depth of the network and a transaction; no count leaves the depth to the provider', () => {
  const meant = (confirmations: number, txHash: string | null = 'a') =>
    statusOf({ status: 'COMPLETED', confirmations, txHash }, 12);
  expect([0, 1, 11, 12, 13].map((n) => meant(n))).toEqual([
    'COMPLETED',
    'CONFIRMING',
    'CONFIRMING',
    'COMPLETED',
    'COMPLETED',
  ]);
  expect(meant(30, null)).toBe('CONFIRMING');
  expect(statusOf({ status: 'CONFIRMING', confirmations: 99, txHash: 'a' }, 12)).toBe('CONFIRMING');
});

test('an output has one name however its hash is written, and a hash of any length fits into the ledger', () => {
  const hex = 'aB'.repeat(32);
  const key = (txHash: string | null, outputIndex = 0) =>
    outputKey({ networkId: 'ethereum', txHash, outputIndex });
  expect(
    new Set([hex, `0x${hex}`, hex.toLowerCase(), `0x${hex.toUpperCase()}`].map((h) => key(h))).size,
  ).toBe(1);
  expect(key(hex)).not.toBe(key(hex, 1));
  expect(key('Base58CaseCounts')).not.toBe(key('base58casecounts'));
  expect(key('x'.repeat(256))!.length).toBeLessThan(100);
  expect(key(hex)).toBe(`ethereum:${hex.toLowerCase()}:0`);
  expect(key('x'.repeat(100))).toBe(`ethereum:${'x'.repeat(100)}:0`);
  expect(key('x'.repeat(101))).toBe(
    `ethereum:${createHash('sha256').update('x'.repeat(101)).digest('hex')}:0`,
  );
  expect(key(null)).toBeUndefined();
});

test('a hash of 64 hexadecimal digits is stored in lower case, with or without 0x, and found in both forms', () => {
  const hex = 'aB'.repeat(32);
  const small = hex.toLowerCase();
  expect([storedHash(hex), storedHash(`0x${hex}`), storedHash(`0X${hex}`)]).toEqual([
    small,
    `0x${small}`,
    `0x${small}`,
  ]);
  for (const form of [hex, `0x${hex}`, `0X${hex}`]) expect(hashForms(form)).toEqual([small, `0x${small}`]);
  for (const other of ['Base58CaseCounts', `${hex}A`, `A${hex}`, hex.slice(1), `0x${hex.slice(1)}G`]) {
    expect(storedHash(other)).toBe(other);
    expect(hashForms(other)).toEqual([other]);
  }
});

test('addresses that mean the same are looked up by the same', () => {
  for (const other of [
    'x0xABCDEFabcdefABCDEFabcdefABCDEFabcdefABCD',
    '0xABCDEFabcdefABCDEFabcdefABCDEFabcdefABCD0',
  ])
    expect(addressKey(other)).toBe(other);
  expect(addressKey('LTC1QQ')).toBe('ltc1qq');
  for (const other of ['xBC1QQ', 'BC1QQ!', 'BC1', 'BC1QQB', 'BC1QQ1', 'BC1QQI', 'BC1QQO', 'DOGE1QQ'])
    expect(addressKey(other)).toBe(other);
  expect(addressKey('0xABCDEFabcdefABCDEFabcdefABCDEFabcdefABCD')).toBe(
    '0xabcdefabcdefabcdefabcdefabcdefabcdefabcd',
  );
  expect(addressKey('TAbc')).toBe('TAbc');
  const bech32 = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4';
  expect(addressKey(bech32.toUpperCase())).toBe(bech32);
  expect(addressKey('bc1Mixed')).toBe('bc1Mixed');
});

test('what differs is named; parts and late payments may be another amount', () => {
  const first = {
    userId: 1,
    currencyId: 'BTC',
    networkId: 'bitcoin',
    amount: 5n,
    status: 'DETECTED',
  } as const;
  expect(differences(first, first)).toEqual([]);
  const other = {
    userId: 2,
    currencyId: 'LTC',
    networkId: 'litecoin',
    amount: 6n,
    status: 'COMPLETED',
  } as const;
  expect(differences(first, other)).toEqual([
    'USER_DIFFERS',
    'CURRENCY_DIFFERS',
    'NETWORK_DIFFERS',
    'AMOUNT_DIFFERS',
  ]);
  const amounts = (before: DepositStatus, now: DepositStatus) =>
    differences({ ...first, status: before }, { ...first, amount: 6n, status: now }).length;
  expect([amounts('PARTIALLY_PAID', 'COMPLETED'), amounts('EXPIRED', 'COMPLETED')]).toEqual([0, 0]);
  expect([amounts('DETECTED', 'PARTIALLY_PAID'), amounts('DETECTED', 'FAILED')]).toEqual([0, 0]);
  expect([amounts('DETECTED', 'EXPIRED'), amounts('FAILED', 'COMPLETED')]).toEqual([0, 1]);
});

test('nothing, too little and absurdly much are not credited by themselves', () => {
  const usd = 5n * 10n ** 8n;
  expect(objectionsTo(0n, { min: 0n, usd: 0n })).toEqual(['BELOW_MINIMUM']);
  expect(objectionsTo(9n, { min: 10n, usd })).toEqual(['BELOW_MINIMUM']);
  expect(objectionsTo(10n, { min: 10n, usd })).toEqual([]);
  expect(objectionsTo(10n, { min: 10n, usd: 10n ** 17n })).toEqual([]);
  expect(objectionsTo(10n, { min: 10n, usd: 10n ** 17n + 1n })).toEqual(['AMOUNT_ABSURD']);
});

test.each([
  ['btc', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', 'ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9'],
  ['eth', '0x52908400098527886E0F7030069857D2E4169EE7', '52908400098527886E0F7030069857D2E4169EE7'],
  ['trx', 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8', '1BoatSLRHtKNngkdXEeobR76b53LETtpyT'],
  ['sol', '4fYNw3dojWmQ4dXtSGE9epjRGy9pFSx62YypT7avPYvA', '0x52908400098527886E0F7030069857D2E4169EE7'],
  ['ltc', 'LaMT348PWRnrqeeWArpwQPbuanpXDZGEUz', 'D8vFz4p1L37jdg47HXKtSHA5uYLYxbGgPD'],
  ['doge', 'DBXu2kgc3xtvCUWFcxFE3r9hEYgmuaaCyD', 'rG1QQv2nh2gr7RCZ1P8YYcBUKCCN633jCn'],
  ['xrp', 'rG1QQv2nh2gr7RCZ1P8YYcBUKCCN633jCn', 'XG1QQv2nh2gr7RCZ1P8YYcBUKCCN633jCn'],
  ['bch', 'bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a', 'rG1QQv2nh2gr7RCZ1P8YYcBUKCCN633jCn'],
])('the pattern of %s knows its own addresses', (kind, good, bad) => {
  const pattern = new RegExp(addressPatternOf(kind)!);
  expect([pattern.test(good), pattern.test(bad), pattern.test(` ${good}`)]).toEqual([true, false, false]);
  expect(addressPatternOf('unknown')).toBeNull();
});
