import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../server.ts';

type Entry = { type: string; cash: number; status: number; body: object };
let sandbox: Sandbox;
let cash = 100;
let logins = 0;
let known = new Map<string, Entry>();
let received: any[] = [];
let fault: () => 'none' | 'before' | 'after' | 'busy' | 'expired' = () => 'none';

/** A fake platform that implements the part of GR8's protocol that these tests need. */
const platform = createServer(async (request, response) => {
  const body = await text(request);
  const input = body ? JSON.parse(body) : {};
  const answer = (status: number, body: object) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  if (request.method === 'GET') {
    const id = request.url!.split('/').at(-1)!;
    return answer(known.get(id)?.status === 200 ? 200 : 404, {});
  }
  if (request.url === '/sportsbook/external/auth/login') {
    const isKnown = input.login === 'sandbox' && input.password === 'sandbox-sportsbook-password';
    return isKnown ? answer(201, { token: `token-${++logins}`, expiresIn: 3600 }) : answer(401, {});
  }
  const bad = fault();
  if (bad === 'before') return request.socket.destroy();
  if (bad === 'busy') return answer(503, {});
  if (bad === 'expired' || request.headers['x-api-key'] !== `token-${logins}`) return answer(401, {});
  received.push({ path: request.url, ...input });
  const entry = known.get(input.id) ?? book(input);
  if (bad === 'after') return request.socket.destroy();
  answer(entry.status, entry.body);
});

function book({ id, type, context, amountBreakdown }: any): Entry {
  const amount = Number(amountBreakdown.cash);
  const parent = known.get(context.parentId);
  const reject = (code: string): Entry => ({ type, cash: 0, status: 400, body: { code } });
  let entry: Entry;
  if (type === 'rollback' && !parent) {
    known.set(context.parentId, reject('error.retry.incorrect'));
    entry = reject('decline.parent.notfound');
  } else if (context.reason === 'settle' && !known.has(`${context.betId}_bet`))
    return reject('decline.parent.notfound');
  else if (type === 'rollback') entry = { type, cash: -parent!.cash, status: 200, body: {} };
  else if (type === 'withdrawal' && context.reason === 'bet' && amount > cash)
    entry = reject('decline.lowbalance');
  else entry = { type, cash: type === 'deposit' ? amount : -amount, status: 200, body: {} };
  cash += entry.cash;
  known.set(id, entry);
  return entry;
}

beforeEach(async () => {
  [cash, logins, known, received, fault] = [100, 0, new Map(), [], () => 'none'];
  await new Promise<void>((resolve) => platform.listen(0, '127.0.0.1', resolve));
  const apiUrl = `http://127.0.0.1:${(platform.address() as AddressInfo).port}`;
  sandbox = await startSandbox({ port: 0, host: '127.0.0.1', apiUrl });
});
afterEach(async () => {
  await sandbox.close();
  platform.closeAllConnections();
  await new Promise((resolve) => platform.close(resolve));
});

const call = async (path: string, body?: object, headers: Record<string, string> = {}): Promise<any> => {
  const init = body ? { method: 'POST', body: JSON.stringify(body) } : {};
  return (await fetch(`${sandbox.url}/games${path}`, { ...init, headers })).json();
};
const act = (reason: string, amount: string, more: object = {}) =>
  call('/sportsbook/transactions', {
    reason,
    amount,
    playerId: '42',
    currency: 'USDT',
    betId: 'b-1',
    ...more,
  });
const net = async () => (await call('/books')).books.sportsbook.net['42'].USDT;

test("sends a bet and its settlements with GR8's field names, and signs in only once", async () => {
  expect(await act('bet', '10')).toEqual({ id: 'b-1_bet', status: 200, code: 'OK', state: 'DONE' });
  await act('settle', '25');
  await act('resettle', '-5');
  await act('cancelsettle', '20');
  await act('settle', '0');
  expect(received.map(({ id, type, context }) => [id, type, context.reason])).toEqual([
    ['b-1_bet', 'withdrawal', 'bet'],
    ['b-1_settlement_0', 'deposit', 'settle'],
    ['b-1_settlement_1', 'withdrawal', 'resettle'],
    ['b-1_cancelsettle_2', 'withdrawal', 'cancelsettle'],
    ['b-1_settlement_3', 'deposit', 'settle'],
  ]);
  expect(received[0]).toMatchObject({
    path: '/sportsbook/external/wallet/42/transactions',
    currency: 'USDT',
    context: { product: 'sport', betId: 'b-1' },
    amountBreakdown: { cash: '10', locked: '0', bonus: '0' },
  });
  expect([logins, cash, await net()]).toEqual([1, 90, '-10']);
});

