import type { GameSlug } from '../../src/modules/games/house-games/schemas.ts';
import { blackjackCases } from './blackjack.ts';
import type { Case } from './case.ts';
import { DRAWN_CASES } from './drawn.ts';
import { ONE_NUMBER_CASES } from './one-number.ts';
import { ROUND_CASES } from './rounds.ts';

/** In the order in which they are shown. */
export const GAMES: readonly GameSlug[] = [
  'dice',
  'limbo',
  'keno',
  'plinko',
  'mines',
  'monkey-run',
  'roulette',
  'speed-roulette',
  'blackjack',
];

/** The ways to bet on a game that stand for all of it. */
export function casesOf(game: GameSlug): readonly Case[] {
  if (game === 'blackjack') return blackjackCases();
  return [...ONE_NUMBER_CASES, ...DRAWN_CASES, ...ROUND_CASES].filter((one) => one.game === game);
}
