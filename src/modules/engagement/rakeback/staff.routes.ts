import { z } from 'zod';
import { route } from '../../../http/route.ts';
import { userErrors } from '../../base/users/errors.ts';
import { ClaimableUsd, FindManyRakeback, OfUser, RakebackBalance } from './schemas.ts';
import type { Rakeback } from './service.ts';

const of = { tag: 'Admin Rakeback', access: { permission: 'rakeback.read' } } as const;

const findMany = (rakeback: Rakeback) =>
  route({
    ...of,
    method: 'POST',
    path: '/admin/rakeback/find-many',
    gate: 'none',
    summary: 'Rakeback of players',
    description:
      'At most 500 rows, the latest first. What can be claimed is negative where claimed bets were rolled back.',
    body: FindManyRakeback,
    status: 201,
    response: z.array(RakebackBalance),
    handler: ({ body }) => rakeback.findMany(body),
  });

export const rakebackStaffRoutes = (rakeback: Rakeback) => [
  findMany(rakeback),
  route({
    ...of,
    method: 'GET',
    path: '/admin/rakeback/find-one-claimable-usd',
    summary: 'What a player can claim, in US dollars',
    query: OfUser,
    response: ClaimableUsd,
    errors: [userErrors.USER_NOT_FOUND],
    handler: ({ query }) => rakeback.claimableUsd(query.userId),
  }),
];

export const rakebackBackofficeRoutes = (rakeback: Rakeback) => [
  { ...findMany(rakeback), path: '/rakeback/find-many', tag: 'Rakeback' },
];
