import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isTracing, type OpenSpan, openSpan } from '../../platform/observability/trace.ts';

/** Routes that are polled every few seconds and do not belong to a user's request. */
const UNTRACED = /^\/(metrics|health)/;

/**
 * Creates a span for every request, named after its route and never after its URL. A client's `traceparent` is not continued, because
 * clients would then decide what is recorded. Register it before all other hooks.
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
  // Body data arrives in socket events, which run outside the request's context.
  app.addHook('preValidation', (request, _reply, done) => within(request, done));
  app.addHook('onResponse', (request, reply, done) => {
    const status = reply.statusCode;
    const failure = status >= 500 ? { code: String(status) } : undefined;
    spans.get(request)?.end({ 'http.response.status_code': status }, failure);
    within(request, done);
  });
}
