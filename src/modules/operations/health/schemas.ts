import { z } from 'zod';
import { object, Timestamp } from '../../../http/schemas.ts';

const Components = z.record(z.string(), z.unknown());

/** `info` names what is up, `error` what is down or degraded, `details` both. What is degraded does not change the status. */
export const HealthResult = object('HealthResult', {
  status: z.enum(['ok', 'error', 'shutting_down']),
  info: Components.nullable().optional(),
  error: Components.nullable().optional(),
  details: Components.nullable().optional(),
});

export const Live = z.object({ status: z.string() });

export const VersionInfo = object('VersionInfo', {
  version: z.string(),
  commit: z.string(),
  time: Timestamp,
});
