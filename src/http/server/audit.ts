import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { type StaffCall, staffRight } from '../access.ts';
import { FILE_PARAMETERS, listPlace, wantsCsv } from '../content/csv.ts';
import type { Route } from '../route.ts';
import type { AppOptions } from './options.ts';
import { mfaCodeOf } from './session.ts';

/** Returns a signed-in user's call to a staff route, or undefined for any other request. It is the same object for the whole request. */
export function staffCall(request: FastifyRequest, route: Route, options: AppOptions): StaffCall | undefined {
  const permission = staffRight(route.access);
  if (permission === undefined || !request.user) return undefined;
  const isExport = listPlace(route) !== undefined && wantsCsv(request);
  request.staffCall ??= {
    user: request.user,
    service: options.name,
    method: route.method,
    path: request.url.split('?', 1)[0]! + (isExport ? AS_FILE : ''),
    permission,
    createsValue: route.createsValue,
    body: sentWith(route, request, isExport ? FILE_PARAMETERS : []),
    mfaCode: route.stepUp === 'conditional' ? mfaCodeOf(request) : undefined,
    ip: request.clientIp,
    requestId: request.id,
    status: route.status,
    isRecorded: false,
  };
  return request.staffCall;
}

/** Marks CSV exports so that the audit log distinguishes an export from viewing a page. */
const AS_FILE = ' (CSV)';

/** Returns the body. For a GET without a body it returns the query, which shows the search terms. `parameters` are valid in every query. */
function sentWith(
  { method, body, query }: Route,
  request: FastifyRequest,
  parameters: readonly string[],
): unknown {
  if (method !== 'GET' || (request.body ?? undefined) !== undefined) return declaredIn(body, request.body);
  const asked = request.query as Record<string, unknown>;
  return Object.keys(asked).length > 0 ? declaredIn(query, asked, parameters) : undefined;
}

/**
 * Hides the values of undeclared fields and keeps their names. Such a field may contain anything, for example a password under a misspelt
 * name.
 */
function declaredIn(
  schema: z.ZodType | undefined,
  body: unknown,
  parameters: readonly string[] = [],
): unknown {
  const isClosed = !schema || (schema instanceof z.ZodObject && schema.def.catchall instanceof z.ZodNever);
  if (!isClosed || typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const isField = (name: string) =>
    parameters.includes(name) || (schema !== undefined && Object.hasOwn(schema.shape, name));
  const fields = Object.entries(body);
  return Object.fromEntries(fields.map(([name, value]) => [name, isField(name) ? value : '[not a field]']));
}

/**
 * Records the outcome of a staff call before the response is sent. This covers reads, and calls that were rejected at any stage. A change
 * is recorded by its service in the same transaction. If a successful call cannot be recorded, the call fails.
 */
export function auditor(route: Route, options: AppOptions) {
  return async (request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> => {
    const call = staffCall(request, route, options);
    const { statusCode } = reply;
    // The caller exceeded the rate limit, so enough of the caller's rejected calls are recorded already.
    if (!call || statusCode === 429) return payload;
    if (statusCode >= 400) await options.audit(call, statusCode).catch(() => undefined);
    else if (!call.isRecorded) await options.audit(call, statusCode);
    return payload;
  };
}
