import { expect, test } from 'vitest';
import { addressOf, createClientAddress, networkOf } from './address.ts';

test.each([
  ['203.0.113.7', '203.0.113.0/24', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.0/24', '203.0.113.7'],
  ['::FFFF:203.0.113.7', '203.0.113.0/24', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64', '2001:db8:1:2::/64'],
  ['2001:DB8:0001:0002::1', '2001:db8:1:2::/64', '2001:db8:1:2::/64'],
  ['2001:0db8:0001:0002:ffff::', '2001:db8:1:2::/64', '2001:db8:1:2::/64'],
  ['2001:db8:1:3::9', '2001:db8:1:3::/64', '2001:db8:1:3::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64', '2001:db8:0:0::/64'],
  ['2001:db8:0:0:1::', '2001:db8:0:0::/64', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64', 'fe80:0:0:0::/64'],
  ['a socket', 'a socket', 'a socket'],
])('A01 %s is of the network %s and counts with %s', (ip, network, address) => {
  expect(networkOf(ip)).toBe(network);
  expect(addressOf(ip)).toBe(address);
});

test('A01 X-Forwarded-For counts as far as trusted proxies have written it', () => {
  const nobody = createClientAddress([]);
  expect(nobody('203.0.113.7', '198.51.100.1')).toBe('203.0.113.7');
  expect(nobody('::ffff:203.0.113.7', undefined)).toBe('203.0.113.7');
  const behind = createClientAddress(['10.0.0.0/8', '2001:db8::1']);
  expect(behind('10.0.0.1', '198.51.100.1')).toBe('198.51.100.1');
  expect(behind('::ffff:10.0.0.1', '198.51.100.1, 10.0.0.9')).toBe('198.51.100.1');
  expect(behind('2001:db8::1', 'forged, 198.51.100.1')).toBe('198.51.100.1');
  expect(behind('10.0.0.1', undefined)).toBe('10.0.0.1');
  expect(behind('203.0.113.7', '198.51.100.1')).toBe('203.0.113.7');
  expect(behind('10.0.0.1', 'nonsense')).toBe('nonsense');
});
