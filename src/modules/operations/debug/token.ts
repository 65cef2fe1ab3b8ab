import { z } from 'zod';
import type { Config } from '../../../platform/config/config.ts';
import { isSameSecret } from '../../../platform/secrets/encryption.ts';
import { debugErrors } from './errors.ts';

/** Required to create staff and to sign in as staff: DEBUG_TOKEN of the environment. */
export const TokenHeaders = z.object({ 'x-debug-token': z.string().max(200).optional() });

/** Throws 403 DEBUG_TOKEN_WRONG, also if the environment has no DEBUG_TOKEN. */
export function assertToken({ DEBUG_TOKEN }: Config, token = ''): void {
  if (!DEBUG_TOKEN || !isSameSecret(token, DEBUG_TOKEN)) throw debugErrors.DEBUG_TOKEN_WRONG();
}
