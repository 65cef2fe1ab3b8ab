import type { ComponentType } from 'react';
import { type Lazy, lazily } from '../kit/load.tsx';
import { loadSection, type Section } from './words.ts';

type Props = { params: Readonly<Record<string, string>> };
type Screen = Lazy<Props>;

/** A page and its address. Without `isOpen`, visitors who are not signed in see the sign-in form instead. */
export type Entry = {
  path: string;
  page: Screen;
  isOpen?: boolean;
};

/** A page that is loaded on first visit, together with the texts of its sections. `of` selects the component from the loaded module. */
const page = <M>(
  section: Section | readonly Section[],
  load: () => Promise<M>,
  of: (all: M) => ComponentType<never>,
): Screen =>
  lazily(async () => {
    const [all] = await Promise.all([load(), ...[section].flat().map(loadSection)]);
    return of(all) as ComponentType<Props>;
  });

const signIn = () => import('./pages/sign-in.tsx');
const mails = () => import('./pages/mails.tsx');
const profile = () => import('./pages/profile/profile.tsx');
const stats = () => import('./pages/profile/stats.tsx');
const security = () => import('./pages/profile/security.tsx');
const sessions = () => import('./pages/profile/sessions.tsx');
const verification = () => import('./pages/verification/verification.tsx');
const landing = () => import('./pages/landing.tsx');
const protection = () => import('./pages/protection/protection.tsx');
const help = () => import('./pages/protection/help.tsx');
const notifications = () => import('./pages/notifications.tsx');
const home = () => import('./pages/home/home.tsx');
const lists = () => import('./pages/casino/lists.tsx');
const live = () => import('./pages/bets/live.tsx');
const promo = () => import('./pages/offers/promo.tsx');
const rakeback = () => import('./pages/offers/rakeback.tsx');
const leaderboards = () => import('./pages/offers/leaderboards.tsx');
const leaderboard = () => import('./pages/offers/leaderboard.tsx');
const challenges = () => import('./pages/offers/challenges.tsx');
const challenge = () => import('./pages/offers/challenge.tsx');
const vip = () => import('./pages/offers/vip.tsx');
const affiliate = () => import('./pages/offers/affiliate.tsx');
const tips = () => import('./pages/offers/tips.tsx');
const chat = () => import('./pages/chat/chat.tsx');
const bets = () => import('./pages/bets/my-bets.tsx');
/** Proofs have the texts of the games. */
const bet = () => withProofs(import('./pages/bets/bet.tsx'));
const withProofs = async <M>(loading: Promise<M>): Promise<M> => {
  await loadSection('games');
  return loading;
};

/** Replaces pages that require sign-in. */
export const Entered = page('account', signIn, (m) => m.SignIn) as ComponentType<object>;

