import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { request } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { connect } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { commonErrors } from '../src/platform/errors.ts';
import { hasProxies, type ProxyReply, startProxies } from './kit/processes/proxy.ts';
import { until } from './kit/until.ts';

// CI installs both before the tests, so the tests fail there if one is missing.
const tested = test.skipIf(!hasProxies() && !process.env.CI);

/** Starts an upstream on a free port and returns its host:port. */
async function upstream(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close().closeAllConnections());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}
const ready = () =>
  upstream(
    createServer((request, response) => {
      if (request.url === '/health/ready') return response.end('{}');
      if (request.url === '/own')
        return response.writeHead(503, { 'x-own': 'yes' }).end('{"code":"BET_QUEUE_FULL"}');
      return response.end(JSON.stringify({ url: request.url, headers: request.headers }));
    }),
  );
/** Starts a server that accepts connections and sends nothing. */
async function silent(): Promise<string> {
  const server = createServer();
  server.on('connection', (socket: Socket) => socket.removeAllListeners('data').pause());
  return upstream(server);
}

async function proxies(api: [string, string], config?: (text: string) => string) {
  const started = await startProxies({ api, ...(config && { config }) });
  onTestFinished(started.stop);
  return started;
}

function expectError({ status, headers, text }: ProxyReply, statusCode: number, code: string): void {
  expect([status, headers['content-type']]).toEqual([statusCode, 'application/json']);
  expect(JSON.parse(text)).toEqual({
    statusCode,
    code,
    message: expect.stringMatching(/\.$/),
    requestId: expect.stringMatching(/^[0-9a-f-]{32,36}$/),
  });
  expect(headers['cache-control']).toBe('no-store');
  expect(headers['retry-after']).toBe(statusCode > 500 ? '1' : undefined);
}

tested(
  'forwards requests with the address of the client, and returns platform responses unchanged',
  async () => {
    const { call } = await proxies([await ready(), await ready()]);
    const { status, text } = await call('POST', '/echo', {
      headers: { 'x-forwarded-for': '203.0.113.9' },
      body: 'x',
    });
    expect(status).toBe(200);
    expect(JSON.parse(text).headers).toMatchObject({
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-proto': 'https',
      host: 'api.casino.example',
    });
    expect(await call('POST', '/own')).toMatchObject({
      status: 503,
      text: '{"code":"BET_QUEUE_FULL"}',
      headers: { 'x-own': 'yes' },
    });
  },
);

tested(
  'reports a body that is too large, and a path that is not public, as errors of the platform',
  async () => {
    const { call } = await proxies([await ready(), await ready()]);
    const tooLarge = await call('POST', '/casino', { body: Buffer.alloc(7 * 1024 * 1024) });
    expectError(tooLarge, 413, 'PAYLOAD_TOO_LARGE');
    expect(JSON.parse(tooLarge.text).message).toBe(commonErrors.PAYLOAD_TOO_LARGE().message);
    expectError(await call('GET', '/metrics'), 404, 'NOT_FOUND');
    expectError(await call('GET', '/proxy-error'), 404, 'NOT_FOUND');
  },
);

tested('returns platform errors when the processes or the balancer are unavailable', async () => {
  const { call, killBalancer } = await proxies(['127.0.0.1:1', '127.0.0.1:1']);
  await until(async () => (await call('POST', '/bet')).status === 503);
  const away = await call('POST', '/bet');
  expectError(away, 503, 'SERVICE_UNAVAILABLE');
  expect(JSON.parse(away.text).message).toBe(commonErrors.SERVICE_UNAVAILABLE().message);
  await killBalancer();
  expectError(await call('POST', '/bet'), 502, 'BAD_GATEWAY');
});

tested('returns a platform error when a process does not respond in time', async () => {
  const { call } = await proxies([await silent(), await silent()], (text) =>
    text.replace('proxy_read_timeout 30s;', 'proxy_read_timeout 1s;'),
  );
  expectError(await call('POST', '/bet'), 504, 'GATEWAY_TIMEOUT');
});

tested('returns a platform error to addresses that may not use the backoffice', async () => {
  const { call } = await proxies([await ready(), await ready()]);
  expectError(await call('GET', '/', { headers: { host: 'backoffice.casino.example' } }), 403, 'FORBIDDEN');
});

