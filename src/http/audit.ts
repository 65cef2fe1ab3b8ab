import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { type StaffCall, staffRight } from './access.ts';
import { listPlace, wantsCsv } from './csv.ts';
import type { AppOptions } from './options.ts';
import type { Route } from './route.ts';
import { mfaCodeOf } from './session.ts';

/** The call of a signed-in user to a route for staff, the same object for the whole request; undefined for any other request. */
export function staffCall(request: FastifyRequest, route: Route, options: AppOptions): StaffCall | undefined {
  const permission = staffRight(route.access);
  if (permission === undefined || !request.user) return undefined;
  request.staffCall ??= {
    user: request.user,
    service: options.name,
    method: route.method,
    path: request.url.split('?', 1)[0]! + (listPlace(route) && wantsCsv(request) ? AS_FILE : ''),
    permission,
    body: sentWith(route, request),
    mfaCode: route.stepUp === 'conditional' ? mfaCodeOf(request) : undefined,
    ip: request.ip,
    requestId: request.id,
    status: route.status,
    isRecorded: false,
  };
  return request.staffCall;
}

/** Whoever takes a whole list away is told from whoever looks at a page of it. */
const AS_FILE = ' (CSV)';

/** The body; of a GET, which has none, the query: what was looked for. */
function sentWith({ method, body, query }: Route, request: FastifyRequest): unknown {
  if (method !== 'GET' || (request.body ?? undefined) !== undefined) return declaredIn(body, request.body);
  const asked = request.query as Record<string, unknown>;
  return Object.keys(asked).length > 0 ? declaredIn(query, asked) : undefined;
}

/** A field that the route does not have keeps its name alone: nobody knows what it holds, such as a misspelt password. */
function declaredIn(schema: z.ZodType | undefined, body: unknown): unknown {
  const isClosed = !schema || (schema instanceof z.ZodObject && schema.def.catchall instanceof z.ZodNever);
  if (!isClosed || typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const isField = (name: string) => schema !== undefined && Object.hasOwn(schema.shape, name);
  const fields = Object.entries(body);
  return Object.fromEntries(fields.map(([name, value]) => [name, isField(name) ? value : '[not a field]']));
}

/**
 * Writes down what became of a call of staff, before it is answered: reads, and whatever was refused at any stage. A change was
 * written by its service in the same transaction. A success that cannot be written down is not answered.
 */
export function auditor(route: Route, options: AppOptions) {
  return async (request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> => {
    const call = staffCall(request, route, options);
    const { statusCode } = reply;
    // Enough refusals of a caller who is over the limit are recorded already.
    if (!call || statusCode === 429) return payload;
    if (statusCode >= 400) await options.audit(call, statusCode).catch(() => undefined);
    else if (!call.isRecorded) await options.audit(call, statusCode);
    return payload;
  };
}
