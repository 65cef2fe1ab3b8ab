import type { Coin } from './addresses.ts';
import type { Person } from './names.ts';
import type { Visitor } from './visitors.ts';

/** A player of the demo: their budget, preferences and current state. */
export type Player = Person &
  Visitor & {
    id: number;
    coin: Coin;
    /** Typical amount of a deposit in US dollars. */
    budget: number;
    /** The estimated balance in US dollars. Only the platform has the exact balance. */
    cash: number;
    payAddress: string | undefined;
    recipient: string;
    favourites: readonly string[];
    isVerified: boolean;
  };

/** Converts US dollars to the player's currency. Returns the amount as the string that the player would type. */
export const coins = (usd: number, coin: Coin, usdRates: Readonly<Record<Coin, number>>): string =>
  coin === 'USDT' ? usd.toFixed(2) : (usd / usdRates[coin]).toFixed(6);