/** Starts a server that the balancer considers ready. It never responds to /silent and closes the connection of every other request. */
const breaking = () =>
  upstream(
    createServer((request, response) => {
      if (request.url === '/health/ready') response.end('{}');
      else if (request.url !== '/silent') request.socket.destroy();
    }),
  );

/** Returns nginx's response to raw bytes. */
async function sendRaw(port: number, bytes: string): Promise<ProxyReply> {
  const host = 'api.casino.example';
  const socket = connect({ host: '127.0.0.1', port, servername: host, rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  socket.write(bytes);
  const [head, text] = Buffer.concat(await socket.toArray())
    .toString()
    .split('\r\n\r\n') as [string, string];
  const [status, ...lines] = head.split('\r\n');
  const headers = Object.fromEntries(lines.map((line) => line.toLowerCase().split(': ', 2)));
  return { status: Number(status!.split(' ')[1]), headers, text };
}

tested('returns a platform error when a request is malformed', async () => {
  const { port } = await proxies([await ready(), await ready()]);
  const twoHosts = 'GET / HTTP/1.1\r\nhost: one.example\r\nhost: two.example\r\n\r\n';
  expectError(await sendRaw(port, twoHosts), 400, 'VALIDATION_FAILED');
});

tested('returns platform errors from the balancer', { timeout: 60_000 }, async () => {
  const started = await startProxies({
    api: [await breaking(), await breaking()],
    balancerConfig: (text) =>
      text
        .replace('timeout server 100s', 'timeout server 1s')
        // The test adds rules to the balancer that cause these errors, because requests from nginx never cause them.
        .replace(
          /^frontend api$/m,
          [400, 408, 500].reduce(
            (rules, status) => `${rules}\n  http-request deny deny_status ${status} if { path /${status} }`,
            '$&',
          ),
        ),
  });
  onTestFinished(started.stop);
  const { call } = started;
  await until(async () => (await call('GET', '/any')).status === 502);
  expectError(await call('GET', '/400'), 400, 'VALIDATION_FAILED');
  expectError(await call('GET', '/408'), 408, 'REQUEST_TIMEOUT');
  expectError(await call('GET', '/500'), 500, 'INTERNAL_ERROR');
  expectError(await call('POST', '/any'), 502, 'BAD_GATEWAY');
  expectError(await call('POST', '/silent'), 504, 'GATEWAY_TIMEOUT');
});

const onRealtime = (port: number, path: string, headers: Record<string, string> = {}) =>
  request({
    host: '127.0.0.1',
    port,
    path,
    headers: { host: 'realtime.casino.example', ...headers },
    servername: 'realtime.casino.example',
    rejectUnauthorized: false,
    agent: false,
  }).end();

const KEY = 'dGhlIHNhbXBsZSBub25jZQ==';
/** The Sec-WebSocket-Accept value for this key, from RFC 6455, section 1.3. */
const ACCEPT = 's3pPLMBiTxaQ9kYGzzhZRbK+xOo=';

/** Starts a server that responds with its name, and accepts WebSockets with its name in a header. */
function named(name: string): Promise<string> {
  const server = createServer((_request, response) => response.end(name));
  server.on('upgrade', (_request, socket) =>
    socket.end(
      `HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-accept: ${ACCEPT}\r\nx-name: ${name}\r\n\r\n`,
    ),
  );
  return upstream(server);
}

tested(
  'forwards websockets, and keeps a client that polls on the same process',
  { timeout: 20_000 },
  async () => {
    const realtime: [string, string] = [await named('one'), await named('two')];
    const started = await startProxies({ api: [await ready(), await ready()], realtime });
    onTestFinished(started.stop);
    const polled = new Set<string>();
    for (let i = 0; i < 6; i++) {
      const [reply] = (await once(onRealtime(started.port, '/socket.io/?transport=polling'), 'response')) as [
        IncomingMessage,
      ];
      polled.add((await reply.toArray()).join(''));
    }
    expect([...polled]).toEqual([expect.stringMatching(/^(one|two)$/)]);
    const upgrade = {
      connection: 'upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': KEY,
    };
    const names = new Set<unknown>();
    for (let i = 0; i < 6; i++) {
      const [reply] = (await once(
        onRealtime(started.port, '/socket.io/?transport=websocket', upgrade),
        'upgrade',
      )) as [IncomingMessage];
      expect(reply.statusCode).toBe(101);
      names.add(reply.headers['x-name']);
    }
    expect(names).toEqual(new Set(['one', 'two']));
  },
);
