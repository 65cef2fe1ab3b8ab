import type { z } from 'zod';
import { parseJson } from './server/body.ts';
import { bodyReader } from './server/validation.ts';

/**
 * Parses the bytes of a signed message by the same rules as a JSON body: same limits, no coercion, and unknown fields are rejected. Call it
 * only after the signature is verified. Throws VALIDATION_FAILED.
 */
export const readNotice = <S extends z.ZodType>(raw: Buffer, schema: S): z.output<S> =>
  bodyReader(schema)(parseJson(raw)) as z.output<S>;
