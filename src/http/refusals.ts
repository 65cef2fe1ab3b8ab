import type { FastifyInstance } from 'fastify';
import { commonErrors } from '../platform/errors.ts';
import type { AppOptions } from './options.ts';
import { toWire } from './wire.ts';

/** The client went away before its body was complete: nothing failed on our side. */
const CUT_OFF = () =>
  commonErrors.VALIDATION_FAILED({ fields: [{ path: '', message: 'The body is not complete.' }] });

/** What is answered when a request fails. */
export function registerErrors(app: FastifyInstance, { log, isUnavailable, isOutage }: AppOptions): void {
  app.setNotFoundHandler((request, reply) => {
    const { body } = toWire(commonErrors.NOT_FOUND(), request.id, isUnavailable);
    return reply.code(404).send(body);
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
