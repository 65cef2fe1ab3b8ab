import type { Op } from '../../client/call.ts';
import type { Events } from '../../client/events.ts';
import type { IconName } from '../kit/icon.tsx';
import { createStore } from '../kit/store.ts';

type Kind = Events['admin.alert']['kind'];
type About = {
  title: string;
  icon: IconName;
  /** Staff who may not call it do not see the alert. */
  of: Op;
  to: (id: string) => string;
};

/** The text of each kind of alert, and the page to which it leads. */
export const ABOUT: Readonly<Record<Kind, About>> = {
  WITHDRAWAL_WAITING: {
    title: 'Withdrawal waits for approval',
    icon: 'banknote',
    of: 'GET /admin/payments/withdraw',
    to: (id) => `/withdrawals/${id}`,
  },
  DEPOSIT_UNDER_REVIEW: {
    title: 'Deposit needs a review',
    icon: 'search-check',
    of: 'GET /admin/payments/deposit/review',
    to: (id) => `/deposit-reviews/${id}`,
  },
  RATE_JUMP: {
    title: 'Exchange rate jumped',
    icon: 'trending-up',
    of: 'GET /admin/payments/deposit',
    to: () => '/overview',
  },
  RETURN_ALERT: {
    title: 'RTP of a game is out of range',
    icon: 'triangle-alert',
    of: 'GET /admin/casino/games/{slug}/rtp',
    to: (id) => `/games/${id}`,
  },
  UNIFORMITY_ALERT: {
    title: 'Results of a game are uneven',
    icon: 'triangle-alert',
    of: 'GET /admin/casino/games/{slug}/rtp',
    to: (id) => `/games/${id}`,
  },
  PROVIDER_FINDINGS: {
    title: 'Books of a provider differ',
    icon: 'triangle-alert',
    of: 'GET /admin/casino/findings',
    to: () => '/findings',
  },
  LEADERBOARD_CHANGED: {
    title: 'Leaderboard changed',
    icon: 'trophy',
    of: 'GET /admin/leaderboards',
    to: (id) => `/leaderboards/${id}`,
  },
  CHALLENGE_REVERSED: {
    title: 'Challenge lost its winner',
    icon: 'target',
    of: 'GET /admin/challenge',
    to: (id) => `/challenges/${id}`,
  },
};

export type Alert = { kind: Kind; id: string; at: string; isRead: boolean };

const MOST = 20;

/** The alerts that arrived since the page was opened, newest first. */
export const alerts = createStore<readonly Alert[]>([]);

export const addAlert = ({ kind, id }: Events['admin.alert'], at: string): void => {
  const others = alerts.get().filter((alert) => alert.kind !== kind || alert.id !== id);
  alerts.set([{ kind, id, at, isRead: false }, ...others].slice(0, MOST));
};

export const readAlerts = (): void => alerts.set(alerts.get().map((alert) => ({ ...alert, isRead: true })));
