import type { z } from 'zod';
import { parseJson } from './body.ts';
import { bodyReader } from './validation.ts';

/**
 * Reads the bytes of a signed message as a body is read: the same limits, nothing coerced, unknown fields refused. To be called
 * once the signature is proven. Throws VALIDATION_FAILED.
 */
export const readNotice = <S extends z.ZodType>(raw: Buffer, schema: S): z.output<S> =>
  bodyReader(schema)(parseJson(raw)) as z.output<S>;
