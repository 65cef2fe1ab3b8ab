import { z } from 'zod';

/** A setting: the form of its environment variable, with its default, and what it means. */
export type Setting<S extends z.ZodType = z.ZodType> = { schema: S; meaning: string; secret: boolean };

export function setting<S extends z.ZodType>(schema: S, meaning: string, isSecret = false): Setting<S> {
  return { schema, meaning, secret: isSecret };
}

export const port = (fallback: number) => z.coerce.number().int().min(0).max(65535).default(fallback);
export const count = (fallback: number, min = 1, max = 1_000_000_000) =>
  z.coerce.number().int().min(min).max(max).default(fallback);
export const flag = (fallback: boolean) =>
  z
    .enum(['true', 'false'])
    .default(fallback ? 'true' : 'false')
    .transform((v) => v === 'true');
export const secret = z.string().min(32, 'needs at least 32 characters').optional();
export const list = z
  .string()
  .default('')
  .transform((v) =>
    v
      .split(',')
      .map((s) => s.trim())
      .filter(Boolean),
  );

export const secrets = (fallback: string) =>
  z
    .string()
    .min(16, 'needs at least 16 characters')
    .default(fallback)
    .transform((v) =>
      v
        .split(',')
        .map((s) => s.trim())
        .filter(Boolean),
    )
    .refine((all) => all.every((s) => s.length >= 16), 'needs at least 16 characters in each');
