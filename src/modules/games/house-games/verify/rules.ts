import type { Next } from '../../betting/rules.ts';
import { replayBlackjack } from '../blackjack/rules.ts';
import { replayDice } from '../dice/rules.ts';
import { replayKeno } from '../keno/rules.ts';
import { replayLimbo } from '../limbo/rules.ts';
import { replayMines } from '../mines/rules.ts';
import { replayMonkeyRun } from '../monkey-run/rules.ts';
import { replayPlinko } from '../plinko/rules.ts';
import { replayRoulette } from '../roulette/rules.ts';
import type { Replayed, StoredBet } from '../rules.ts';
import { replaySpeedRoulette } from '../speed-roulette/rules.ts';

type Replay = (bet: StoredBet, next: Next) => Replayed | undefined;

/** How a bet of each game is played again, by slug: what proofs, the books and the verifier for outsiders share. */
const REPLAYS: Readonly<Record<string, Replay>> = {
  blackjack: replayBlackjack,
  dice: replayDice,
  mines: replayMines,
  'monkey-run': replayMonkeyRun,
  limbo: replayLimbo,
  keno: replayKeno,
  plinko: replayPlinko,
  roulette: replayRoulette,
  'speed-roulette': replaySpeedRoulette,
};

/**
 * Plays a stored bet again from its random stream: its outcome, and what it pays. Undefined when its game does not accept the
 * stored inputs: they are not those of the bet. Throws for a game that is not known.
 */
export function replayBet(bet: StoredBet, next: Next): Replayed | undefined {
  const replay = Object.hasOwn(REPLAYS, bet.game) ? REPLAYS[bet.game] : undefined;
  if (!replay) throw new Error(`no rules to verify ${bet.game}`);
  return replay(bet, next);
}
