import type { Follows } from '../kit/live.ts';
import { readBalances, takeBalance } from './balances.ts';
import { beginExclusion, endExclusion } from './exclusion.ts';
import { readResult } from './sitting.ts';

const NOTHING = [] as const;
const NEWS = ['GET /notifications', 'GET /notifications/unread'] as const;

/** Maps each socket event to the displayed data that it changes. */
export const FOLLOWS: Follows = {
  // Reads this data again when the socket opens, because no event reports earlier changes.
  ready: () => {
    void readBalances();
    return ['GET /user/me'];
  },
  'balance.updated': (balance) => {
    takeBalance(balance);
    return ['GET /accounting/vault-balances'];
  },
  'bet.settled': () => {
    readResult();
    return ['GET /live-bets/my', 'GET /bets'];
  },
  'deposit.status': () => ['GET /payments/deposit', 'GET /payments/skins/deposit/{id}'],
  'withdraw.status': () => ['GET /payments/withdraw', 'GET /payments/withdraw/eligibility'],
  'kyc.status': () => ['GET /kyc', 'GET /payments/withdraw/eligibility'],
  'promo.progress': () => ['GET /promo', 'GET /promo/my'],
  'rakeback.accrued': () => ['GET /rakeback'],
  'vip.level': () => ['GET /user/me'],
  'tip.received': () => ['GET /user-tips', 'GET /user-tips/limits'],
  'leaderboard.updated': () => [
    'GET /leaderboards',
    'GET /leaderboards/{leaderboardId}',
    'GET /leaderboards/my',
  ],
  'challenge.won': () => ['GET /challenge', 'GET /challenge/{id}', 'GET /challenge/my'],
  'notification.new': ({ payload }) => {
    if (payload?.code !== 'exclusion.ended') return NEWS;
    endExclusion();
    return [...NEWS, 'GET /user/me', 'GET /user-limits/self-exclusion'];
  },
  'limit.warning': () => ['GET /user-limits/gambling-limits'],
  'exclusion.started': ({ expiresAt }) => {
    beginExclusion(expiresAt);
    return ['GET /user/me', 'GET /user-limits/self-exclusion'];
  },
  'config.changed': ({ code }) =>
    code === 'GAMES' ? ['GET /casino/games', 'GET /casino/games/main'] : ['GET /config/{code}'],
  'session.revoked': () => NOTHING,
};
