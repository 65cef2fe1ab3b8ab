import { type ComponentType, lazy } from 'react';
import { loadSection, type Section, type Words } from './words.ts';

type Props = { params: Readonly<Record<string, string>> };
type Screen = ComponentType<Props>;

/**
 * A page and its address. Pages with `name` are in the menu, and with `isMain` also in the bottom bar of small screens. Without `isOpen`,
 * visitors who are not signed in see the sign-in form instead.
 */
export type Entry = {
  path: string;
  page: Screen;
  name?: keyof Words['menu'];
  isMain?: boolean;
  isOpen?: boolean;
};

/** A page that is loaded on first visit, together with the texts of its section. `of` selects the component from the loaded module. */
const page = <M>(section: Section, load: () => Promise<M>, of: (all: M) => ComponentType<never>): Screen =>
  lazy(async () => {
    const [all] = await Promise.all([load(), loadSection(section)]);
    return { default: of(all) as Screen };
  });

const entrance = () => import('./pages/entrance.tsx');
const mails = () => import('./pages/mails.tsx');
const profile = () => import('./pages/profile/profile.tsx');
const stats = () => import('./pages/profile/stats.tsx');
const security = () => import('./pages/profile/security.tsx');
const sessions = () => import('./pages/profile/sessions.tsx');
const landing = () => import('./pages/landing.tsx');
const wallet = () => import('./pages/wallet/wallet.tsx');
const deposit = () => import('./pages/wallet/deposit.tsx');
const withdraw = () => import('./pages/wallet/withdraw.tsx');
const history = () => import('./pages/wallet/history.tsx');
const skins = () => import('./pages/wallet/skins.tsx');
const identity = () => import('./pages/wallet/identity.tsx');
const protection = () => import('./pages/protection/protection.tsx');
const help = () => import('./pages/protection/help.tsx');
const notifications = () => import('./pages/notifications.tsx');
const games = () => import('./pages/games.tsx');
const promo = () => import('./pages/offers/promo.tsx');
const rakeback = () => import('./pages/offers/rakeback.tsx');
const leaderboards = () => import('./pages/offers/leaderboards.tsx');
const challenges = () => import('./pages/offers/challenges.tsx');
const vip = () => import('./pages/offers/vip.tsx');
const affiliate = () => import('./pages/offers/affiliate.tsx');
const tips = () => import('./pages/offers/tips.tsx');
const chat = () => import('./pages/offers/chat.tsx');
const bets = () => import('./pages/bets.tsx');

/** Replaces pages that require sign-in. */
export const Entered = page('account', entrance, (m) => m.SignIn) as ComponentType;

