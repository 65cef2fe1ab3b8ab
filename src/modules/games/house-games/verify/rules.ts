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

/** The replay function of each game, used by proofs, reconciliation and the public verifier. */
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
 * Replays a stored bet from its random stream and returns the outcome and payout. Returns undefined if the game does not allow the stored
 * inputs. Throws for an unknown game.
 */
export function replayBet(bet: StoredBet, next: Next): Replayed | undefined {
  const replay = Object.hasOwn(REPLAYS, bet.game) ? REPLAYS[bet.game] : undefined;
  if (!replay) throw new Error(`no rules to verify ${bet.game}`);
  return replay(bet, next);
}