test('handles rejections, rollbacks and bets that arrive after their rollback', async () => {
  expect(await act('bet', '101')).toMatchObject({ code: 'decline.lowbalance', state: 'REFUSED' });
  await act('bet', '10', { betId: 'b-2' });
  expect(await act('rollback', '10', { betId: 'b-2' })).toMatchObject({ code: 'OK', state: 'DONE' });
  expect(received.at(-1).context.parentId).toBe('b-2_bet');
  await call('/behaviour', { outOfOrder: { next: 1 } });
  expect(await act('bet', '10', { betId: 'b-3' })).toMatchObject({
    code: 'error.retry.incorrect',
    state: 'UNDONE',
  });
  expect(cash).toBe(100);
  const { pending, books } = await call('/books');
  expect([pending, books.sportsbook.net]).toEqual([0, { '42': { USDT: '0' } }]);
  expect((await call('/sportsbook/transactions', { reason: 'win' })).error).toContain('reason is one of');
});

test('resends a settlement that arrived before its bet, and reports any other transaction that succeeds after a rejection', async () => {
  const settle = () => act('settle', '25', { id: 's-1' });
  expect(await settle()).toMatchObject({ code: 'decline.parent.notfound', state: 'REFUSED' });
  await act('bet', '10');
  expect(await settle()).toMatchObject({ code: 'OK', state: 'DONE' });
  expect([cash, await net()]).toEqual([115, '15']);
  expect(await act('bet', '200', { betId: 'b-2' })).toMatchObject({ code: 'decline.lowbalance' });
  known.delete('b-2_bet');
  cash += 200;
  await act('bet', '200', { betId: 'b-2' });
  expect((await call('/books')).oddities).toHaveLength(1);
});

test('repeats a call until the response has status 200 or 400, and records the transaction once', async () => {
  const faults = ['before', 'after', 'busy', 'expired', 'none'] as const;
  let n = 0;
  fault = () => faults[n++ % faults.length]!;
  await act('bet', '10');
  await act('settle', '25');
  expect([cash, await net()]).toEqual([115, '15']);
  expect(logins).toBeGreaterThan(1);
  await call('/behaviour', {
    lost: 0.3,
    duplicates: 0.3,
    duplicatesAtOnce: 0.3,
    rollbackAfterLost: 0.3,
    wrongSignature: 0.3,
  });
  fault = () => 'none';
  for (let bet = 0; bet < 10; bet++)
    if ((await act('bet', '1', { betId: `c-${bet}` })).state === 'DONE')
      await act('settle', '2', { betId: `c-${bet}` });
  const { pending, oddities } = await call('/books');
  expect({ pending, oddities, net: await net() }).toEqual({
    pending: 0,
    oddities: [],
    net: String(cash - 100),
  });
});

test('queries the state of a transaction when its retry is rejected, because the first call may have succeeded', async () => {
  const settle = (id: string) => act('settle', '25', { id });
  await act('award', '1', { id: 'signs-in' });
  for (const id of ['s-1', 's-2']) {
    await call('/behaviour', { lost: { next: 2 } });
    expect(await settle(id)).toMatchObject({ code: 'decline.parent.notfound', state: 'REFUSED' });
  }
  await act('bet', '10');
  known.set('s-1', { type: 'deposit', cash: 25, status: 200, body: {} });
  await call('/settle', {});
  expect(await net()).toBe('16');
});

test('queries the state of a rejected transaction when its retry gets no response', async () => {
  await act('bet', '10', { betId: 'b-2' });
  await call('/behaviour', { duplicates: { next: 1 } });
  let settlements = 0;
  fault = () => {
    if (++settlements === 1) return 'none';
    known.set('b-1_bet', { type: 'withdrawal', cash: 0, status: 200, body: {} });
    return 'after';
  };
  expect(await act('settle', '25', { id: 's-1' })).toMatchObject({ state: 'REFUSED' });
  fault = () => 'none';
  expect(cash).toBe(115);
  await call('/settle', {});
  expect(await net()).toBe('15');
});

test('requires the password for the report', async () => {
  await act('bet', '10');
  const authorization = `Basic ${Buffer.from('sandbox:sandbox-sportsbook-password').toString('base64')}`;
  const period = `from=2026-01-01T00:00:00Z&to=2099-01-01T00:00:00Z`;
  const { transactions } = await call(`/sportsbook/transactions?${period}`, undefined, { authorization });
  expect(transactions).toMatchObject([
    {
      id: 'b-1_bet',
      type: 'withdrawal',
      reason: 'bet',
      playerId: '42',
      amount: '10',
      betId: 'b-1',
      state: 'DONE',
    },
  ]);
  expect(await call(`/sportsbook/transactions?${period}`)).toEqual({ error: 'UNAUTHORIZED' });
});
