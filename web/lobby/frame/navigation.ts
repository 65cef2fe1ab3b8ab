import type { IconName } from '../../kit/icon.tsx';
import type { Words } from '../words.ts';

/** An entry of the rail and of the phone's menu. Its text is `words.menu[name]`. */
export type Place = { name: keyof Words['menu']; icon: IconName; to: string };

type Group = {
  title?: keyof Words['menu'];
  /** The page that the title leads to. */
  to?: string;
  places: readonly Place[];
  /** Rewards are advertising, which excluded players must not see. */
  isRewards?: boolean;
};

export const GROUPS: readonly Group[] = [
  {
    places: [
      { name: 'home', icon: 'house', to: '/games' },
      { name: 'favourites', icon: 'star', to: '/casino/favourites' },
      { name: 'recent', icon: 'history', to: '/casino/recent' },
    ],
  },
  {
    title: 'casino',
    places: [
      { name: 'originals', icon: 'dice-5', to: '/casino/originals' },
      { name: 'slots', icon: 'cherry', to: '/casino/slots' },
      { name: 'liveCasino', icon: 'tv', to: '/casino/live-casino' },
      { name: 'blackjack', icon: 'spade', to: '/casino/blackjack' },
      { name: 'newReleases', icon: 'sparkles', to: '/casino/new' },
    ],
  },
  {
    title: 'rewards',
    to: '/offers',
    isRewards: true,
    places: [
      { name: 'promotions', icon: 'gift', to: '/offers/promo' },
      { name: 'rakeback', icon: 'percent', to: '/offers/rakeback' },
      { name: 'leaderboards', icon: 'trophy', to: '/offers/leaderboards' },
      { name: 'challenges', icon: 'target', to: '/offers/challenges' },
      { name: 'vip', icon: 'crown', to: '/offers/vip' },
      { name: 'affiliate', icon: 'users', to: '/offers/affiliate' },
    ],
  },
];

/** Only in the phone's menu. Wide screens show the chat beside the page. */
export const CHAT: Place = { name: 'chat', icon: 'message-circle', to: '/chat' };

/** At the foot of the rail. */
export const FOOT: readonly Place[] = [
  { name: 'protection', icon: 'shield', to: '/protection' },
  { name: 'fairness', icon: 'scale', to: '/fairness' },
  { name: 'help', icon: 'life-buoy', to: '/help' },
];

/** The bottom bar of phones, besides its Menu. Search has no page. */
export const BAR: readonly Place[] = [
  { name: 'home', icon: 'house', to: '/games' },
  { name: 'live', icon: 'receipt', to: '/live' },
  { name: 'rewards', icon: 'gift', to: '/offers' },
];

/** True if a place leads to the current page or to the list that the page belongs to. A player's bets belong to the bets of all. */
export const isAt = (at: string, to: string): boolean =>
  at === to || (to !== '/games' && at.startsWith(`${to}/`)) || (to === '/live' && isAt(at, '/bets'));
