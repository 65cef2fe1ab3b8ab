import type { GiveUp } from '../betting/abandoned.ts';
import { giveUpBlackjack } from './blackjack/rules.ts';
import { giveUpMines } from './mines/rules.ts';
import { giveUpMonkeyRun } from './monkey-run/rules.ts';

/** How the rounds of each game end without their player. */
export const GIVE_UPS: Readonly<Record<string, GiveUp>> = {
  mines: (round, next) => giveUpMines(round as Parameters<typeof giveUpMines>[0], next!),
  'monkey-run': (round, next) => giveUpMonkeyRun(round as Parameters<typeof giveUpMonkeyRun>[0], next!),
  blackjack: (round, next) => giveUpBlackjack(round as Parameters<typeof giveUpBlackjack>[0], next),
};
