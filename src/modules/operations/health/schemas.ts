import { z } from 'zod';
import { Timestamp } from '../../../http/schemas.ts';

const Components = z.record(z.string(), z.unknown());

/** `info` names what is up, `error` what is down or degraded, `details` both. What is degraded does not change the status. */
export const HealthResult = z
  .object({
    status: z.enum(['ok', 'error', 'shutting_down']),
    info: Components.nullable().optional(),
    error: Components.nullable().optional(),
    details: Components.nullable().optional(),
  })
  .meta({ id: 'HealthResult' });

export const Live = z.object({ status: z.string() });

export const VersionInfo = z
  .object({ version: z.string(), commit: z.string(), time: Timestamp })
  .meta({ id: 'VersionInfo' });
