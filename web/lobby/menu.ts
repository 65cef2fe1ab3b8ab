import { type ComponentType, lazy } from 'react';
import type { Words } from './words/en.ts';

type Props = { params: Readonly<Record<string, string>> };
type Screen = ComponentType<Props>;

/**
 * A page by its address. With `name` it stands in the menu; `isMain`: also in the bar at the bottom of a small screen; `isOpen`: whoever is
 * not signed in sees it too, where others see the way in.
 */
export type Entry = {
  path: string;
  page: Screen;
  name?: keyof Words['menu'];
  isMain?: boolean;
  isOpen?: boolean;
};

/** A page that is loaded when somebody goes there: `of` picks it from its file. */
const page = <M>(load: () => Promise<M>, of: (all: M) => ComponentType<never>): Screen =>
  lazy(async () => ({ default: of(await load()) as Screen }));

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
const bets = () => import('./pages/bets.tsx');

/** What stands in place of a page that asks who one is. */
export const Entered = page(entrance, (m) => m.SignIn) as ComponentType;

export const PAGES: readonly Entry[] = [
  { path: '/games', page: page(games, (m) => m.Games), name: 'games', isMain: true, isOpen: true },
  {
    path: '/games/dice',
    page: page(
      () => import('./games/dice.tsx'),
      (m) => m.Dice,
    ),
  },
  {
    path: '/games/limbo',
    page: page(
      () => import('./games/limbo.tsx'),
      (m) => m.Limbo,
    ),
  },
  {
    path: '/games/keno',
    page: page(
      () => import('./games/keno.tsx'),
      (m) => m.Keno,
    ),
  },
  {
    path: '/games/plinko',
    page: page(
      () => import('./games/plinko.tsx'),
      (m) => m.Plinko,
    ),
  },
  {
    path: '/games/roulette',
    page: page(
      () => import('./games/roulette.tsx'),
      (m) => m.Roulette,
    ),
  },
  {
    path: '/games/mines',
    page: page(
      () => import('./games/mines.tsx'),
      (m) => m.Mines,
    ),
  },
  {
    path: '/games/monkey-run',
    page: page(
      () => import('./games/monkey-run.tsx'),
      (m) => m.MonkeyRun,
    ),
  },
  {
    path: '/games/blackjack',
    page: page(
      () => import('./games/blackjack.tsx'),
      (m) => m.Blackjack,
    ),
  },
  {
    path: '/games/speed-roulette',
    page: page(
      () => import('./games/speed-roulette.tsx'),
      (m) => m.SpeedRoulette,
    ),
  },
  {
    path: '/games/:slug',
    page: page(
      () => import('./pages/provider-game.tsx'),
      (m) => m.ProviderGame,
    ),
  },
  {
    path: '/live',
    page: page(
      () => import('./pages/live.tsx'),
      (m) => m.Live,
    ),
    name: 'live',
  },
  { path: '/bets', page: page(bets, (m) => m.Bets), name: 'bets', isMain: true },
  { path: '/bets/house/:betId', page: page(bets, (m) => m.HouseBet) },
  { path: '/bets/slots/:betId', page: page(bets, (m) => m.SlotBet) },
  {
    path: '/fairness',
    page: page(
      () => import('./pages/fairness.tsx'),
      (m) => m.FairnessPage,
    ),
    name: 'fairness',
  },
  {
    path: '/coming-soon',
    page: page(
      () => import('./pages/coming-soon.tsx'),
      (m) => m.ComingSoon,
    ),
    isOpen: true,
  },
  { path: '/sign-in', page: page(entrance, (m) => m.SignIn), isOpen: true },
  { path: '/sign-up', page: page(entrance, (m) => m.SignUp), isOpen: true },
  { path: '/forgot-password', page: page(mails, (m) => m.ForgotPassword), isOpen: true },
  { path: '/reset-password', page: page(mails, (m) => m.ResetPassword), isOpen: true },
  { path: '/verify-email', page: page(mails, (m) => m.VerifyEmail), isOpen: true },
  { path: '/confirm-email', page: page(mails, (m) => m.ConfirmEmail), isOpen: true },
  { path: '/auth', page: page(landing, (m) => m.Landing), isOpen: true },
  { path: '/wallet', page: page(wallet, (m) => m.Wallet), name: 'wallet', isMain: true },
  { path: '/wallet/deposit', page: page(deposit, (m) => m.Deposit) },
  { path: '/wallet/withdraw', page: page(withdraw, (m) => m.Withdraw) },
  { path: '/wallet/history', page: page(history, (m) => m.History) },
  { path: '/wallet/skins', page: page(skins, (m) => m.Skins) },
  { path: '/wallet/identity', page: page(identity, (m) => m.Identity) },
  { path: '/profile', page: page(profile, (m) => m.Profile) },
  { path: '/profile/security', page: page(security, (m) => m.Security) },
  { path: '/profile/sessions', page: page(sessions, (m) => m.Sessions) },
  { path: '/players/:username', page: page(stats, (m) => m.Player) },
  { path: '/notifications', page: page(notifications, (m) => m.Notifications) },
  { path: '/protection', page: page(protection, (m) => m.Protection), name: 'protection' },
  { path: '/help', page: page(help, (m) => m.Help), name: 'help', isOpen: true },
];