export const PAGES: readonly Entry[] = [
  {
    path: '/games',
    page: page('catalogue', home, (m) => m.Home),
    isOpen: true,
  },
  {
    path: '/games/dice',
    page: page(
      'games',
      () => import('./games/dice.tsx'),
      (m) => m.Dice,
    ),
    isOpen: true,
  },
  {
    path: '/games/limbo',
    page: page(
      'games',
      () => import('./games/limbo.tsx'),
      (m) => m.Limbo,
    ),
    isOpen: true,
  },
  {
    path: '/games/keno',
    page: page(
      'games',
      () => import('./games/keno.tsx'),
      (m) => m.Keno,
    ),
    isOpen: true,
  },
  {
    path: '/games/plinko',
    page: page(
      'games',
      () => import('./games/plinko.tsx'),
      (m) => m.Plinko,
    ),
    isOpen: true,
  },
  {
    path: '/games/roulette',
    page: page(
      'games',
      () => import('./games/roulette.tsx'),
      (m) => m.Roulette,
    ),
    isOpen: true,
  },
  {
    path: '/games/mines',
    page: page(
      'games',
      () => import('./games/mines.tsx'),
      (m) => m.Mines,
    ),
    isOpen: true,
  },
  {
    path: '/games/monkey-run',
    page: page(
      'games',
      () => import('./games/monkey-run.tsx'),
      (m) => m.MonkeyRun,
    ),
    isOpen: true,
  },
  {
    path: '/games/blackjack',
    page: page(
      'games',
      () => import('./games/blackjack.tsx'),
      (m) => m.Blackjack,
    ),
    isOpen: true,
  },
  {
    path: '/games/speed-roulette',
    page: page(
      'games',
      () => import('./games/speed-roulette.tsx'),
      (m) => m.SpeedRoulette,
    ),
    isOpen: true,
  },
  {
    path: '/games/:slug',
    page: page(
      'catalogue',
      () => import('./pages/casino/game.tsx'),
      (m) => m.ProviderGame,
    ),
    isOpen: true,
  },
  { path: '/live', page: page('catalogue', live, (m) => m.Live), isOpen: true },
  { path: '/live/:kind', page: page('catalogue', live, (m) => m.Live), isOpen: true },
  { path: '/bets', page: page('catalogue', bets, (m) => m.Bets), isOpen: true },
  { path: '/bets/house/:betId', page: page('catalogue', bet, (m) => m.HouseBet) },
  { path: '/bets/slots/:betId', page: page('catalogue', bet, (m) => m.SlotBet) },
  {
    path: '/fairness',
    page: page(
      'catalogue',
      () => withProofs(import('./pages/fairness.tsx')),
      (m) => m.FairnessPage,
    ),
    isOpen: true,
  },
  {
    path: '/coming-soon',
    page: page(
      'protection',
      () => import('./pages/coming-soon.tsx'),
      (m) => m.ComingSoon,
    ),
    isOpen: true,
  },
  { path: '/casino/:list', page: page('catalogue', lists, (m) => m.Casino), isOpen: true },
  { path: '/casino/providers/:id', page: page('catalogue', lists, (m) => m.Provider), isOpen: true },
  { path: '/reset-password', page: page('account', mails, (m) => m.ResetPassword), isOpen: true },
  { path: '/verify-email', page: page('account', mails, (m) => m.VerifyEmail), isOpen: true },
  { path: '/confirm-email', page: page('account', mails, (m) => m.ConfirmEmail), isOpen: true },
  { path: '/auth', page: page('account', landing, (m) => m.Landing), isOpen: true },
  { path: '/verification', page: page('money', verification, (m) => m.Verification) },
  {
    path: '/offers',
    page: page(
      'offers',
      () => import('./pages/offers/rewards.tsx'),
      (m) => m.Rewards,
    ),
  },
  { path: '/offers/promo', page: page('offers', promo, (m) => m.Promo) },
  { path: '/offers/rakeback', page: page('offers', rakeback, (m) => m.Rakeback) },
  { path: '/offers/leaderboards', page: page('offers', leaderboards, (m) => m.Leaderboards) },
  {
    path: '/offers/leaderboards/:id',
    page: page(['offers', 'catalogue'], leaderboard, (m) => m.Leaderboard),
  },
  { path: '/offers/challenges', page: page('offers', challenges, (m) => m.Challenges) },
  { path: '/offers/challenges/:id', page: page('offers', challenge, (m) => m.Challenge) },
  { path: '/offers/vip', page: page('club', vip, (m) => m.Vip) },
  { path: '/offers/affiliate', page: page(['club', 'codes'], affiliate, (m) => m.Affiliate) },
  { path: '/offers/tips', page: page('club', tips, (m) => m.Tips) },
  { path: '/chat', page: page('club', chat, (m) => m.Chat) },
  { path: '/profile', page: page('account', profile, (m) => m.Profile) },
  { path: '/profile/security', page: page('account', security, (m) => m.Security) },
  { path: '/profile/sessions', page: page('account', sessions, (m) => m.Sessions) },
  { path: '/players/:username', page: page('account', stats, (m) => m.Player) },
  { path: '/notifications', page: page('news', notifications, (m) => m.Notifications) },
  { path: '/protection', page: page('protection', protection, (m) => m.Protection) },
  { path: '/help', page: page('protection', help, (m) => m.Help), isOpen: true },
];
