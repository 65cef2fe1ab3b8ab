import { z } from 'zod';
import { readNotice } from '../../../../../http/notice.ts';
import { type Numeral, numeral, parseExact } from '../../../../../platform/exact-json.ts';
import { integerOf } from './rules.ts';

/** Maximum length of a callback's body. */
export const MOST_BYTES = 64 * 1024;

const Anything = z.looseObject({});
/** Matches a body that may contain a number that a float cannot represent exactly. */
const INEXACT = /\d[.eE]|\d{16}/;

/**
 * Parses a JSON body. Returns undefined if the body is invalid or too long. Numbers that a float cannot represent are returned as the
 * original string.
 */
export function readFields(raw: Buffer): Record<string, unknown> | undefined {
  if (raw.length > MOST_BYTES) return undefined;
  try {
    const fields = readNotice(raw, Anything);
    const body = raw.toString();
    return INEXACT.test(body) ? (parseExact(body) as Record<string, unknown>) : fields;
  } catch {
    return undefined;
  }
}

/** Returns the names of the fields that a schema does not contain, or undefined if there are none. */
export function unknownFields(fields: object, known: ReadonlySet<string>): readonly string[] | undefined {
  for (const name in fields)
    if (!known.has(name)) return Object.keys(fields).filter((each) => !known.has(each));
  return undefined;
}

export type Unfit = { unfit: 'INVALID_REQUEST' | 'INVALID_TYPE' };

/** Parses fields with their schema. Returns INVALID_TYPE if a field has a value of the wrong type. */
export function fitFields<S extends z.ZodType>(fields: unknown, schema: S): { fit: z.output<S> } | Unfit {
  const parsed = parsedBy(schema, fields);
  if (!parsed) return { unfit: 'INVALID_TYPE' };
  if (parsed.success) return { fit: parsed.data };
  const isType = parsed.error.issues.some(
    ({ code, input, message }) =>
      input !== undefined && (code === 'invalid_type' || message === 'needs to be a number'),
  );
  return { unfit: isType ? 'INVALID_TYPE' : 'INVALID_REQUEST' };
}

/** Returns undefined if zod throws, which it does for an object with a non-numeric `length`. */
function parsedBy<S extends z.ZodType>(schema: S, fields: unknown) {
  try {
    return schema.safeParse(fields, { reportInput: true });
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/** Parses a non-negative amount in the smallest unit. */
export function amountOf(value: number | Numeral): bigint | undefined {
  const amount = integerOf(value);
  return amount === undefined || amount < 0n ? undefined : amount;
}

/** Formats an integer for a response: as a number if that is exact, otherwise as a string of digits. */
export const wireInteger = (amount: bigint): number | Numeral =>
  amount <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(amount) : numeral(amount.toString());
