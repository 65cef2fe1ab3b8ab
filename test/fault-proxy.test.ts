import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { startFaultProxy } from './kit/processes/fault-proxy.ts';

/** Starts a proxy in front of a server that sends everything back. */
async function startProxy() {
  const server = createServer({ allowHalfOpen: true }, (socket) => socket.pipe(socket)).listen(
    0,
    '127.0.0.1',
  );
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const proxy = await startFaultProxy({ target: { host: '127.0.0.1', port } });
  onTestFinished(async () => {
    await proxy.stop();
    server.close();
  });
  return proxy;
}

test('forwards delayed data before the end of the connection', async () => {
  const proxy = await startProxy();
  proxy.mode({ latencyMs: 50 });
  const client = connect({ port: proxy.port, host: '127.0.0.1', allowHalfOpen: true });
  client.end('hello');
  expect(await text(client)).toBe('hello');
});

test('keeps the order of the data when the delay ends', async () => {
  const seen: string[] = [];
  const proxy = await startProxy();
  proxy.mode({ latencyMs: 100 });
  const client = connect({ port: proxy.port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
  client.on('data', (chunk) => seen.push(String(chunk)));
  client.write('first ');
  await new Promise((resolve) => setTimeout(resolve, 30));
  proxy.mode('pass');
  client.end('second');
  await once(client, 'end');
  expect(seen.join('')).toBe('first second');
});
