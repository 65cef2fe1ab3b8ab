import { z } from 'zod';
import { type AppError, commonErrors } from '../platform/errors.ts';
import { assertText } from './body.ts';

type Schema = z.ZodType;

/** Strict reader of a JSON body: nothing is coerced, unknown fields are refused. */
export function bodyReader(schema: Schema): (value: unknown) => unknown {
  return (value) => parse(schema, value === undefined ? {} : value);
}

/**
 * Reader of query, path or header values. Text becomes a number, a boolean or an array where the schema says so and
 * only when it is written plainly ("10", not " 10", "1e1" or "0x0A").
 */
export function textReader(schema: z.ZodObject): (value: unknown) => unknown {
  const kinds = Object.entries(schema.shape).map(([name, field]) => [name, kindOf(field as Schema)] as const);
  return (value) => {
    const record: Record<string, unknown> = { ...(value as object) };
    for (const [name, kind] of kinds) {
      if (record[name] !== undefined) record[name] = convert(record[name], kind);
    }
    return parse(schema, record);
  };
}

/** A path that does not fit its parameters is a path that does not exist: 404, the same as an unknown id. */
export function pathReader(schema: z.ZodObject): (value: unknown) => unknown {
  const read = textReader(schema);
  return (value) => {
    try {
      for (const text of Object.values(value as object)) assertText(String(text));
      return read(value);
    } catch {
      throw commonErrors.NOT_FOUND();
    }
  };
}

type Kind = 'number' | 'boolean' | 'array' | 'text';

function kindOf(field: Schema): Kind {
  const json = z.toJSONSchema(field, { io: 'input', unrepresentable: 'any' }) as {
    type?: string;
    anyOf?: { type?: string }[];
  };
  const type = json.type ?? json.anyOf?.find((s) => s.type !== 'null')?.type;
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

function invalid(error: z.ZodError): AppError {
  const fields = error.issues.slice(0, 20).map((issue) => ({
    path:
      issue.code === 'unrecognized_keys' ? [...issue.path, issue.keys[0]].join('.') : issue.path.join('.'),
    message: issue.code === 'unrecognized_keys' ? 'is not a field of this request' : issue.message,
  }));
  return commonErrors.VALIDATION_FAILED({ fields });
}
