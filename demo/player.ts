import type { Coin } from './addresses.ts';
import type { Person } from './names.ts';
import type { Visitor } from './visitors.ts';

/** A player of the demo: their budget, preferences and state so far. */
export type Player = Person &
  Visitor & {
    id: number;
    coin: Coin;
    /** US dollars per deposit. */
    budget: number;
    /** Estimated balance in US dollars; the platform's is authoritative. */
    cash: number;
    payAddress: string | undefined;
    recipient: string;
    favourites: readonly string[];
    isVerified: boolean;
  };

/** Returns an amount of US dollars in the player's coin, as they would type it. */
export const coins = (usd: number, coin: Coin, usdRates: Readonly<Record<Coin, number>>): string =>
  coin === 'USDT' ? usd.toFixed(2) : (usd / usdRates[coin]).toFixed(6);
