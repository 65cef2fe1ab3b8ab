import { route } from '../../../http/route.ts';
import type { Hydration } from './hydrate/service.ts';

const tag = 'Admin Casino';

export const casinoStaffRoutes = (hydration: Hydration) => [
  route({
    method: 'POST',
    path: '/admin/casino/games/hydrate',
    tag,
    access: { permission: 'casino.write' },
    gate: 'none',
    summary: 'Have the games of all providers taken over now; a worker also does it every 12 hours',
    description: 'Answers before it is done; nothing happens while it is running already.',
    handler: ({ by }) => hydration.request(by),
  }),
];
