import { expect, test } from 'vitest';
import { addressOf, createClientAddress, networkOf, readAddress, UNREADABLE_ADDRESS } from './address.ts';

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
])('finds the network and the rate limit key of %s: %s, %s', (ip, network, address) => {
  expect(networkOf(ip)).toBe(network);
  expect(addressOf(ip)).toBe(address);
});

test('trusts X-Forwarded-For only for entries that trusted proxies added', () => {
  const nobody = createClientAddress([]);
  expect(nobody('203.0.113.7', '198.51.100.1')).toBe('203.0.113.7');
  expect(nobody('::ffff:203.0.113.7', undefined)).toBe('203.0.113.7');
  const behind = createClientAddress(['10.0.0.0/8', '2001:db8::1']);
  expect(behind('10.0.0.1', '198.51.100.1')).toBe('198.51.100.1');
  expect(behind('::ffff:10.0.0.1', '198.51.100.1, 10.0.0.9')).toBe('198.51.100.1');
  expect(behind('2001:db8::1', 'forged, 198.51.100.1')).toBe('198.51.100.1');
  expect(behind('10.0.0.1', undefined)).toBe('10.0.0.1');
  expect(behind('203.0.113.7', '198.51.100.1')).toBe('203.0.113.7');
  expect(behind('10.0.0.1', ' , 198.51.100.1, ')).toBe('198.51.100.1');
  expect(behind('10.0.0.1', ['198.51.100.1', '10.0.0.9:80'])).toBe('198.51.100.1');
  expect(behind('10.0.0.1', '198.51.100.1, "[2001:db8::1]:443"')).toBe('198.51.100.1');
  for (const unreadable of ['nonsense', 'unknown', '198.51.100.1, _hidden', 'for=_proxy', '999.1.1.1:80'])
    expect(behind('10.0.0.1', unreadable), unreadable).toBe(UNREADABLE_ADDRESS);
});

test.each([
  ['5.9.0.1', '5.9.0.1'],
  [' 5.9.0.1 ', '5.9.0.1'],
  ['5.9.0.1:51234', '5.9.0.1'],
  ['"5.9.0.1"', '5.9.0.1'],
  ['"5.9.0.1:443"', '5.9.0.1'],
  ['::ffff:5.9.0.1', '5.9.0.1'],
  ['[::ffff:5.9.0.1]:1', '5.9.0.1'],
  ['2a01:4f8::1', '2a01:4f8::1'],
  ['[2a01:4f8::1]', '2a01:4f8::1'],
  ['[2a01:4f8::1]:443', '2a01:4f8::1'],
  ['"[2a01:4f8::1]:443"', '2a01:4f8::1'],
  ['fe80::1%eth0', 'fe80::1'],
  ['for=5.9.0.1', '5.9.0.1'],
  ['For="5.9.0.1:4711";proto=https', '5.9.0.1'],
  ['proto=https;by=10.0.0.1;for="[2a01:4f8::1]:_port"', '2a01:4f8::1'],
  ['for=unknown', undefined],
  ['for="_hidden"', undefined],
  ['by=10.0.0.1', undefined],
  ['unknown', undefined],
  ['5.9.0.1.2', undefined],
  ['5.9.0.1:', undefined],
  ['256.1.1.1:80', undefined],
  ['[5.9.0.1', undefined],
  ['5.9.0.1 5.9.0.2', undefined],
  ['"', undefined],
  ['', undefined],
])('reads %s in a Forwarded header as the address %s', (element, address) => {
  expect(readAddress(element)).toBe(address);
});
