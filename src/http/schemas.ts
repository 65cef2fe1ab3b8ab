import { z } from 'zod';
import { AMOUNT_PATTERN } from '../platform/money.ts';

/** Exact decimal text: no sign, no exponent. */
export const Amount = z.string().max(40).regex(AMOUNT_PATTERN, 'needs to be a decimal number such as "12.5"');
/** Exact decimal text in an answer. */
export const Decimal = z.string();
export const Timestamp = z.string().meta({ format: 'date-time', example: '2026-11-21T09:30:00.000Z' });
/** A time in a request: as in answers, in UTC with milliseconds. */
export const Moment = z.iso.datetime({ precision: 3 }).meta({ example: '2026-11-21T09:30:00.000Z' });
export const Id = z.string().min(1).max(64);
export const CurrencyId = z.string().min(1).max(16).meta({ example: 'USDT' });
export const SortOrder = z.enum(['asc', 'desc']);
export const PageNumber = z.number().int().min(1).max(Number.MAX_SAFE_INTEGER).default(1);
export const take = (max: number) => z.number().int().min(1).max(max).default(20);

/** Text that PostgreSQL can store: a filter may arrive as JSON within JSON. */
export const text = (longest: number) =>
  z
    .string()
    .max(longest)
    .refine((value) => !value.includes('\0') && value.isWellFormed(), 'has a NUL or half a character');

/** One line of text without marks that nobody sees. */
export const line = (most: number) =>
  z
    .string()
    .min(1)
    .max(most)
    .transform((given) => given.trim().normalize('NFC'))
    .refine((given) => given !== '' && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(given), 'needs one line of text');

/** The answer of a route that shows a picture: its bytes, in place of JSON. */
export const Webp = z.custom<Uint8Array>((given) => given instanceof Uint8Array);

/** A filter of a list as JSON text in a query; what does not fit is named by its path. */
export const jsonText = <T extends z.ZodType>(filter: T) =>
  z
    .string()
    .max(4000)
    .transform((json, context): z.output<T> => {
      const read = readJson(json);
      if (!read) context.addIssue({ code: 'custom', message: 'is not JSON' });
      const parsed = read && filter.safeParse(read.value);
      if (parsed?.success) return parsed.data;
      for (const issue of parsed?.error.issues ?? []) {
        const isUnknown = issue.code === 'unrecognized_keys';
        const path = isUnknown ? [...issue.path, issue.keys[0]!] : issue.path;
        const message = isUnknown ? 'is not a field of this filter' : issue.message;
        context.addIssue({ code: 'custom', path, message });
      }
      return z.NEVER;
    });

function readJson(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** A component of the OpenAPI document. Of an answer only the declared fields leave. */
export const object = <Shape extends z.ZodRawShape>(id: string, shape: Shape) => z.object(shape).meta({ id });
/** A component of the OpenAPI document that refuses unknown fields: bodies, filters, settings. */
export const strictObject = <Shape extends z.ZodRawShape>(id: string, shape: Shape) =>
  z.strictObject(shape).meta({ id });

export const ErrorBody = object('ErrorBody', {
  statusCode: z.number().int(),
  code: z.string().meta({ example: 'VALIDATION_FAILED' }),
  message: z.string(),
  details: z.record(z.string(), z.unknown()).optional(),
  requestId: z.string(),
});

export const SuccessResponse = object('SuccessResponse', { success: z.boolean() });

/** The envelope of every paginated list. */
export function page<T extends z.ZodType>(item: T) {
  return z.object({
    data: z.array(item),
    take: z.number(),
    page: z.number(),
    total: z.number(),
    totalPages: z.number(),
  });
}

export type Page<T> = { data: T[]; take: number; page: number; total: number; totalPages: number };

/** Fills the envelope; a page beyond the end has empty data and true totals. */
export function paginated<T>(data: T[], request: { page: number; take: number }, total: number): Page<T> {
  return { data, take: request.take, page: request.page, total, totalPages: Math.ceil(total / request.take) };
}

/** A page of a list of `total` rows: `read` answers those from an offset. Beyond the end it is not called, so that no query scans for nothing. */
export async function pageOf<T>(
  request: { page: number; take: number },
  total: number,
  read: (offset: number) => Promise<T[]>,
): Promise<Page<T>> {
  const offset = (request.page - 1) * request.take;
  return paginated(offset < total ? await read(offset) : [], request, total);
}
