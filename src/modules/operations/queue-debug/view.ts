import { z } from 'zod';

export const OpenObject = z.record(z.string(), z.unknown());

/** Wraps values that are not objects as `{ value }`, because the responses contain only objects. */
export function asObject(value: unknown): Record<string, unknown> | null {
  if (value === null || value === undefined) return null;
  return typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, unknown>) : { value };
}
