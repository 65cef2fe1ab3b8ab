import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isTracing, type OpenSpan, openSpan } from '../platform/trace.ts';

/** What asks every few seconds and says nothing of anybody's requests. */
const UNTRACED = /^\/(metrics|health)/;

/**
 * A span for every request, by its route and never by its address. A `traceparent` of a client is not continued: strangers would decide what is
 * recorded. To be registered before anything that works for a request.
 */
export function traceRequests(app: FastifyInstance): void {
  if (!isTracing()) return;
  const spans = new WeakMap<FastifyRequest, OpenSpan>();
  const within = (request: FastifyRequest, done: () => void) => {
    const open = spans.get(request);
    if (open) open.within(done);
    else done();
  };
  app.addHook('onRequest', (request, _reply, done) => {
    const { method, id, routeOptions } = request;
    const route = routeOptions.url ?? 'unknown';
    const open = UNTRACED.test(route)
      ? undefined
      : openSpan(`${method} ${route}`, {
          kind: 'server',
          parent: 'none',
          attributes: { 'http.request.method': method, 'http.route': route, 'croupier.request_id': id },
        });
    if (open) spans.set(request, open);
    within(request, done);
  });
  // A body comes by events of the socket, which belong to no request.
  app.addHook('preValidation', (request, _reply, done) => within(request, done));
  app.addHook('onResponse', (request, reply, done) => {
    const status = reply.statusCode;
    const failure = status >= 500 ? { code: String(status) } : undefined;
    spans.get(request)?.end({ 'http.response.status_code': status }, failure);
    within(request, done);
  });
}
