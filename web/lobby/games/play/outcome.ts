import { parseUnits, units } from '../../../../src/platform/money.ts';
import { money } from '../../../kit/intl.ts';
import { isLive } from '../../../kit/live.ts';
import { refresh } from '../../../kit/query.ts';
import { createStore } from '../../../kit/store.ts';
import { words } from '../../words.ts';
import { type Ended, type Level, levelOf } from './levels.ts';
import { sound } from './sound.ts';

/** An outcome that the page has shown. `id` is unique. */
export type Shown = Ended & { id: number; level: Level };

const MOST = 8;
let next = 0;

/** The last outcomes of each game since the page was opened, newest first. */
const results = createStore<Readonly<Record<string, readonly Shown[]>>>({});
export const useResults = (game: string): readonly Shown[] | undefined => results.use()[game];

/** The outcome that was shown last, which the stage celebrates if it is a win. */
export const lastShown = createStore<Shown | undefined>(undefined);

/**
 * Shows the outcome of a bet in the strip of results and on the stage, and plays its sound. Call it when the reveal has ended. `isCashOut`: the
 * player has ended the round.
 */
export function showOutcome(game: string, bet: Ended, isCashOut = false): void {
  // A player who left the page before the response may see it on the next page.
  if (bet.betId !== undefined && results.get()[game]?.some(({ betId }) => betId === bet.betId)) return;
  const shown: Shown = { ...bet, id: next++, level: levelOf(bet) };
  results.set({ ...results.get(), [game]: [shown, ...(results.get()[game] ?? [])].slice(0, MOST) });
  lastShown.set(shown);
  const isWin = shown.level === 'win' || shown.level === 'big';
  sound(shown.level === 'big' ? 'big' : isWin ? (isCashOut ? 'cash' : 'win') : 'settle');
  // Without the socket, no event reports the bet.
  if (!isLive()) void refresh('GET /live-bets/my');
}

/** Describes the outcome of a bet. A payout that is not above the bet amount does not count as a win. */
export function paidWords({ payout, betAmount }: Pick<Ended, 'payout' | 'betAmount'>): string {
  const { lost, back, even, won } = words.play.paid;
  const [paid, staked] = [units(payout), units(betAmount)];
  if (paid === 0n) return lost;
  if (paid === staked) return even(money(betAmount));
  return paid < staked ? back(money(payout), money(betAmount)) : won(money(payout));
}

/** Returns the outcome that a response contains, or undefined if the bet is still open. */
export function endedIn(answer: unknown): Ended | undefined {
  const { betAmount, payout, multiplier, betId } = (answer ?? {}) as Partial<Record<keyof Ended, unknown>>;
  if (typeof betAmount !== 'string' || typeof payout !== 'string' || typeof multiplier !== 'number')
    return undefined;
  if (parseUnits(payout) === undefined) return undefined;
  return { ...(answer as Ended), betId: typeof betId === 'string' ? betId : undefined };
}
