import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from './server.ts';

type Heard = { path: string; signature: string; webhook: Record<string, unknown> };
let sandbox: Sandbox;
const heard: Heard[] = [];
/** A fake platform that rejects the first webhook of a transaction whose fail reason is 'refuse once'. */
const platform = createServer(async (request, response) => {
  const webhook = JSON.parse(await text(request)) as Record<string, unknown>;
  const isFirst = !heard.some((one) => one.webhook.transactionId === webhook.transactionId);
  heard.push({ path: request.url!, signature: String(request.headers['x-signature']), webhook });
  response.writeHead(isFirst && webhook.failReason === 'refuse once' ? 503 : 200).end();
});
beforeAll(async () => {
  await new Promise<void>((resolve) => platform.listen(0, '127.0.0.1', resolve));
  const apiUrl = `http://127.0.0.1:${(platform.address() as AddressInfo).port}`;
  sandbox = await startSandbox({ port: 0, host: '127.0.0.1', apiUrl });
});
afterEach(() => post('/skins/behaviour', { mode: 'ok' }));
afterAll(async () => {
  await sandbox.close();
  platform.closeAllConnections();
  await new Promise((resolve) => platform.close(resolve));
});

const post = (path: string, body: object, headers: Record<string, string> = {}) =>
  fetch(sandbox.url + path, { method: 'POST', body: JSON.stringify(body), headers, redirect: 'manual' });
const key = { authorization: 'Bearer sandbox-skins-key' };
const wishes = (reference: string) => ({
  reference,
  game: 'cs2',
  platformId: '76561190000000001',
  tradeLink: 'https://platform.example/',
  successUrl: `${sandbox.url}/site/?ok`,
  failUrl: `${sandbox.url}/site/?failed`,
});
const open = async (reference: string) => {
  const answer = await post('/skins/v1/sessions', wishes(reference), key);
  return (await answer.json()) as { transactionId: string; url: string; expiresAt: string };
};
const webhooksOf = (transactionId: string) =>
  heard.filter((one) => one.webhook.transactionId === transactionId);

test('opens one session per reference, and requires the key and every field', async () => {
  expect((await post('/skins/v1/sessions', wishes('a'))).status).toBe(401);
  const { successUrl: _, ...incomplete } = wishes('a');
  expect((await post('/skins/v1/sessions', incomplete, key)).status).toBe(400);
  const session = await open('a');
  expect(await open('a')).toEqual(session);
  expect((await open('b')).transactionId).not.toBe(session.transactionId);
  expect(sandbox.env.SKINS_API_URL).toBe(`${sandbox.url}/skins`);
});

test('puts the items that are selected on the trade page on hold, and sends the platform a signed webhook', async () => {
  const { transactionId, url } = await open('page');
  expect(await (await fetch(url)).text()).toContain('AK-47 | Redline');
  const form = new URLSearchParams([
    ['item', 'AK-47 | Redline (Field-Tested)'],
    ['item', 'Sticker | Crown (Foil)'],
    ['sell', '1'],
  ]);
  const answer = await fetch(url, { method: 'POST', body: form, redirect: 'manual' });
  expect([answer.status, answer.headers.get('location')]).toEqual([303, `${sandbox.url}/site/?ok`]);
  await expect.poll(() => webhooksOf(transactionId)).toHaveLength(1);
  const [{ path, signature, webhook }] = webhooksOf(transactionId) as [Heard];
  expect([path, signature]).toEqual([
    '/webhooks/skins/sandbox',
    expect.stringMatching(/^t=\d+,v1=[0-9a-f]{64}$/),
  ]);
  expect(webhook).toMatchObject({ status: 'IN_HOLD', usdAmount: '24.93', items: [{}, {}] });
  await fetch(url, { method: 'POST', body: new URLSearchParams({ status: 'HOLD_APPROVED', score: '10' }) });
  await expect.poll(() => webhooksOf(transactionId).at(-1)?.webhook.userRisk).toEqual({ score: 10 });
  const cancelled = await open('cancelled');
  const body = new URLSearchParams({ cancel: '1' });
  const back = await fetch(cancelled.url, { method: 'POST', body, redirect: 'manual' });
  expect(back.headers.get('location')).toBe(`${sandbox.url}/site/?failed`);
  await expect.poll(() => webhooksOf(cancelled.transactionId)[0]?.webhook.status).toBe('FAIL');
});

test('sets any status with /skins/advance, and repeats a webhook that the platform rejects', async () => {
  const { transactionId } = await open('advance');
  expect((await post('/skins/advance', { transactionId, status: 'DONE' })).status).toBe(400);
  expect((await post('/skins/advance', { transactionId: 'x', status: 'FAIL' })).status).toBe(404);
  const change = { transactionId, status: 'FAIL', failReason: 'refuse once' };
  expect((await post('/skins/advance', change)).status).toBe(200);
  await expect.poll(() => webhooksOf(transactionId)).toHaveLength(2);
});

test('drops the connection (down), returns invalid JSON (garbage), or repeats webhooks (duplicates) when configured to', async () => {
  expect((await post('/skins/behaviour', { mode: 'wild' })).status).toBe(400);
  await post('/skins/behaviour', { mode: 'down' });
  await expect(open('down')).rejects.toThrow();
  await post('/skins/behaviour', { mode: 'garbage' });
  await expect(open('garbage')).rejects.toThrow('JSON');
  await post('/skins/behaviour', { mode: 'duplicates' });
  const { transactionId } = await open('twice');
  await post('/skins/advance', { transactionId, status: 'SUCCESS', usdAmount: '1' });
  await expect.poll(() => webhooksOf(transactionId)).toHaveLength(2);
});
