import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isSameSecret } from '../platform/encryption.ts';
import { commonErrors } from '../platform/errors.ts';
import type { Log } from '../platform/log.ts';
import type { AppOptions } from './options.ts';

/** Counts and logs every answer, and serves GET /metrics. */
export function registerTelemetry(app: FastifyInstance, { config, log, metrics }: AppOptions): void {
  const classes = ['0', '1xx', '2xx', '3xx', '4xx', '5xx'];
  const counters = classes.map((status) => metrics.httpRequests.labels({ status }));
  let seen = 0;
  app.addHook('onResponse', (request, reply, done) => {
    if (log.isLevelEnabled('debug')) logRequest(log, request, reply);
    counters[Math.floor(reply.statusCode / 100)]?.inc();
    if (++seen % 16 === 0) metrics.httpDuration.observe(reply.elapsedTime / 1000);
    done();
  });
  app.get('/metrics', async (request, reply) => {
    const token = config.METRICS_TOKEN;
    const allowed = token
      ? isSameSecret(request.headers.authorization ?? '', `Bearer ${token}`)
      : isLoopback(request.ip);
    if (!allowed) throw commonErrors.NOT_FOUND();
    return reply.type(metrics.registry.contentType).send(await metrics.registry.metrics());
  });
}

/** Which operation, never what was in it: addresses as called, queries, headers and bodies may hold secrets. */
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

function isLoopback(ip: string): boolean {
  return ip === '::1' || ip.startsWith('127.') || ip.startsWith('::ffff:127.');
}
