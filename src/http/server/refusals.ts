import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type AppError, commonErrors } from '../../platform/errors.ts';
import { foreignOrigin } from '../../platform/net/origins.ts';
import { limitRepeats } from '../../platform/observability/log-repeats.ts';
import type { AppOptions } from './options.ts';
import { toWire } from './wire.ts';

/** The error for a client that disconnected before it had sent the complete body. This is not a server error. */
const CUT_OFF = () =>
  commonErrors.VALIDATION_FAILED({ fields: [{ path: '', message: 'The body is not complete.' }] });

type Options = Pick<AppOptions, 'log' | 'isUnavailable' | 'isOutage'> & {
  /** Returns the methods that a path accepts. The list is empty if the path is unknown. */
  methodsOf: (path: string) => string[];
};

/** Responds to failed requests and to requests that match no route. */
export function registerErrors(
  app: FastifyInstance,
  { log: all, isUnavailable, isOutage, methodsOf }: Options,
): void {
  const log = limitRepeats(all);
  app.setNotFoundHandler((request, reply) => {
    const allow = methodsOf(request.url.split('?', 1)[0]!);
    const { body } = toWire(refusalOf(request, allow), request.id, isUnavailable);
    if (body.statusCode === 405) reply.header('allow', allow.join(', '));
    return reply.code(body.statusCode).send(body);
  });
  app.setErrorHandler((error, request, reply) => {
    const isCut = request.raw.errored !== null && error === request.raw.errored;
    const { body, headers, expected } = toWire(isCut ? CUT_OFF() : error, request.id, isUnavailable);
    if (!expected) {
      const facts = { requestId: request.id, route: request.routeOptions.url, code: body.code };
      log[isOutage?.() && isUnavailable(error) ? 'debug' : 'error'](
        { ...facts, error: error instanceof Error ? (error.stack ?? error.message) : String(error) },
        'request failed',
      );
    }
    return reply.code(body.statusCode).headers(headers).send(body);
  });
}

/**
 * Returns the error for an unknown route or method, or for a preflight request. A preflight request reaches this handler only if its origin
 * is not allowed, because the plugin responds to all others.
 */
function refusalOf({ method, headers }: FastifyRequest, allow: readonly string[]): AppError {
  // A path that only looks like a route, such as one with a line break in a parameter, allows the method but has no handler.
  if (allow.length === 0 || allow.includes(method)) return commonErrors.NOT_FOUND();
  const isPreflight = method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
  return isPreflight && headers.origin !== undefined
    ? foreignOrigin(headers)
    : commonErrors.METHOD_NOT_ALLOWED({ method, allow });
}
