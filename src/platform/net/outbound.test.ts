import { createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createOutbound, NotSent, type OutboundRequest, Unanswered } from './outbound.ts';

const log = { warn() {}, info() {}, error() {}, debug() {} } as never;
const POST: OutboundRequest = { method: 'POST', path: '/payout', body: '{}' };
const outcomeOf = (baseUrl: string, timeoutMs = 500) =>
  createOutbound({ name: 'partner', baseUrl, log, timeoutMs })
    .ask(POST)
    .then(
      ({ status }) => String(status),
      (error: unknown) =>
        error instanceof NotSent ? 'not sent' : error instanceof Unanswered ? 'unknown' : String(error),
    );

/** Starts a server that handles every connection with the given function. Returns the server's port. */
async function listen(onSocket: (socket: Socket) => void) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    onSocket(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stops.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as { port: number }).port;
}
const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
  vi.unstubAllGlobals();
});

describe('over real connections', () => {
  test('treats a request whose connection is refused as not sent', async () => {
    const port = await listen(() => {});
    stops.pop()!();
    expect(await outcomeOf(`http://127.0.0.1:${port}`)).toBe('not sent');
  });

  test('treats a request to an unknown host as not sent', async () => {
    expect(await outcomeOf('http://partner.invalid')).toBe('not sent');
  });

  test('treats a request as not sent if its TLS handshake does not complete', async () => {
    const port = await listen(() => {});
    expect(await outcomeOf(`https://127.0.0.1:${port}`)).toBe('not sent');
  });

  test('treats a request as not sent if its TLS handshake is interrupted or rejected', async () => {
    const cut = await listen((socket) => socket.once('data', () => socket.destroy()));
    const plain = await listen((socket) => socket.once('data', () => socket.end('HTTP/1.1 400 Bad\r\n\r\n')));
    expect(await outcomeOf(`https://127.0.0.1:${cut}`)).toBe('not sent');
    expect(await outcomeOf(`https://127.0.0.1:${plain}`)).toBe('not sent');
  });

  test('treats the outcome as unknown if the response is missing or incomplete', async () => {
    const silent = await listen(() => {});
    const reset = await listen((socket) => socket.once('data', () => socket.resetAndDestroy()));
    const half = await listen((socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{'));
    for (const port of [silent, reset, half])
      expect(await outcomeOf(`http://127.0.0.1:${port}`)).toBe('unknown');
  });

  test('treats the outcome as unknown for status 500, and returns any status below 500', async () => {
    const answers = (status: string) =>
      listen((socket) =>
        socket.once('data', () => socket.end(`HTTP/1.1 ${status}\r\ncontent-length: 0\r\n\r\n`)),
      );
    expect(await outcomeOf(`http://127.0.0.1:${await answers('500 No')}`)).toBe('unknown');
    expect(await outcomeOf(`http://127.0.0.1:${await answers('404 No')}`)).toBe('404');
  });
});

/** Node's errors for requests whose progress could not be tracked. */
describe('classification by the error alone', () => {
  const failing = (cause: unknown) =>
    vi.stubGlobal('fetch', async () => {
      throw Object.assign(new TypeError('fetch failed'), { cause });
    });
  const errorOf = (code: string, fields: object = {}) => Object.assign(new Error(code), { code, ...fields });
  const several = (...errors: Error[]) =>
    Object.assign(new AggregateError(errors, ''), { code: (errors[0] as { code?: string }).code });

  test.each([
    ['a connect timeout of the system', errorOf('ETIMEDOUT', { syscall: 'connect' })],
    ['a connect timeout of the client', errorOf('UND_ERR_CONNECT_TIMEOUT')],
    ['a reset while connecting', errorOf('ECONNRESET', { syscall: 'connect' })],
    ['a name that is not found', errorOf('ENOTFOUND', { syscall: 'getaddrinfo' })],
    ['an expired certificate', errorOf('CERT_HAS_EXPIRED')],
    ['an unknown issuer', errorOf('UNABLE_TO_GET_ISSUER_CERT_LOCALLY')],
    [
      'timeouts of every address',
      several(errorOf('ETIMEDOUT', { syscall: 'connect' }), errorOf('ENETUNREACH', { syscall: 'connect' })),
    ],
  ])('counts %s as not sent', async (_, cause) => {
    failing(cause);
    expect(await outcomeOf('https://partner.example')).toBe('not sent');
  });

  test.each([
    ['a timeout while reading', errorOf('ETIMEDOUT', { syscall: 'read' })],
    ['a reset connection', errorOf('ECONNRESET', { syscall: 'read' })],
    ['a closed socket', errorOf('UND_ERR_SOCKET')],
    [
      'several errors of which one came after connecting',
      several(errorOf('ECONNREFUSED'), errorOf('ECONNRESET')),
    ],
    ['an error without a cause', undefined],
  ])('counts %s as unknown', async (_, cause) => {
    failing(cause);
    expect(await outcomeOf('https://partner.example')).toBe('unknown');
  });
});
