import { z } from 'zod';
import { object } from '../../../http/schemas.ts';

const Components = z.record(z.string(), z.unknown());

/** `info` contains components that are up, `error` those that are down or degraded, `details` all. A degraded component does not change the status. */
export const HealthResult = object('HealthResult', {
  status: z.enum(['ok', 'error', 'shutting_down']),
  info: Components.nullable().optional(),
  error: Components.nullable().optional(),
  details: Components.nullable().optional(),
});
export type HealthResult = z.output<typeof HealthResult>;
