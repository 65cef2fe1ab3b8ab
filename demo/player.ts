import type { Coin } from './addresses.ts';
import type { Person } from './names.ts';
import type { Visitor } from './visitors.ts';

/** Somebody who plays here: how much, what for, and what is known of them so far. */
export type Player = Person &
  Visitor & {
    id: number;
    coin: Coin;
    /** Dollars that they pay in at a time. */
    budget: number;
    /** Dollars on the table as far as they know; the platform knows better. */
    cash: number;
    payAddress: string | undefined;
    recipient: string;
    favourites: readonly string[];
    isVerified: boolean;
  };

/** So many dollars in the coin of a player, as they would type it. */
export const coins = (usd: number, coin: Coin, usdRates: Readonly<Record<Coin, number>>): string =>
  coin === 'USDT' ? usd.toFixed(2) : (usd / usdRates[coin]).toFixed(6);
