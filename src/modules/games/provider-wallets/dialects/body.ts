import { z } from 'zod';
import { readNotice } from '../../../../http/notice.ts';
import { type Numeral, numeral, parseExact } from '../../../money/payments/providers/rules.ts';
import { integerOf } from './amounts/rules.ts';

/** Longest body of a callback. */
export const MOST_BYTES = 64 * 1024;

const Anything = z.looseObject({});
/** What may be a number that a float does not hold, wherever it stands. */
const INEXACT = /\d[.eE]|\d{16}/;

/** The fields of a JSON body; undefined: it is none, or breaks the limits that all bodies have. Numbers that a float may not hold stay as written. */
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

export type Unfit = { unfit: 'INVALID_REQUEST' | 'INVALID_TYPE' };

/** Reads fields by their schema. INVALID_TYPE: a field is there with a value of another type. */
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

/** Undefined: a value has a `length` that is no number, and numerals in it, which the library compares and cannot. */
function parsedBy<S extends z.ZodType>(schema: S, fields: unknown) {
  try {
    return schema.safeParse(fields, { reportInput: true });
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/** An amount in the smallest unit, which no provider sends below zero. */
export function amountOf(value: number | Numeral): bigint | undefined {
  const amount = integerOf(value);
  return amount === undefined || amount < 0n ? undefined : amount;
}

/** An integer in an answer: as a number where one holds it, else as it is to be written. */
export const wireInteger = (amount: bigint): number | Numeral =>
  amount <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(amount) : numeral(amount.toString());
