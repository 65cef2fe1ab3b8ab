import { createHmac } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from './server.ts';

type Asked = { path: string; headers: Record<string, unknown>; body: Record<string, unknown> };

/** A fake platform that records the requests it receives. */
const asked: Asked[] = [];
let platform: Server;
let sandbox: Sandbox;
beforeAll(async () => {
  platform = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>;
    asked.push({ path: request.url!, headers: request.headers, body });
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"user_id":"7"}');
  });
  await new Promise<void>((resolve) => platform.listen(0, '127.0.0.1', resolve));
  const { port } = platform.address() as AddressInfo;
  sandbox = await startSandbox({ port: 0, host: '127.0.0.1', apiUrl: `http://127.0.0.1:${port}` });
});
afterAll(async () => {
  await sandbox.close();
  platform.close();
});
beforeEach(async () => {
  await post('/crm/behaviour', { mode: 'ok' });
  asked.length = 0;
});

const post = (path: string, body: object, headers: Record<string, string> = {}) =>
  fetch(sandbox.url + path, { method: 'POST', body: JSON.stringify(body), headers });
const get = async (path: string): Promise<any> => (await fetch(sandbox.url + path)).json();

let made = 0;
/** Sends an event as the platform does. */
function tell(event: object, { id = `e${++made}`, secret = 'sandbox-crm-secret', age = 0 } = {}) {
  const timestamp = String(Math.floor(Date.now() / 1000) - age);
  const signature = createHmac('sha256', secret)
    .update(`${timestamp}.${JSON.stringify(event)}`)
    .digest('hex');
  return post('/crm/events', event, { 'x-event-id': id, 'x-timestamp': timestamp, 'x-signature': signature });
}
const deposit = (userId: string, payment_id: string, status = 'COMPLETED') =>
  tell({ type: 'deposit', user_id: userId, payment_id, status });

test('stores a signed event once per id, and shows it on the page', async () => {
  expect((await tell({ type: 'login', user_id: '1' }, { id: 'one' })).status).toBe(200);
  expect((await tell({ type: 'login', user_id: '1' }, { id: 'one' })).status).toBe(200);
  expect((await tell({ type: 'consent', user_id: '2' }, { id: '<two>' })).status).toBe(200);
  expect(await get('/crm/events.json?type=login')).toMatchObject([{ id: 'one', userId: '1', times: 2 }]);
  expect(await get('/crm/events.json?user_id=2')).toMatchObject([{ id: '<two>', type: 'consent', times: 1 }]);
  expect(await get('/crm/arrivals.json')).toEqual(['one', 'one', '<two>']);
  const page = await (await fetch(`${sandbox.url}/crm`)).text();
  expect(page).toContain('one</code> ×2');
  expect(page).toContain('&#60;two&#62;');
});

test.each([
  ['another secret', { secret: 'another' }],
  ['a signature of yesterday', { age: 86_400 }],
])('rejects %s', async (_, how) => {
  const before = (await get('/crm/arrivals.json')).length;
  expect((await tell({ type: 'login', user_id: '1' }, how)).status).toBe(401);
  expect(await get('/crm/arrivals.json')).toHaveLength(before);
});

test('accepts a signature from another day while the age check is disabled', async () => {
  const clock = (isChecked: unknown) =>
    fetch(`${sandbox.url}/clock`, { method: 'POST', body: JSON.stringify({ isChecked }) });
  expect((await clock('never')).status).toBe(400);
  await clock(false);
  const old = (secret?: string) =>
    tell({ type: 'login', user_id: '1' }, { age: 86_400, ...(secret && { secret }) });
  expect((await old()).status).toBe(200);
  expect((await old('another')).status).toBe(401);
  await clock(true);
  expect((await old()).status).toBe(401);
});

test('responds with the faults that are configured through the API or on the page', async () => {
  const event = { type: 'login', user_id: '1' };
  for (const [mode, status] of [
    ['error', 500],
    ['busy', 429],
    ['refuse', 422],
    ['garbage', 200],
  ] as const) {
    await post('/crm/behaviour', { mode });
    expect((await tell(event)).status, mode).toBe(status);
  }
  await fetch(`${sandbox.url}/crm`, { method: 'POST', body: new URLSearchParams({ mode: 'down' }) });
  await expect(tell(event)).rejects.toThrow();
  expect((await post('/crm/behaviour', { mode: 'odd' })).status).toBe(400);
});

test('credits a player once after the configured number of completed deposits', async () => {
  expect((await post('/crm/rule', { afterDeposits: 0 })).status).toBe(400);
  await post('/crm/rule', { afterDeposits: 2, amount: '3' });
  await deposit('7', 'a', 'CONFIRMING');
  await deposit('7', 'a');
  await deposit('7', 'a');
  await deposit('8', 'b');
  expect(asked).toEqual([]);
  await deposit('7', 'c', 'SUCCESS');
  await expect.poll(() => asked).toHaveLength(1);
  await deposit('7', 'd');
  expect(asked).toMatchObject([
    {
      path: '/marketing/bonus/credit/funds',
      headers: { 'x-api-key': 'sandbox-crm-key', 'x-fasttrack-triggerhash': 'deposits-2-7' },
      body: { user_id: '7', amount: '3', currency: 'USDT' },
    },
  ]);
  await post('/crm/rule', { afterDeposits: 1, bonusCode: '1000' });
  await deposit('9', 'e');
  await expect.poll(() => asked).toHaveLength(2);
  expect(asked[1]).toMatchObject({
    path: '/marketing/bonus/credit',
    body: { user_id: '9', bonus_code: '1000' },
  });
  await post('/crm/rule', {});
  await deposit('10', 'f');
  expect(asked).toHaveLength(2);
});

test('returns the player to whom a session belongs', async () => {
  const answer = await post('/crm/authenticate', { sid: 'a-session' });
  expect([answer.status, await answer.json()]).toEqual([200, { user_id: '7' }]);
  expect(asked).toMatchObject([{ path: '/external-auth/authenticate', body: { sid: 'a-session' } }]);
});
