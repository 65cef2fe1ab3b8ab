import { route } from '../../../../http/route.ts';
import { houseGameErrors } from '../errors.ts';
import { GamePath, GameRtpReport, RtpQuery } from './schemas.ts';
import type { Returns } from './service.ts';

export const returnStaffRoutes = (returns: Returns) => [
  route({
    method: 'GET',
    path: '/admin/casino/games/{slug}/rtp',
    tag: 'Admin Casino',
    access: { permission: 'casino.read' },
    summary: 'What a game returned to players, and the 95 % band of what it should',
    description:
      'Bets by the time at which they were settled, over the whole hours that the period touches: `startDate` and `endDate` of the answer say which. The band, and whether the return lies in it, leave out bets whose highest win `maxProfit` cuts.',
    params: GamePath,
    query: RtpQuery,
    response: GameRtpReport,
    errors: [houseGameErrors.GAME_NOT_FOUND],
    handler: ({ params, query }) => returns.report(params.slug, query),
  }),
];
