import { expect } from 'vitest';
import { committedDocument, misfits, type Schema } from './openapi.ts';

const ErrorBody: Schema = committedDocument('main').components.schemas.ErrorBody;

/** Internal details that must not leak: stack traces, SQL, SQLSTATE, file paths, and names of libraries and their errors. */
const INSIDE =
  /\bat \S+ \(|\.[tj]s\b|node_modules|\/work\/|\/src\/|file:\/\/|\b(select|insert|delete from|update) |syntax error|relation "|constraint|violates|\b(2[23]\d{3}|42[0-9A-Z]{3})\b|pg_|postgres|kysely|fastify|\bzod\b|undici|argon|FST_|HPE_|ERR_|ECONN|ENOENT|TypeError|RangeError|ZodError|secret|stack/i;

type Refusal = { status: number; body: any; text: string; headers: Headers };

/** Expects the standard error body: only declared fields, the request id in body and header, and no internal details. */
export function expectErrorBody(
  { status, body, text, headers }: Refusal,
  expected: { status: number; code: string },
) {
  expect({ status, code: body?.code }).toEqual(expected);
  expect(misfits(ErrorBody, body)).toEqual([]);
  expect(body.statusCode).toBe(status);
  expect(body.requestId).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  expect(headers.get('x-request-id')).toBe(body.requestId);
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(headers.get('cache-control')).toBe('no-store');
  expect(text).not.toMatch(INSIDE);
}
