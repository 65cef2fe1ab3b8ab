import { percentDown, type Units } from '../../../platform/money.ts';

export const DIRECTIONS = ['SENT', 'RECEIVED'] as const;
type Direction = (typeof DIRECTIONS)[number];

/**
 * Returns the daily limit for sending and for receiving, in US dollars: the base limit or, if larger, a percentage of the wagering that the
 * player's VIP level requires.
 */
export function dailyLimit(
  { leastUsd, wagerPercent }: { leastUsd: Units; wagerPercent: number },
  levelWageredUsd: Units,
): Units {
  const ofLevel = percentDown(levelWageredUsd, wagerPercent);
  return ofLevel > leastUsd ? ofLevel : leastUsd;
}

/** The amount in US dollars that was sent or received on a day, and the limit. */
export type Day = { usedUsd: Units; limitUsd: Units };

export const leftOf = ({ usedUsd, limitUsd }: Day): Units => (limitUsd > usedUsd ? limitUsd - usedUsd : 0n);

/**
 * Returns whose limit a tip would exceed. Checks the sender first, then the recipient. Returns undefined if the tip exceeds neither limit.
 */
export const sideReached = (
  usdAmount: Units,
  { sent, received }: { sent: Day; received: Day },
): Direction | undefined =>
  usdAmount > leftOf(sent) ? 'SENT' : usdAmount > leftOf(received) ? 'RECEIVED' : undefined;

/** A balance from which a player could send a tip. */
export type Purse = { cashUsd: Units; hasGrant: boolean };

/**
 * Returns the reason why a player cannot tip in any currency: every balance is too small, or every sufficient balance is in a currency with
 * an active grant. Returns undefined if the player can tip in at least one currency.
 */
export function purseBlocker(
  purses: readonly Purse[],
  leastUsd: Units,
): 'INSUFFICIENT_BALANCE' | 'ROLLOVER_OPEN' | undefined {
  const enough = purses.filter(({ cashUsd }) => cashUsd >= leastUsd);
  if (enough.length === 0) return 'INSUFFICIENT_BALANCE';
  return enough.every(({ hasGrant }) => hasGrant) ? 'ROLLOVER_OPEN' : undefined;
}
