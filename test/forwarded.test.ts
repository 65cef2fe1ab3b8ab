import { expect, test } from 'vitest';
import { betOnDice, startApp } from './kit/app.ts';
import { fixture } from './kit/fixture.ts';
import { rawRequest } from './kit/http/raw-http.ts';
import { withinOneMinute } from './kit/until.ts';

const env = { TRUSTED_PROXIES: '127.0.0.1' };
const app = fixture(() => startApp({ env }));
const clerk = fixture(() => app.as({ permissions: ['country.read', 'country.write'] }));

const from = (ip: string) => ({ headers: { 'x-forwarded-for': ip } });
const geo = async (ip: string) => (await app.call('GET', '/geo', from(ip))).body;
const block = (isBlocked: boolean) => clerk.call('PATCH', '/admin/country/DE', { body: { isBlocked } });

test.each([
  ['5.9.0.1:51234', '5.9.0.1'],
  ['"5.9.0.1"', '5.9.0.1'],
  ['[2a01:4f8::1]', '2a01:4f8::1'],
  ['[2a01:4f8::1]:443', '2a01:4f8::1'],
  ['"[2a01:4f8::1]:443"', '2a01:4f8::1'],
  ['for=5.9.0.1;proto=https', '5.9.0.1'],
])('finds the country of %s', async (forwarded, ip) => {
  expect(await geo(forwarded)).toEqual({ countryCode: 'DE', isBlocked: false, reason: null, ip });
});

test('applies a blocked country to an address with a port and to an unreadable address', async () => {
  expect((await geo('unknown')).isBlocked).toBe(false);
  await block(true);
  try {
    expect(await geo('5.9.0.1:4711')).toMatchObject({ countryCode: 'DE', isBlocked: true });
    expect(await geo('for=_hidden')).toMatchObject({ countryCode: null, isBlocked: true });
    // A client on the private network has a valid address, so it is not blocked.
    expect((await geo('10.0.0.1')).isBlocked).toBe(false);
    const player = await app.newPlayer({ usdt: 5 });
    for (const ip of ['5.9.0.1:4711', 'unknown']) {
      const { status, body } = await betOnDice(player, {}, from(ip).headers);
      expect([status, body.code], ip).toEqual([403, 'AUTH_GEO_BLOCKED']);
    }
    expect((await betOnDice(player, {}, from('8.8.8.8:4711').headers)).status).toBe(201);
  } finally {
    await block(false);
  }
});

test('counts all ports of an address together, and counts all unreadable addresses together', async () => {
  const limited = await startApp({ database: app.database, env: { ...env, RATE_LIMIT_PUBLIC: '3' } });
  const statuses = async (forwarded: (i: number) => string) => {
    const answers = [];
    for (let i = 0; i < 5; i++)
      answers.push((await limited.call('GET', '/currency', from(forwarded(i)))).status);
    return answers;
  };
  try {
    await withinOneMinute(20_000);
    expect(await statuses((i) => `5.9.0.7:${20_000 + i}`)).toContain(429);
    expect(await statuses((i) => `"[2a01:4f8::${i + 1}]:443"`)).toContain(429);
    expect(await statuses((i) => `_hidden${i}`)).toContain(429);
    expect(await statuses((i) => `5.9.${i}.9:80`)).not.toContain(429);
  } finally {
    await limited.stop();
  }
});

test("shows metrics only to programs on the same machine, not to requests that the machine's proxy forwards", async () => {
  const plain = await startApp({ database: app.database });
  try {
    expect((await rawRequest(plain.url, 'GET', '/metrics')).status).toBe(200);
    for (const name of ['x-forwarded-for', 'x-real-ip', 'forwarded', 'via', 'x-forwarded-proto']) {
      const answer = await rawRequest(plain.url, 'GET', '/metrics', { headers: { [name]: '127.0.0.1' } });
      expect(answer.status, name).toBe(404);
    }
  } finally {
    await plain.stop();
  }
});
