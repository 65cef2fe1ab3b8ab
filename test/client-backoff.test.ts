import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server } from 'socket.io';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { backOffMs } from '../client/backoff.ts';
import { createCaller, Refused } from '../client/call.ts';
import { type Client, connect } from '../client/client.ts';

const spreadOf = (values: number[]) => Math.max(...values) - Math.min(...values);

describe('backOffMs', () => {
  const draw = (wait: Parameters<typeof backOffMs>[0]) => Array.from({ length: 500 }, () => backOffMs(wait));

  test('returns random delays from the whole window, which doubles up to its limit', () => {
    for (const [tries, windowMs] of [
      [0, 1000],
      [3, 8000],
      [9, 30_000],
      [2000, 30_000],
    ] as const) {
      const waits = draw({ tries, leastMs: 1000, mostMs: 30_000 });
      expect(Math.max(...waits)).toBeLessThanOrEqual(windowMs);
      expect(spreadOf(waits)).toBeGreaterThan(windowMs * 0.9);
    }
  });

  test('never returns less than the delay that the server requested, and adds a random part in proportion to it', () => {
    const waits = draw({ tries: 0, leastMs: 1000, mostMs: 30_000, afterSeconds: 20 });
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(20_000);
    expect(Math.max(...waits)).toBeLessThanOrEqual(40_000);
    expect(spreadOf(waits)).toBeGreaterThan(15_000);
  });
});

describe('a socket', () => {
  const clients: Client[] = [];
  afterEach(() => {
    for (const client of clients.splice(0)) client.close();
  });

  async function listen(admit: (token: string) => object | undefined) {
    const http = createServer();
    const io = new Server(http);
    const tries = new Map<string, number[]>();
    io.use((socket, next) => {
      const token: string = socket.handshake.auth.socket_token;
      tries.set(token, [...(tries.get(token) ?? []), performance.now()]);
      const refusal = admit(token);
      next(refusal && Object.assign(new Error('refused'), { data: refusal }));
    });
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    const { port } = http.address() as AddressInfo;
    const open = (token: string) =>
      clients.push(connect({ url: `http://127.0.0.1:${port}`, token: () => token }));
    return { io, open, tries, close: () => io.close() };
  }
  const waitsOf = (tries: Map<string, number[]>) =>
    [...tries.values()].map(([first, second]) => second! - first!);

  test('waits as long as the server requested after a rejected handshake, plus a random delay', async () => {
    const server = await listen(() => ({ code: 'RATE_LIMITED', details: { retryAfterSeconds: 2 } }));
    for (let i = 0; i < 12; i++) server.open(String(i));
    const all = () => [...server.tries.values()].filter((times) => times.length > 1).length;
    await expect.poll(all).toBe(12);
    expect(Math.min(...waitsOf(server.tries))).toBeGreaterThanOrEqual(1990);
    expect(spreadOf(waitsOf(server.tries))).toBeGreaterThan(500);
    await server.close();
  });

  test('reconnects when the connection breaks or the server closes it', async () => {
    const server = await listen(() => undefined);
    server.open('one');
    await expect.poll(() => server.io.engine.clientsCount).toBe(1);
    await expect.poll(() => clients[0]!.isConnected()).toBe(true);
    for (const socket of await server.io.fetchSockets()) socket.disconnect(true);
    await expect.poll(() => server.tries.get('one')!.length).toBe(2);
    await expect.poll(() => clients[0]!.isConnected()).toBe(true);
    for (const socket of server.io.of('/').sockets.values())
      (socket.conn.transport as any).socket.terminate();
    await expect.poll(() => server.tries.get('one')!.length).toBe(3);
    await server.close();
  });
});

describe('an HTTP call', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const refusal = (status: number, seconds?: number, by: 'body' | 'header' = 'body') => {
    const details = by === 'body' && seconds !== undefined ? { retryAfterSeconds: seconds } : {};
    const headers = new Headers(by === 'header' ? { 'retry-after': String(seconds) } : {});
    const body = by === 'header' ? '<html>' : JSON.stringify({ code: 'BUSY', message: 'Busy.', details });
    return new Response(body, { status, headers });
  };
  /** Creates a caller whose requests get the error responses in order and then succeed. Records the time of every attempt. */
  function caller(...refusals: Response[]) {
    const times: number[] = [];
    const call = createCaller({
      send: async () => {
        times.push(Date.now());
        return refusals.shift() ?? new Response('{}', { headers: { 'content-type': 'application/json' } });
      },
    });
    return { call, times };
  }
  const within = async (ms: number) => void (await vi.advanceTimersByTimeAsync(ms));

  test.each([
    [503, 'body'],
    [503, 'header'],
    [429, 'body'],
    [429, 'header'],
  ] as const)(
    'after a %i response, waits for the time given in the %s plus a random delay',
    async (status, by) => {
      const waits: number[] = [];
      for (let i = 0; i < 40; i++) {
        const { call, times } = caller(refusal(status, 3, by));
        const answer = call('GET /user/me', {});
        await within(20_000);
        await answer;
        waits.push(times[1]! - times[0]!);
      }
      expect(Math.min(...waits)).toBeGreaterThanOrEqual(3000);
      expect(spreadOf(waits)).toBeGreaterThan(1000);
    },
  );

  test('reports an error immediately when the delay is long or unknown, or the request is not safe to repeat', async () => {
    for (const [op, given] of [
      ['GET /user/me', refusal(429, 60)],
      ['GET /user/me', refusal(503, 60)],
      ['GET /user/me', refusal(429)],
      ['PATCH /user/change-password', refusal(503, 1)],
    ] as const) {
      const { call, times } = caller(given);
      await expect(call(op, { body: {} } as never)).rejects.toThrow(Refused);
      expect(times).toHaveLength(1);
    }
  });

  test('stops waiting when the caller aborts', async () => {
    const { call, times } = caller(refusal(503, 5));
    const stop = new AbortController();
    const answer = call('GET /user/me', {}, { signal: stop.signal });
    const outcome = expect(answer).rejects.toThrow('left the page');
    await within(1000);
    stop.abort(new Error('left the page'));
    await outcome;
    await within(30_000);
    expect(times).toHaveLength(1);
  });
});
