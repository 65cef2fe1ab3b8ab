import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { commonErrors } from '../../platform/errors.ts';
import type { Log } from '../../platform/observability/log.ts';
import { isSameSecret } from '../../platform/secrets/encryption.ts';
import type { AppOptions } from './options.ts';

/**
 * The label for requests to unknown paths. Clients choose the path, so using it as a label would create a separate time series for every
 * path.
 */
const NO_ROUTE = 'none';

/** Counts the responses of every route that is registered after it, and logs them at level debug. */
export function countResponses(app: FastifyInstance, { log, metrics }: AppOptions): void {
  // A hook on each route avoids looking up the route for each request.
  app.addHook('onRoute', (route) => {
    const methods = [route.method].flat();
    const count = metrics.countRoute(methods.length === 1 ? methods[0]! : 'any', route.url);
    route.onResponse = [
      ...[route.onResponse ?? []].flat(),
      (_request, reply, done) => {
        count(reply.statusCode, reply.elapsedTime);
        done();
      },
    ];
  });
  const countUnknown = metrics.countRoute(NO_ROUTE, NO_ROUTE);
  app.addHook('onResponse', (request, reply, done) => {
    if (log.isLevelEnabled('debug')) logRequest(log, request, reply);
    if (request.is404) countUnknown(reply.statusCode, reply.elapsedTime);
    done();
  });
}

/** Serves GET /metrics. With METRICS_TOKEN, callers must send it. Otherwise only programs on this machine have access. */
export function registerMetrics(app: FastifyInstance, { config, metrics }: AppOptions): void {
  app.get('/metrics', async (request, reply) => {
    const token = config.METRICS_TOKEN;
    const allowed = token
      ? isSameSecret(request.headers.authorization ?? '', `Bearer ${token}`)
      : isLocal(request);
    if (!allowed) throw commonErrors.NOT_FOUND();
    return reply.type(metrics.registry.contentType).send(await metrics.registry.metrics());
  });
}

/** Logs the operation but none of its data: URLs, queries, headers and bodies may contain secrets. */
function logRequest(log: Log, request: FastifyRequest, reply: FastifyReply): void {
  const facts = {
    method: request.method,
    route: request.routeOptions.url ?? 'unknown',
    status: reply.statusCode,
    ms: Math.round(reply.elapsedTime),
    requestId: request.id,
    userId: request.user?.id ?? request.apiClient?.userId,
  };
  log.debug(facts, 'request');
}

const FORWARDED = [
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
  'forwarded',
  'via',
];

/**
 * Returns true if the caller is a program on this machine. Returns false for requests that a proxy on this machine forwards, even if the
 * proxy is trusted.
 */
function isLocal({ raw: { headers, socket } }: FastifyRequest): boolean {
  const peer = socket.remoteAddress ?? '';
  const isLoopback = peer === '::1' || peer.startsWith('127.') || peer.startsWith('::ffff:127.');
  return isLoopback && FORWARDED.every((name) => headers[name] === undefined);
}
