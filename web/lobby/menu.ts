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
];
