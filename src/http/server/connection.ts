import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { commonErrors } from '../../platform/errors.ts';
import { readCookies, repeatedHeader } from '../../platform/net/request-headers.ts';

const REFUSALS: Readonly<Record<string, readonly [status: number, reason: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout'],
};

/** Rejects requests that Node could not parse (bad syntax, headers too large or too slow) with the usual error body and headers. */
export function refuseConnection(
  error: Error & { code?: string },
  socket: Socket,
  fixed: Readonly<Record<string, string>>,
): void {
  if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy();
  const [statusCode, reason] = REFUSALS[error.code ?? ''] ?? [400, 'Bad Request'];
  const requestId = randomUUID();
  const body = JSON.stringify({ statusCode, code: 'VALIDATION_FAILED', message: `${reason}.`, requestId });
  const head = [
    `HTTP/1.1 ${statusCode} ${reason}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${requestId}`,
    ...Object.entries(fixed).map(([name, value]) => `${name}: ${value}`),
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

/**
 * Replaces a path that cannot be decoded with a path that matches no route. Otherwise the router itself would respond, without running any
 * hook and without the usual error body.
 */
export function routableUrl(url: string): string {
  if (!url.includes('%')) return url;
  try {
    decodeURIComponent(url.split('?', 1)[0]!);
    return url;
  } catch {
    return '/%00';
  }
}

const refusal = (path: string, message: string) =>
  commonErrors.VALIDATION_FAILED({ fields: [{ path: path.slice(0, 100), message }] });

/**
 * Rejects requests that Node would handle without our hooks, before any other code reads them.
 * - Node would respond to a missing Host header (400) and an unknown Expect header (417) without the usual error body and headers.
 * - Node silently uses one value of a repeated header or joins the values. A proxy may use a different value than we do, so repeated
 * headers are rejected.
 */
export function answerOurselves(app: FastifyInstance, isSecure: boolean): void {
  app.decorateRequest('ownCookies');
  app.server.on('checkExpectation', (request, response) => app.routing(request, response));
  app.addHook('onRequest', (request, _reply, done) => {
    const needsHost = request.raw.httpVersionMajor === 1 && request.raw.httpVersionMinor === 1;
    if (needsHost && request.headers.host === undefined) return done(refusal('Host', 'is missing'));
    const repeated = repeatedHeader(request.raw);
    if (repeated?.toLowerCase() === 'authorization') return done(commonErrors.UNAUTHORIZED());
    if (repeated !== undefined) return done(refusal(repeated, 'is given twice'));
    const read = readCookies(request.headers.cookie, isSecure);
    if ('twice' in read) return done(refusal(`Cookie ${read.twice}`, 'is given twice'));
    request.ownCookies = read.cookies;
    done();
  });
}