export const PAGES: readonly Entry[] = [
  {
    path: '/games',
    page: page('catalogue', games, (m) => m.Games),
    name: 'games',
    isMain: true,
    isOpen: true,
  },
  {
    path: '/games/dice',
    page: page(
      'games',
      () => import('./games/dice.tsx'),
      (m) => m.Dice,
    ),
  },
  {
    path: '/games/limbo',
    page: page(
      'games',
      () => import('./games/limbo.tsx'),
      (m) => m.Limbo,
    ),
  },
  {
    path: '/games/keno',
    page: page(
      'games',
      () => import('./games/keno.tsx'),
      (m) => m.Keno,
    ),
  },
  {
    path: '/games/plinko',
    page: page(
      'games',
      () => import('./games/plinko.tsx'),
      (m) => m.Plinko,
    ),
  },
  {
    path: '/games/roulette',
    page: page(
      'games',
      () => import('./games/roulette.tsx'),
      (m) => m.Roulette,
    ),
  },
  {
    path: '/games/mines',
    page: page(
      'games',
      () => import('./games/mines.tsx'),
      (m) => m.Mines,
    ),
  },
  {
    path: '/games/monkey-run',
    page: page(
      'games',
      () => import('./games/monkey-run.tsx'),
      (m) => m.MonkeyRun,
    ),
  },
  {
    path: '/games/blackjack',
    page: page(
      'games',
      () => import('./games/blackjack.tsx'),
      (m) => m.Blackjack,
    ),
  },
  {
    path: '/games/speed-roulette',
    page: page(
      'games',
      () => import('./games/speed-roulette.tsx'),
      (m) => m.SpeedRoulette,
    ),
  },
  {
    path: '/games/:slug',
    page: page(
      'catalogue',
      () => import('./pages/provider-game.tsx'),
      (m) => m.ProviderGame,
    ),
  },
  {
    path: '/live',
    page: page(
      'catalogue',
      () => import('./pages/live.tsx'),
      (m) => m.Live,
    ),
    name: 'live',
  },
  { path: '/bets', page: page('catalogue', bets, (m) => m.Bets), name: 'bets', isMain: true },
  { path: '/bets/house/:betId', page: page('catalogue', bets, (m) => m.HouseBet) },
  { path: '/bets/slots/:betId', page: page('catalogue', bets, (m) => m.SlotBet) },
  {
    path: '/fairness',
    page: page(
      'catalogue',
      () => import('./pages/fairness.tsx'),
      (m) => m.FairnessPage,
    ),
    name: 'fairness',
  },
  {
    path: '/coming-soon',
    page: page(
      'catalogue',
      () => import('./pages/coming-soon.tsx'),
      (m) => m.ComingSoon,
    ),
    isOpen: true,
  },
  { path: '/sign-in', page: page('account', entrance, (m) => m.SignIn), isOpen: true },
  { path: '/sign-up', page: page('account', entrance, (m) => m.SignUp), isOpen: true },
  { path: '/forgot-password', page: page('account', mails, (m) => m.ForgotPassword), isOpen: true },
  { path: '/reset-password', page: page('account', mails, (m) => m.ResetPassword), isOpen: true },
  { path: '/verify-email', page: page('account', mails, (m) => m.VerifyEmail), isOpen: true },
  { path: '/confirm-email', page: page('account', mails, (m) => m.ConfirmEmail), isOpen: true },
  { path: '/auth', page: page('account', landing, (m) => m.Landing), isOpen: true },
  { path: '/wallet', page: page('money', wallet, (m) => m.Wallet), name: 'wallet', isMain: true },
  { path: '/wallet/deposit', page: page('money', deposit, (m) => m.Deposit) },
  { path: '/wallet/withdraw', page: page('money', withdraw, (m) => m.Withdraw) },
  { path: '/wallet/history', page: page('money', history, (m) => m.History) },
  { path: '/wallet/skins', page: page('money', skins, (m) => m.Skins) },
  { path: '/wallet/identity', page: page('money', identity, (m) => m.Identity) },
  {
    path: '/offers',
    page: page(
      'offers',
      () => import('./pages/offers/overview.tsx'),
      (m) => m.Offers,
    ),
    name: 'offers',
    isMain: true,
  },
  { path: '/offers/promo', page: page('offers', promo, (m) => m.Promo) },
  { path: '/offers/rakeback', page: page('offers', rakeback, (m) => m.Rakeback) },
  { path: '/offers/leaderboards', page: page('offers', leaderboards, (m) => m.Leaderboards) },
  { path: '/offers/leaderboards/:id', page: page('offers', leaderboards, (m) => m.Leaderboard) },
  { path: '/offers/challenges', page: page('offers', challenges, (m) => m.Challenges) },
  { path: '/offers/challenges/:id', page: page('offers', challenges, (m) => m.Challenge) },
  { path: '/offers/vip', page: page('offers', vip, (m) => m.Vip) },
  { path: '/offers/affiliate', page: page('offers', affiliate, (m) => m.Affiliate) },
  { path: '/offers/tips', page: page('offers', tips, (m) => m.Tips) },
  { path: '/chat', page: page('offers', chat, (m) => m.Chat), name: 'chat' },
  { path: '/profile', page: page('account', profile, (m) => m.Profile) },
  { path: '/profile/security', page: page('account', security, (m) => m.Security) },
  { path: '/profile/sessions', page: page('account', sessions, (m) => m.Sessions) },
  { path: '/players/:username', page: page('account', stats, (m) => m.Player) },
  { path: '/notifications', page: page('protection', notifications, (m) => m.Notifications) },
  { path: '/protection', page: page('protection', protection, (m) => m.Protection), name: 'protection' },
  { path: '/help', page: page('protection', help, (m) => m.Help), name: 'help', isOpen: true },
];
