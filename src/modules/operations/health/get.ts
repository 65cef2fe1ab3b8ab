import { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import { object, Timestamp } from '../../../http/schemas.ts';
import type { HealthDeps } from './service.ts';
import { HealthResult } from './service.ts';

const shared = { method: 'GET', tag: 'Core', access: 'anonymous' } as const;

export const getHealth = operation({
  ...shared,
  path: '/health',
  summary: 'Get the health of the service',
  otherStatuses: [503],
  response: HealthResult,
  handler: async ({ core }: HealthDeps, { setStatus }) => {
    const { status, body } = await core.health();
    setStatus(status);
    return body;
  },
});

export const getLiveness = operation({
  ...shared,
  path: '/health/live',
  summary: 'Check that the process responds',
  response: z.object({ status: z.string() }),
  handler: () => ({ status: 'ok' }),
});

export const getReadiness = operation({
  ...shared,
  path: '/health/ready',
  summary: 'Check that the service can accept requests',
  description:
    'Returns 200 if the database responds and commits, the queue works, and all migrations are applied.',
  otherStatuses: [503],
  response: HealthResult,
  handler: async ({ core }: HealthDeps, { setStatus }) => {
    const { status, body } = await core.ready();
    setStatus(status);
    return body;
  },
});

export const getVersion = operation({
  ...shared,
  path: '/version',
  summary: 'Get the deployed version',
  response: object('VersionInfo', { version: z.string(), commit: z.string(), time: Timestamp }),
  handler: ({ core }: HealthDeps) => core.version(),
});
