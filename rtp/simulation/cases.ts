import type { ReturningGame } from '../games.ts';
import { blackjackCases } from './blackjack.ts';
import type { Case } from './case.ts';
import { DRAWN_CASES } from './drawn.ts';
import { ONE_NUMBER_CASES } from './one-number.ts';
import { ROUND_CASES } from './rounds.ts';
import { sevenOrchardsCases } from './seven-orchards.ts';

/** The games, in the order in which they are shown. */
export const GAMES: readonly ReturningGame[] = [
  'dice',
  'limbo',
  'keno',
  'plinko',
  'mines',
  'monkey-run',
  'roulette',
  'speed-roulette',
  'blackjack',
  'seven-orchards',
];

/** Returns a representative selection of bets on a game. */
export function casesOf(game: ReturningGame): readonly Case[] {
  if (game === 'blackjack') return blackjackCases();
  if (game === 'seven-orchards') return sevenOrchardsCases();
  return [...ONE_NUMBER_CASES, ...DRAWN_CASES, ...ROUND_CASES].filter((one) => one.game === game);
}
