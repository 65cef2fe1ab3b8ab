import { route } from '../../../http/route.ts';
import { page } from '../../../http/schemas.ts';
import { fairnessErrors } from './errors.ts';
import { FairnessSeeds, HistoryQuery, RevealedSeedPair, Rotate, Rotated } from './schemas.ts';
import type { Fairness } from './service.ts';

const own = { tag: 'Fairness', access: 'auth' } as const;

export const fairnessRoutes = (fairness: Fairness) => [
  route({
    ...own,
    method: 'GET',
    path: '/fairness/seeds',
    summary: 'Commitment, client seed and nonce in force',
    response: FairnessSeeds,
    handler: ({ user }) => fairness.seeds(user.id),
  }),
  route({
    ...own,
    method: 'POST',
    path: '/fairness/seeds/rotate',
    gate: 'none',
    summary: 'Reveal the server seed and play on with the announced one',
    body: Rotate,
    response: Rotated,
    errors: [fairnessErrors.FAIRNESS_ROUND_OPEN],
    handler: ({ user, body }) => fairness.rotate(user.id, body),
  }),
  route({
    ...own,
    method: 'GET',
    path: '/fairness/seeds/history',
    summary: 'Revealed seed pairs',
    query: HistoryQuery,
    response: page(RevealedSeedPair),
    handler: ({ user, query }) => fairness.history(user.id, query),
  }),
];
