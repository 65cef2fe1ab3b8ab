import { type AddressInfo, createServer as createListener } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { fixture } from '../../../../../test/kit/fixture.ts';
import { startOutside } from '../../../../../test/kit/http/outside.ts';
import { paymentsAt } from '../../../../../test/kit/money/payments.ts';
import { loadConfig } from '../../../../platform/config/config.ts';
import { NotSent, Unanswered } from '../../../../platform/net/outbound.ts';
import { createLog } from '../../../../platform/observability/log.ts';
import type { PaymentProvider } from '../provider.ts';
import { createProviders } from './registry.ts';

const TIMEOUT_MS = 1000;
const MIB = 1024 * 1024;
let pay: ReturnType<typeof paymentsAt>;
let connections = 0;
const listener = createListener((socket) => {
  connections += 1;
  socket.destroy();
});

const outside = fixture(startOutside);
beforeAll(async () => {
  pay = paymentsAt(outside.url);
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
});
afterEach(() => pay.behave());
afterAll(async () => {
  listener.close();
});

const lines: string[] = [];
function provider(id = 'sandbox'): PaymentProvider {
  const config = loadConfig({
    APP_ENV: 'test',
    ...outside.env,
    NOWPAYMENTS_API_URL: `${outside.url}/payments/nowpayments`,
    NOWPAYMENTS_API_KEY: 'sandbox-nowpayments-key',
    NOWPAYMENTS_EMAIL: 'money@croupier.test',
    NOWPAYMENTS_PASSWORD: 'only-nowpayments-knows-this',
    BTCPAY_URL: `${outside.url}/payments/btcpay`,
    BTCPAY_API_KEY: 'sandbox-btcpay-key',
  });
  const destination = { write: (line: string) => void lines.push(line) };
  const log = createLog({ level: 'info', service: 'test', destination });
  return createProviders({ config, log, timeoutMs: TIMEOUT_MS }).get(id);
}
const anAddress = (from: PaymentProvider) =>
  from.createAddress({ reference: 'P10', userId: 7, currencyId: 'BTC', networkId: 'bitcoin' });

/** Returns the maximum growth of this process's memory while `work` runs. The sandbox runs in the same process. */
async function growth(work: () => Promise<unknown>): Promise<number> {
  const before = process.memoryUsage.rss();
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss());
  }, 5);
  await work();
  clearInterval(timer);
  return Math.max(most, process.memoryUsage.rss()) - before;
}

test.each(['sandbox', 'nowpayments', 'btcpay'])(
  'times out and uses little memory when %s sends huge, slow or malformed responses',
  async (id) => {
    const redirectTo = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/`;
    const grown = await growth(async () => {
      for (const addresses of ['huge', 'drip', 'garbage', 'wrong-types', 'redirect', 'headers', 'huge']) {
        await pay.behave({ addresses, redirectTo });
        const start = performance.now();
        await expect(anAddress(provider(id)), addresses).rejects.toThrow(Unanswered);
        expect(performance.now() - start, addresses).toBeLessThan(TIMEOUT_MS + 10_000);
      }
    });
    expect(connections).toBe(0);
    expect(grown / MIB).toBeLessThan(50);
  },
);

test('reads little more than 1 MiB of a 100 MB response', async () => {
  await pay.behave({ addresses: 'huge' });
  let sent = 0;
  const relay = createListener((socket) => {
    socket.once('data', () => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n');
      const piece = Buffer.alloc(64 * 1024, ' ');
      const fill = () => {
        while (!socket.destroyed && sent < 100 * MIB) {
          sent += piece.length;
          if (!socket.write(piece)) return void socket.once('drain', fill);
        }
      };
      fill();
    });
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
  const PAYMENT_API_URL = `http://127.0.0.1:${(relay.address() as AddressInfo).port}`;
  const config = loadConfig({ APP_ENV: 'test', PAYMENT_API_URL });
  const log = createLog({ level: 'silent', service: 'test' });
  await expect(anAddress(createProviders({ config, log }).active!)).rejects.toThrow(
    'more than 1048576 bytes',
  );
  // The remaining bytes in the buffers of both sockets were never read.
  expect(sent).toBeLessThan(12 * MIB);
  relay.close();
});

test('sends no request for five seconds after five failures, and then sends one test request', async () => {
  const from = provider();
  await pay.behave({ addresses: 'error-before' });
  for (let i = 0; i < 5; i++) await expect(anAddress(from)).rejects.toThrow(Unanswered);
  await pay.behave();
  const asked = (await pay.books()).payouts.length;
  const start = performance.now();
  for (let i = 0; i < 20; i++) await expect(anAddress(from)).rejects.toThrow(NotSent);
  expect(performance.now() - start).toBeLessThan(4000);
  expect((await pay.books()).payouts.length).toBe(asked);
  await expect
    .poll(() => anAddress(from).then(({ address }) => address, String), { timeout: 8000, interval: 200 })
    .toMatch(/^1/);
  expect(performance.now() - start).toBeGreaterThan(4500);
  await expect(anAddress(from)).resolves.toBeDefined();
  await sleep(0);
  expect(lines.filter((line) => line.includes('requests to it are paused'))).toHaveLength(1);
  expect(lines.filter((line) => line.includes('responds again'))).toHaveLength(1);
});
