import { z } from 'zod';
import { WebUrl } from '../../net/schemas.ts';

/** Marks a setting that is never shown. */
export const hidden = <S extends z.ZodType>(schema: S): S => schema.meta({ secret: true });

export const port = (fallback: number) => z.coerce.number().int().min(0).max(65535).default(fallback);
export const count = (fallback: number, min = 1, max = 1_000_000_000) =>
  z.coerce.number().int().min(min).max(max).default(fallback);
/** A boolean setting. It is true only if its value is `true`. */
export const flag = z._default(z.enum(['true', 'false']), 'false').transform((text) => text === 'true');
export const choice = <const T extends string>(values: readonly T[], fallback: NoInfer<T>) =>
  z.enum(values).default(fallback as never);
export const optionalChoice = <const T extends string>(values: readonly T[]) => z.enum(values).optional();
export const textOr = (fallback: string) => z.string().min(1).default(fallback);
export const optionalText = (min = 1) => z.string().min(min).optional();
export const urlOr = (fallback: string) => WebUrl.default(fallback);
export const optionalUrl = WebUrl.optional();
/** A connection string for a driver. Only its scheme is checked. */
export const address = (pattern: RegExp, beginnings: string) =>
  z.string().regex(pattern, `needs to start with ${beginnings}`).optional();
/** A segment of a URL path. */
export const segment = (fallback: string) => z._default(z.string().regex(/^[a-z0-9-]{2,32}$/), fallback);
/** A percentage from 0 to 100 with at most four decimals. */
export const percent = z
  .string()
  .regex(/^(100|\d{1,2}(\.\d{1,4})?)$/, 'needs a percentage such as "12.5"')
  .default('0');
export const secret = z.string().min(32, 'needs at least 32 characters').optional();

const parts = (text: string) => {
  const all = text.split(',').map((part) => part.trim());
  return all.filter(Boolean);
};
export const list = z.string().default('').transform(parts);
export const secrets = (fallback: string) =>
  z
    .string()
    .min(16, 'needs at least 16 characters')
    .default(fallback)
    .transform(parts)
    .refine((all) => all.every((s) => s.length >= 16), 'needs at least 16 characters in each');
