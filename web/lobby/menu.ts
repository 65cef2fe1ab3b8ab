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
  { path: '/sign-in', page: page(entrance, (m) => m.SignIn), isOpen: true },
  { path: '/sign-up', page: page(entrance, (m) => m.SignUp), isOpen: true },
];
