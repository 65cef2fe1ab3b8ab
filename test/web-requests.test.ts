import { globSync, readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createCaller } from '../client/call.ts';
import { noteServerTime, serverNow } from '../web/kit/clock.ts';
import { createOrders } from '../web/kit/orders.ts';

type Request = { key: string | null; body: Record<string, unknown>; code: string | null };
let requests: Request[] = [];
let replies: (Response | Error)[] = [];
/** The code that the player types when asked. Undefined: the player cancels. */
let code: string | undefined;

/** Returns the functions of a new tab in which this player is signed in. */
function openTab(first: number | null = 1) {
  let userId = first ?? undefined;
  const call = createCaller({ send: respond as typeof fetch, onDate: noteServerTime });
  const sendOrder = createOrders({ call, askForCode: async () => code, askForPassword: async () => false });
  const move = (amount: string) => {
    const input = { body: { currencyId: 'USDT', amount } };
    return sendOrder({ userId, op: 'POST /accounting/to-vault', input, order: input }).then(
      () => 'done',
      (error) => error.code as string,
    );
  };
  const signIn = (id: number) => {
    userId = id;
  };
  return { sendOrder, move, signIn };
}

async function respond(_: string, { headers, body }: RequestInit): Promise<Response> {
  const sent = new Headers(headers);
  requests.push({
    key: sent.get('idempotency-key'),
    body: JSON.parse(String(body)),
    code: sent.get('x-mfa-code'),
  });
  const next = replies.shift() ?? reply(201);
  if (next instanceof Error) throw next;
  return next;
}

const reply = (status: number, code?: string, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(code === undefined ? { id: 'one' } : { code, message: code }), {
    status,
    headers: { 'content-type': 'application/json', ...headers },
  });
const keys = () => requests.map(({ key }) => key);

beforeEach(() => {
  requests = [];
  replies = [];
  code = undefined;
});
afterEach(() => {
  vi.useRealTimers();
});

test('sends a transfer again with the same key after no response arrived, and the next transfer with a new key', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const { move } = openTab();
  replies = Array.from({ length: 4 }, () => new TypeError('no connection'));
  const first = move('5');
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await first).toBe('NO_ANSWER');
  expect(await move('5')).toBe('done');
  expect(new Set(keys()).size).toBe(1);
  expect(await move('5')).toBe('done');
  expect(new Set(keys()).size).toBe(2);
});

test('keeps the key while a request is in flight', async () => {
  const { move } = openTab();
  expect(await Promise.all([move('5'), move('5')])).toEqual(['done', 'done']);
  expect(new Set(keys()).size).toBe(1);
});

test.each([
  [500, 'INTERNAL', 1],
  [502, 'HTTP_502', 1],
  [400, 'INSUFFICIENT_BALANCE', 2],
  [409, 'CONFLICT', 2],
  [429, 'RATE_LIMITED', 2],
])('after %i %s, has sent the repeated transfer with %i keys', async (status, code, distinct) => {
  const { move } = openTab();
  replies = [reply(status, code)];
  expect(await move('5')).toBe(code);
  expect(await move('5')).toBe('done');
  expect(new Set(keys()).size).toBe(distinct);
});

test('keeps the key of an unknown transfer when a later attempt is rejected before the server looks at it', async () => {
  const { move } = openTab();
  replies = [reply(500, 'INTERNAL'), reply(429, 'RATE_LIMITED', { 'retry-after': '60' })];
  expect([await move('5'), await move('5'), await move('5')]).toEqual(['INTERNAL', 'RATE_LIMITED', 'done']);
  expect(new Set(keys()).size).toBe(1);
});

test('keeps the key of a transfer whose first attempt was lost, although the last one was rejected', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const { move } = openTab();
  replies = [new TypeError('no connection'), reply(429, 'RATE_LIMITED', { 'retry-after': '60' })];
  const first = move('5');
  await vi.advanceTimersByTimeAsync(60_000);
  expect([await first, await move('5')]).toEqual(['RATE_LIMITED', 'done']);
  expect(new Set(keys()).size).toBe(1);
});

test('keeps the key of an unknown transfer while the player is asked for a code, even if the player cancels', async () => {
  const { move } = openTab();
  replies = [reply(500, 'INTERNAL'), reply(403, 'MFA_REQUIRED'), reply(403, 'MFA_REQUIRED')];
  expect([await move('5'), await move('5')]).toEqual(['INTERNAL', 'MFA_REQUIRED']);
  code = '123456';
  expect(await move('5')).toBe('done');
  expect(requests.map((request) => request.code)).toEqual([null, null, null, '123456']);
  expect(new Set(keys()).size).toBe(1);
});

test('uses a new key for another amount, for another player, and for a visitor', async () => {
  const { move, signIn } = openTab();
  replies = Array.from({ length: 3 }, () => reply(500, 'INTERNAL'));
  await move('5');
  await move('6');
  signIn(2);
  await move('5');
  expect(new Set(keys()).size).toBe(3);
  signIn(1);
  await move('5');
  expect(keys()[3]).toBe(keys()[0]);
  const visitor = openTab(null);
  replies = [reply(500, 'INTERNAL')];
  await visitor.move('5');
  await visitor.move('5');
  expect(new Set(keys().slice(4)).size).toBe(2);
});

/** Requests a withdrawal with these quotes, one after the other. */
async function withdraw(quotes: readonly string[]) {
  const { sendOrder } = openTab();
  const order = { currencyId: 'USDT', networkId: 'tron', amount: '10', recipientAddress: 'T' };
  for (const quoteId of quotes)
    await sendOrder({
      userId: 1,
      op: 'POST /payments/withdraw',
      input: { body: { ...order, quoteId } },
      order,
    }).catch(() => {});
  return requests.map(({ body, key }) => ({ quoteId: body.quoteId, key }));
}

test('repeats a withdrawal of unknown outcome with its own quote before the player can order it with a new one', async () => {
  replies = [reply(500, 'INTERNAL')];
  const [first, second, ...more] = await withdraw(['a', 'b']);
  expect(second).toEqual(first);
  expect(more).toEqual([]);
});

test('orders a withdrawal with the new quote once the server has rejected the earlier request', async () => {
  replies = [reply(500, 'INTERNAL'), reply(409, 'QUOTE_EXPIRED')];
  const [first, second, third, ...more] = await withdraw(['a', 'b']);
  expect(second).toEqual(first);
  expect(third!.quoteId).toBe('b');
  expect(third!.key).not.toBe(first!.key);
  expect(more).toEqual([]);
});

test("reads the server's time from the latest response that was not cached", async () => {
  const { move } = openTab();
  expect(Math.abs(serverNow() - Date.now())).toBeLessThan(1000);
  const behind = Date.now() - 120_000;
  const dated = (at: number) => reply(201, undefined, { date: new Date(at).toUTCString() });
  replies = [dated(behind), dated(behind - 3_600_000), reply(201)];
  for (const amount of ['1', '2', '3']) await move(amount);
  expect(Math.abs(serverNow() - behind)).toBeLessThan(5000);
});

test('looks up names from addresses and responses only among the own keys of an object', () => {
  const inherited = globSync('web/**/*.{ts,tsx}').flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/^.*[\w)] in [A-Z][A-Z_]+\b(?=[ );]).*$/gm)]
      .map(([line]) => line)
      .filter((line) => !/^\s*(\/?\*|\/\/)/.test(line) && !/['"`>].* in [A-Z]/.test(line))
      .map((line) => `${file}: ${line.trim()}`),
  );
  expect(inherited).toEqual([]);
});
