import { z } from 'zod';
import { readNotice } from '../../../http/notice.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { idOf, isNumeral, parseExact } from '../../../platform/exact-json.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads a signed report of something that has already happened. Partners format such reports in different ways, so a report is not rejected
 * because of its formatting. Unknown fields are ignored, numbers may be strings and strings numbers, an empty string is treated as null if
 * the schema allows null, enum values may differ in letter case, and a value may be wrapped in an array. Throws 400 VALIDATION_FAILED for
 * all other deviations.
 */
export function readReport<S extends z.ZodObject>(raw: Buffer, schema: S): z.output<S> {
  const plain = fieldsOf(readNotice(raw, z.unknown()));
  const exact = raw.length === 0 ? {} : fieldsOf(parseExact(raw.toString()));
  const fields = Object.entries(schema.shape).flatMap(([name, field]) => {
    if (!Object.hasOwn(plain, name)) return [];
    const value = respelled(field as z.ZodType, plain[name], exact[name]);
    return value === undefined ? [] : [[name, value] as const];
  });
  const parsed = schema.safeParse(Object.fromEntries(fields));
  if (parsed.success) return parsed.data;
  throw commonErrors.VALIDATION_FAILED({
    fields: parsed.error.issues
      .slice(0, 20)
      .map(({ path, message }) => ({ path: path.join('.').slice(0, 200), message })),
  });
}

/** Returns the fields of a body that is an object or an array of one object. */
function fieldsOf(body: unknown): Fields {
  const only = Array.isArray(body) && body.length === 1 ? body[0] : body;
  if (typeof only === 'object' && only !== null && !Array.isArray(only)) return only as Fields;
  throw commonErrors.VALIDATION_FAILED({ fields: [{ path: '', message: 'needs to be an object' }] });
}

/**
 * Returns the first variant of a value that the field accepts, or the value itself if the field accepts none. `exact` is the value with its
 * numbers as the partner has written them.
 */
function respelled(field: z.ZodType, plain: unknown, exact: unknown): unknown {
  // A field with a fallback value accepts every variant, so the inner schema is checked.
  const strict = field instanceof z.ZodCatch ? (field.unwrap() as z.ZodType) : field;
  const isTaken = (value: unknown) => strict.safeParse(value).success;
  const values = [...(plain === '' ? [null, undefined] : []), exact, plain, ...spellings(exact)];
  const taken = values.findIndex(isTaken);
  return taken < 0 ? plain : values[taken];
}

function spellings(value: unknown): unknown[] {
  if (Array.isArray(value)) {
    const [only, ...more] = value as unknown[];
    return more.length === 0 ? [...(only === '' ? [null] : []), only, ...spellings(only)] : [];
  }
  const text = isNumeral(value) ? idOf(value) : typeof value === 'string' ? value.trim() : undefined;
  if (text === undefined) return [];
  const number = text === '' ? Number.NaN : Number(text);
  const cases = [text, text.toUpperCase(), text.toLowerCase()];
  return Number.isFinite(number) ? [number, ...cases] : cases;
}

/** Returns the field names in a body, so that callers can count the unknown ones. The result is empty if the body cannot be read. */
export function fieldNamesOf(raw: Buffer): readonly string[] {
  try {
    return Object.keys(fieldsOf(readNotice(raw, z.unknown())));
  } catch {
    return [];
  }
}
