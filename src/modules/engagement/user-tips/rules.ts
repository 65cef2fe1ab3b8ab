import { percentDown, type Units } from '../../../platform/money.ts';

export const DIRECTIONS = ['SENT', 'RECEIVED'] as const;
export type Direction = (typeof DIRECTIONS)[number];

/** What may be sent, and received, on a day: the least limit, or a part of what the player's VIP level asks to be wagered. Dollars. */
export function dailyLimit(
  { leastUsd, wagerPercent }: { leastUsd: Units; wagerPercent: number },
  levelWageredUsd: Units,
): Units {
  const ofLevel = percentDown(levelWageredUsd, wagerPercent);
  return ofLevel > leastUsd ? ofLevel : leastUsd;
}

/** Dollars that were moved on a day, and how many may be. */
export type Day = { usedUsd: Units; limitUsd: Units };

export const leftOf = ({ usedUsd, limitUsd }: Day): Units => (limitUsd > usedUsd ? limitUsd - usedUsd : 0n);

/** Whose limit a tip would exceed: that of the sender first; undefined: neither. */
export const sideReached = (
  usdAmount: Units,
  { sent, received }: { sent: Day; received: Day },
): Direction | undefined =>
  usdAmount > leftOf(sent) ? 'SENT' : usdAmount > leftOf(received) ? 'RECEIVED' : undefined;

/** What a player could tip with in a currency. */
export type Purse = { cashUsd: Units; hasGrant: boolean };

/**
 * Why nothing could be tipped whatever the currency: too little in each, or what is enough belongs to currencies in which a grant is active;
 * undefined: there is one to tip in.
 */
export function purseBlocker(
  purses: readonly Purse[],
  leastUsd: Units,
): 'INSUFFICIENT_BALANCE' | 'ROLLOVER_OPEN' | undefined {
  const enough = purses.filter(({ cashUsd }) => cashUsd >= leastUsd);
  if (enough.length === 0) return 'INSUFFICIENT_BALANCE';
  return enough.every(({ hasGrant }) => hasGrant) ? 'ROLLOVER_OPEN' : undefined;
}
