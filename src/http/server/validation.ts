import { z } from 'zod';
import { type AppError, commonErrors, type ErrorFactory } from '../../platform/errors.ts';
import { FORBIDDEN_KEYS, isStorable } from './body.ts';

type Schema = z.ZodType;

/** Returns a strict validator for a JSON body. It coerces nothing and rejects unknown fields. */
export function bodyReader(schema: Schema): (value: unknown) => unknown {
  return (value) => parse(schema, value === undefined ? {} : value);
}

const readNothing = bodyReader(z.strictObject({}));

/** Rejects a query on a route that declares no query, and a non-empty body on a route that declares no body. */
export function assertEmpty(value: unknown): void {
  if (value !== undefined && !isEmptyObject(value)) readNothing(value);
}

function isEmptyObject(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  for (const _name in value) return false;
  return true;
}

/**
 * Returns a validator for query, path or header values. Text becomes a number, a boolean or an array where the schema requires it. Only
 * plain notation is accepted ("10", not " 10", "1e1" or "0x0A").
 */
export function textReader(schema: z.ZodObject): (value: unknown) => unknown {
  let kinds: [string, Kind][] | undefined;
  return (value) => {
    // Determined by the first request, because this takes longer than registering the route.
    kinds ??= Object.entries(schema.shape).map(([name, field]) => [name, kindOf(field as Schema)]);
    const record: Record<string, unknown> = { ...(value as object) };
    for (const [name, given] of Object.entries(record)) assertStorable(name, given);
    for (const [name, kind] of kinds) {
      if (record[name] !== undefined) record[name] = convert(record[name], kind);
    }
    return parse(schema, record);
  };
}

function assertStorable(name: string, given: unknown): void {
  const isForbidden = FORBIDDEN_KEYS.has(name);
  if (!isForbidden && [given].flat().every((text) => typeof text !== 'string' || isStorable(text))) return;
  const message = isForbidden ? 'is not a field of this request' : 'has a NUL or half a character';
  throw commonErrors.VALIDATION_FAILED({ fields: [{ path: name, message }] });
}

/** Returns a validator for path parameters. For an invalid parameter it throws the same 404 that the route returns for an unknown id. */
export function pathReader(
  schema: z.ZodObject,
  absent: ErrorFactory = commonErrors.NOT_FOUND,
): (value: unknown) => unknown {
  const read = textReader(schema);
  return (value) => {
    try {
      return read(value);
    } catch {
      throw absent();
    }
  };
}

type Kind = 'number' | 'boolean' | 'array' | 'text';

function kindOf(field: Schema): Kind {
  const json = z.toJSONSchema(field, { io: 'input', unrepresentable: 'any' }) as {
    type?: string | string[];
    anyOf?: { type?: string }[];
  };
  const types = json.type === undefined ? json.anyOf?.map((one) => one.type) : [json.type].flat();
  const type = types?.find((one) => one !== 'null');
  if (type === 'number' || type === 'integer') return 'number';
  return type === 'boolean' || type === 'array' ? type : 'text';
}

function convert(value: unknown, kind: Kind): unknown {
  if (kind === 'array') return Array.isArray(value) ? value : [value];
  if (typeof value !== 'string') return value;
  if (kind === 'number') return /^-?(0|[1-9]\d{0,15})(\.\d{1,18})?$/.test(value) ? Number(value) : value;
  if (kind === 'boolean') return value === 'true' ? true : value === 'false' ? false : value;
  return value;
}

function parse(schema: Schema, value: unknown): unknown {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw invalid(parsed.error);
}

/** Lists the first 20 invalid fields. Unknown field names come from the caller, so long ones are shortened. */
function invalid(error: z.ZodError): AppError {
  const fields = error.issues.slice(0, 20).map((issue) => {
    const isUnknown = issue.code === 'unrecognized_keys';
    const path = isUnknown ? [...issue.path, issue.keys[0]] : issue.path;
    const message = isUnknown ? 'is not a field of this request' : issue.message;
    return { path: path.join('.').slice(0, 200), message };
  });
  return commonErrors.VALIDATION_FAILED({ fields });
}
