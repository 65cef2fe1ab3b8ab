import type { Op } from '../../client/call.ts';
import type { Events } from '../../client/events.ts';
import type { Follows } from '../kit/live.ts';

const CHALLENGES: readonly Op[] = [
  'GET /admin/challenge',
  'GET /admin/challenge/{id}',
  'GET /admin/challenge/{id}/bets',
];

/** Maps each kind of alert to the operations whose lists on console pages must be reloaded when it arrives. */
export const ALERTS: Readonly<Record<Events['admin.alert']['kind'], readonly Op[]>> = {
  WITHDRAWAL_WAITING: ['GET /admin/payments/withdraw'],
  DEPOSIT_UNDER_REVIEW: ['GET /admin/payments/deposit', 'GET /admin/payments/deposit/review'],
  RATE_JUMP: ['GET /exchange-rates'],
  RETURN_ALERT: ['GET /admin/casino/games/{slug}/rtp'],
  UNIFORMITY_ALERT: ['GET /admin/casino/games/{slug}/rtp'],
  PROVIDER_FINDINGS: ['GET /admin/casino/findings'],
  LEADERBOARD_CHANGED: [
    'GET /admin/leaderboards',
    'GET /admin/leaderboards/{leaderboardId}',
    'GET /admin/leaderboards/{leaderboardId}/users',
  ],
  CHALLENGE_REVERSED: CHALLENGES,
};

export const FOLLOWS: Follows = {
  'admin.alert': ({ kind }) => ALERTS[kind],
  'challenge.won': () => CHALLENGES,
  'leaderboard.updated': () => ALERTS.LEADERBOARD_CHANGED,
  'config.changed': ({ code }) =>
    code === 'GAMES'
      ? [
          'GET /admin/casino/games/house/settings',
          'GET /admin/casino/games/all',
          'GET /admin/casino/games/{slug}',
        ]
      : ['GET /config/{code}', 'GET /admin/config/{code}'],
};
