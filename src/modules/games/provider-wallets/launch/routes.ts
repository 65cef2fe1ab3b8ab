import { route } from '../../../../http/route.ts';
import { gateErrors, moneyInErrors } from '../../../compliance/gate/errors.ts';
import { bettingErrors } from '../../betting/errors.ts';
import { launchErrors } from './errors.ts';
import { GameLaunch, GamePath, Launch } from './schemas.ts';
import type { LaunchGame } from './service.ts';

export const launchRoutes = (launch: LaunchGame) => [
  route({
    method: 'POST',
    path: '/casino/games/{slug}/launch',
    tag: 'Casino',
    access: 'auth',
    gate: 'launch',
    summary: "Open a provider's game",
    description:
      'Answers the address to open. Real play has a session of eight hours, which ends with a log-out and with the next launch of the same game; five at most are live. A demo has neither session nor wallet.',
    params: GamePath,
    body: Launch,
    response: GameLaunch,
    errors: [
      launchErrors.GAME_NOT_FOUND,
      launchErrors.GAME_NOT_LAUNCHABLE,
      bettingErrors.GAME_DISABLED,
      ...moneyInErrors,
      gateErrors.PLAY_STOPPED,
      launchErrors.CURRENCY_REQUIRED,
      launchErrors.CURRENCY_NOT_SUPPORTED,
      launchErrors.DEMO_NOT_AVAILABLE,
      launchErrors.PROVIDER_UNAVAILABLE,
    ],
    handler: ({ user, ip, params, body }) => launch({ user, ip, slug: params.slug, body }),
  }),
];
