import { route } from '../../../http/route.ts';
import type { HouseGameAdministration } from './administer.ts';
import { houseGameErrors } from './errors.ts';
import { GamePath, GameRtpReport, RtpQuery } from './returns/schemas.ts';
import type { Returns } from './returns/service.ts';
import { HouseGamePath, HouseGameSettings, KillSwitch, KillSwitchState } from './schemas.ts';

const tag = 'Admin Casino';

export const houseGameStaffRoutes = (administration: HouseGameAdministration, returns: Returns) => [
  route({
    method: 'GET',
    path: '/admin/casino/games/house/settings',
    tag,
    access: { permission: 'casino.read' },
    summary: 'Settings of the house games',
    response: HouseGameSettings,
    handler: () => administration.settings(),
  }),
  route({
    method: 'POST',
    path: '/admin/casino/games/house/settings',
    tag,
    access: { permission: 'casino.write' },
    gate: 'none',
    stepUp: true,
    summary: 'Change settings of house games, for rounds that begin from now on',
    description:
      'Sets the fields that are named and answers the settings of all games. When one field is refused, nothing is changed. Every process follows within a second.',
    body: HouseGameSettings,
    response: HouseGameSettings,
    handler: ({ by, body }) => administration.change(by, body),
  }),
  route({
    method: 'POST',
    path: '/admin/casino/games/house/{game}/kill-switch',
    tag,
    access: { permission: 'casino.write' },
    gate: 'none',
    summary: 'Stop a house game, or let it go on; open rounds may finish',
    params: HouseGamePath,
    body: KillSwitch,
    response: KillSwitchState,
    errors: [houseGameErrors.GAME_NOT_FOUND],
    handler: ({ by, params, body }) => administration.kill(by, params.game, body),
  }),
  route({
    method: 'GET',
    path: '/admin/casino/games/{slug}/rtp',
    tag,
    access: { permission: 'casino.read' },
    summary: 'What a game returned to players, and the 95 % band of what it should',
    description:
      'Bets by the time at which they were settled, over the whole hours that the period touches: `startDate` and `endDate` of the answer say which. The band, and whether the return lies in it, leave out bets whose highest win `maxProfit` cuts. Games of providers have no band: how far their payouts scatter is not known.',
    params: GamePath,
    query: RtpQuery,
    response: GameRtpReport,
    errors: [houseGameErrors.GAME_NOT_FOUND],
    handler: ({ params, query }) => returns.report(params.slug, query),
  }),
];
