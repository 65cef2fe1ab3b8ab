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

test('never returns a deposit to an earlier status, and allows a completed deposit only to be reversed', () => {
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

const ENDS: DepositStatus[] = ['UNDER_REVIEW', 'ON_HOLD', 'FAILED', 'REVERSED'];
test.each<[DepositStatus, DepositStatus[]]>([
  ['CREATED', ['DETECTED', 'CONFIRMING', 'COMPLETED', 'PARTIALLY_PAID', 'EXPIRED', ...ENDS]],
  ['DETECTED', ['CONFIRMING', 'COMPLETED', 'PARTIALLY_PAID', 'EXPIRED', ...ENDS]],
  ['CONFIRMING', ['COMPLETED', ...ENDS]],
  ['COMPLETED', ['REVERSED']],
  ['PARTIALLY_PAID', ['CONFIRMING', 'COMPLETED', 'EXPIRED', ...ENDS]],
  ['EXPIRED', ['CONFIRMING', 'COMPLETED', ...ENDS]],
  ['UNDER_REVIEW', ['REVERSED']],
  ['RETURNING', []],
  ['WRITTEN_OFF', ['REVERSED']],
  ['ON_HOLD', ['COMPLETED', 'REVERSED']],
  ['RETURNED', []],
  ['FAILED', ['COMPLETED', 'UNDER_REVIEW', 'ON_HOLD', 'REVERSED']],
  ['REVERSED', []],
])('allows a deposit to change from the status %s only to %j', (from, allowed) => {
  expect(DEPOSIT_STATUSES.filter((to) => canTransition(from, to))).toEqual(allowed);
});

test('treats a status as open if the deposit is still expected to be completed', () => {
  const open = ['CREATED', 'DETECTED', 'CONFIRMING', 'PARTIALLY_PAID'];
  expect(DEPOSIT_STATUSES.filter((status) => OPEN_STATUSES.includes(status))).toEqual(open);
});

test('requires a transaction and enough confirmations for COMPLETED, unless the provider sends no count', () => {
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

test("assigns the same key to every notation of an output's hash, and shortens long hashes", () => {
  const hex = 'aB'.repeat(32);
  const key = (txHash: string | null, outputIndex = 0) =>
    outputKey({ networkId: 'ethereum', txHash, outputIndex });
  expect(
    new Set([hex, `0x${hex}`, hex.toLowerCase(), `0x${hex.toUpperCase()}`].map((h) => key(h))).size,
  ).toBe(1);
  expect(key(hex)).not.toBe(key(hex, 1));
  expect(key('Base58CaseCounts')).toBe(key('base58casecounts'));
  expect(key('x'.repeat(256))!.length).toBeLessThan(100);
  expect(key(hex)).toBe(`ethereum:${hex.toLowerCase()}:0`);
  expect(key('x'.repeat(100))).toBe(`ethereum:${'x'.repeat(100)}:0`);
  expect(key('x'.repeat(101))).toBe(
    `ethereum:${createHash('sha256').update('x'.repeat(101)).digest('hex')}:0`,
  );
  expect(key(null)).toBeUndefined();
});

test('stores a hash in lower case unless its network uses base58, and finds it in any letter case', () => {
  const hex = 'aB'.repeat(32);
  const small = hex.toLowerCase();
  const forms = (networkId: string) => [hex, `0x${hex}`, `0X${hex}`].map((h) => storedHash(networkId, h));
  for (const networkId of ['ethereum', 'tron', 'bitcoin', 'solana', 'nowhere'])
    expect(forms(networkId)).toEqual([small, `0x${small}`, `0x${small}`]);
  for (const form of [hex, `0x${hex}`, `0X${hex}`])
    expect(hashForms('ethereum', form)).toEqual([small, `0x${small}`, form]);
  for (const short of [`${hex}A`, hex.slice(1), `0x${hex.slice(2)}`]) {
    expect(storedHash('tron', short)).toBe(short.toLowerCase());
    expect(outputKey({ networkId: 'tron', txHash: short, outputIndex: 0 })).toBe(
      outputKey({ networkId: 'tron', txHash: short.toUpperCase(), outputIndex: 0 }),
    );
  }
  const signature =
    '5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW';
  expect(storedHash('solana', signature)).toBe(signature);
  expect(hashForms('solana', signature)).toEqual([signature]);
  expect(outputKey({ networkId: 'solana', txHash: signature, outputIndex: 0 })).not.toBe(
    outputKey({ networkId: 'solana', txHash: signature.toLowerCase(), outputIndex: 0 }),
  );
});

test('assigns the same key to equivalent addresses', () => {
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

test('lists the differences between reports, but allows a different amount for partial and late payments', () => {
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

test('requires a review of amounts that are zero, too small or implausibly large', () => {
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
])('with the pattern of %s, accepts only addresses of that network', (kind, good, bad) => {
  const pattern = new RegExp(addressPatternOf(kind)!);
  expect([pattern.test(good), pattern.test(bad), pattern.test(` ${good}`)]).toEqual([true, false, false]);
  expect(addressPatternOf('unknown')).toBeNull();
});
