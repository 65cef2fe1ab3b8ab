import { z } from 'zod';
import { unlessWhole } from '../platform/database/snapshot.ts';
import { REACH } from '../platform/list/page.ts';
import { AMOUNT_PATTERN } from '../platform/money.ts';

/** An amount as an exact decimal string, without a sign or an exponent. */
export const Amount = z.string().max(40).regex(AMOUNT_PATTERN, 'needs to be a decimal number such as "12.5"');
/** An exact decimal string in a response. */
export const Decimal = z.string();
export const Timestamp = z.string().meta({ format: 'date-time', example: '2026-11-21T09:30:00.000Z' });
/** A time in responses and events: UTC with milliseconds. */
export const Moment = z.iso.datetime({ precision: 3 }).meta({ example: '2026-11-21T09:30:00.000Z' });

/**
 * Converts a time to UTC. Returns a string that is not a time unchanged, because zod calls this function even after its own check has
 * failed.
 */
function inUtc(given: string): string {
  const at = new Date(given);
  return Number.isNaN(at.getTime()) ? given : at.toISOString();
}

/** A time in a request, with any offset from UTC. The handler receives it in UTC with milliseconds. */
export const Time = z.iso
  .datetime({ offset: true })
  .overwrite(inUtc)
  .refine((utc) => !/^[+-]/.test(utc), 'is outside the years 0000 to 9999')
  .meta({ example: '2026-11-21T09:30:00.000Z' });
export const Id = z.string().min(1).max(64);
export const CurrencyId = z.string().min(1).max(16).meta({ example: 'USDT' });
export const SortOrder = z.enum(['asc', 'desc']);
export const PageNumber = z.number().int().min(1).max(Number.MAX_SAFE_INTEGER).default(1);
export const take = (max: number) => z.number().int().min(1).max(max).default(20);

/** The sort key of a list: camel case, or an older spelling of the same key. */
export const sortKey = <const Keys extends Readonly<Record<string, string>>>(
  keys: Keys,
  fallback: NoInfer<keyof Keys & string>,
) =>
  z
    .enum(Object.keys(keys))
    .default(fallback)
    .transform((given): Keys[keyof Keys] => keys[given as keyof Keys]);

/**
 * Text that PostgreSQL can store. Bodies are checked when they are parsed, but that check does not cover a filter, which is sent as JSON
 * text.
 */
export const text = (longest: number) =>
  z
    .string()
    .max(longest)
    .refine((value) => !value.includes('\0') && value.isWellFormed(), 'has a NUL or half a character');

/** One line of text without invisible characters. */
export const line = (most: number) =>
  z
    .string()
    .min(1)
    .max(most)
    .transform((given) => given.trim().normalize('NFC'))
    .refine((given) => given !== '' && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(given), 'needs one line of text');

/** The response of a route that returns a picture: its bytes instead of JSON. */
export const Webp = z.custom<Uint8Array>((given) => given instanceof Uint8Array);

/** The response of a route that returns a drawing: its SVG text instead of JSON. */
export const Svg = z.string().startsWith('<svg ');

/** A list filter that is sent as JSON in the query. Errors contain the path of the invalid field. */
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

/** A component of the OpenAPI document. In responses, undeclared fields are dropped. */
export const object = <Shape extends z.ZodRawShape>(id: string, shape: Shape) => z.object(shape).meta({ id });
/** A component of the OpenAPI document that rejects unknown fields, for bodies, filters and settings. */
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

/** The envelope of a list whose total may be an estimate or capped at a limit. */
export const estimatedPage = <T extends z.ZodType>(item: T) =>
  page(item).extend({
    totalIsExact: z.boolean().meta({
      description:
        'False if `total` and `totalPages` are estimates, or if counting stopped at `total` and the list may be longer.',
    }),
  });

export type EstimatedPage<T> = Page<T> & { totalIsExact: boolean };
export type Page<T> = { data: T[]; take: number; page: number; total: number; totalPages: number };

/** Returns the envelope of a page. A page beyond the end of the list has empty data and correct totals. */
export function paginated<T>(data: T[], request: { page: number; take: number }, total: number): Page<T> {
  return { data, take: request.take, page: request.page, total, totalPages: Math.ceil(total / request.take) };
}

/**
 * Returns a page of a list with `total` rows. `read` returns the rows from an offset. It is not called for a page beyond the end, to avoid
 * a useless scan.
 */
export async function pageOf<T>(
  request: { page: number; take: number },
  total: number,
  read: (offset: number) => Promise<T[]>,
): Promise<Page<T>> {
  const offset = (request.page - 1) * request.take;
  return paginated(offset < total ? await read(offset) : [], request, total);
}

/** A refinement of lists of texts. */
export const hasNoDuplicates = (texts: readonly string[]): boolean => new Set(texts).size === texts.length;

/** Same as `paginated`, for a list whose total may be an estimate. */
export const estimated = <T>(
  data: T[],
  request: { page: number; take: number },
  { total, isExact = true }: { total: number; isExact?: boolean },
): EstimatedPage<T> => ({ ...paginated(data, request, total), totalIsExact: isExact });

/**
 * Same as `pageOf`, for a list in which `count` counts at most REACH rows. Rows after these cannot be read, so that the cost of a list does
 * not grow with its table. Within a snapshot there is no limit.
 */
export async function countedPage<T>(
  request: { page: number; take: number },
  count: (most: number) => Promise<number>,
  read: (slice: { offset: number; limit: number }) => Promise<T[]>,
): Promise<EstimatedPage<T>> {
  const most = unlessWhole(REACH);
  const total = await count(most);
  const page = await pageOf(request, total, (offset) =>
    read({ offset, limit: Math.min(request.take, total - offset) }),
  );
  return { ...page, totalIsExact: total < most };
}
