import { type Context, route } from '../../../http/route.ts';
import { HealthResult, Live, VersionInfo } from './schemas.ts';
import type { Core } from './service.ts';

type Answering = Pick<Context<unknown, unknown, unknown, unknown, unknown>, 'setStatus'>;
type Health = Awaited<ReturnType<Core['health']>>;

const answer = ({ setStatus }: Answering, { status, body }: Health) => {
  setStatus(status);
  return body;
};

const open = { method: 'GET', tag: 'Core', access: 'anonymous' } as const;

export const healthRoute = (core: Core, tag: string) =>
  route({
    ...open,
    tag,
    path: '/health',
    summary: 'Whether the service is healthy',
    otherStatuses: [503],
    response: HealthResult,
    handler: async (context) => answer(context, await core.health()),
  });

export const coreRoutes = (core: Core) => [
  healthRoute(core, 'Core'),
  route({
    ...open,
    path: '/health/live',
    summary: 'Whether the process answers',
    response: Live,
    handler: () => ({ status: 'ok' }),
  }),
  route({
    ...open,
    path: '/health/ready',
    summary: 'Whether the service can take requests: the database answers and commits, queue and migrations',
    otherStatuses: [503],
    response: HealthResult,
    handler: async (context) => answer(context, await core.ready()),
  }),
  route({
    ...open,
    path: '/version',
    summary: 'What was deployed',
    response: VersionInfo,
    handler: () => core.version(),
  }),
];
