import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from './server.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ port: 0, host: '127.0.0.1' });
});
afterAll(() => sandbox.close());

const hashOf = (password: string) => createHash('sha1').update(password).digest('hex').toUpperCase();
const range = (prefix: string, headers: Record<string, string> = {}) =>
  fetch(`${sandbox.env.BREACHED_PASSWORDS_URL}/range/${prefix}`, { headers });

test('returns the hash suffixes of a known prefix, each with its breach count', async () => {
  const hash = hashOf('hunter2 but longer');
  expect(await (await range(hash.slice(0, 5))).text()).toBe(`${hash.slice(5)}:17043`);
  expect(await (await range('00000')).text()).toBe('');
});

test('pads its response with entries whose count is zero when the request asks for padding', async () => {
  const hash = hashOf('hunter2 but longer');
  const answer = await (await range(hash.slice(0, 5), { 'add-padding': 'true' })).text();
  const lines = answer.split('\r\n');
  expect(lines).toHaveLength(800);
  for (const line of lines) expect(line).toMatch(/^[0-9A-F]{35}:\d+$/);
  expect(lines.filter((line) => !line.endsWith(':0'))).toEqual([`${hash.slice(5)}:17043`]);
});

test('rejects prefixes other than five hex digits, and lists the prefixes that were requested', async () => {
  for (const prefix of ['ABCD', 'ABCDEF', 'abcde', 'GHIJK']) expect((await range(prefix)).status).toBe(400);
  await range('0BADC', { 'add-padding': 'true' });
  const asked = await (await fetch(`${sandbox.url}/breached-passwords/asked`)).json();
  expect(asked).toContainEqual({ prefix: '0BADC', isPadded: true });
});
