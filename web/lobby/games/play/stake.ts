import { use, useState } from 'react';
import {
  currencyToUsdDown,
  formatUnits,
  parseRate,
  parseUnits,
  type Units,
  usdToCurrencyDown,
} from '../../../../src/platform/money.ts';
import { money } from '../../../kit/intl.ts';
import { useRead } from '../../../kit/query.ts';
import { kit } from '../../../kit/words.ts';
import { useCurrency } from '../../balances.ts';
import { own } from '../../own.ts';
import { words } from '../../words.ts';
import { GameName } from './context.ts';

/** A bet amount in US dollars, and the currency from which it is debited. */
export type Stake = { currencyId: string; betAmount: string };

export type Limits = { minBet: number; maxBet: number; maxProfit: number };

/**
 * The bet amount of the panel, with the reason why it cannot be bet. `total`: the amount, if the game determines it. `limits`: the game's range.
 */
export function useStake(total: string | undefined, limits: Limits | undefined, isLocked: boolean) {
  const { currencyId, amount: balance, isKnown } = useCurrency();
  // A bet of $5 on a chance of 95% is not one on a board of mines, so the browser keeps the player's amount of each game.
  const key = `stake.${use(GameName)}`;
  const [typed, setTyped] = useState(() => own.get(key) ?? '1.00');
  const { data } = useRead('GET /currency', {}, { staleMs: 60_000 });
  const currency = data?.find(({ id }) => id === currencyId);
  const rate = currency && parseRate(currency.usdRate);
  const betAmount = total ?? typed;
  const wanted = parseUnits(betAmount);
  const available =
    rate === undefined || !isKnown ? undefined : currencyToUsdDown(parseUnits(balance) ?? 0n, rate);
  // A game that determines the amount shows the reason why it is missing.
  const isOpen = !isLocked && !(total !== undefined && wanted === 0n);
  const problem = isOpen ? problemOf(wanted, limits) : undefined;
  const isShort = isOpen && !problem && available !== undefined && wanted! > available;
  return {
    stake: { currencyId, betAmount } satisfies Stake,
    betAmount,
    wanted,
    /** The amount that is debited from the balance, such as 5.00 USDT. */
    inCurrency:
      wanted === undefined || rate === undefined
        ? undefined
        : money(formatUnits(usdToCurrencyDown(wanted, rate, currency!.decimals)), currencyId),
    problem: isShort ? words.play.tooLittle : problem,
    /** True if the balance is lower than the amount. */
    isShort,
    change: setTyped,
    keep: () => total === undefined && own.set(key, typed),
  };
}

function problemOf(wanted: Units | undefined, limits: Limits | undefined): string | undefined {
  if (wanted === undefined || wanted === 0n) return kit.wrong.amount;
  const [least, most] = limits ? [parseUnits(String(limits.minBet)), parseUnits(String(limits.maxBet))] : [];
  if (least !== undefined && wanted < least) return words.table.tooSmall(money(String(limits!.minBet)));
  if (most !== undefined && wanted > most) return words.table.tooLarge(money(String(limits!.maxBet)));
  return undefined;
}

/** Returns the profit of a win in US dollars, rounded down, or undefined if the amount cannot be read. */
export function profitAt(betAmount: string, multiplier: number): string | undefined {
  const wanted = parseUnits(betAmount);
  if (wanted === undefined || !Number.isFinite(multiplier)) return undefined;
  const scaled = BigInt(Math.round(multiplier * 10_000));
  return formatUnits((wanted * (scaled > 10_000n ? scaled - 10_000n : 0n)) / 10_000n);
}

/** The amount with at least two decimals, as fields show it. */
export function withCents(amount: Units): string {
  const [whole, part = ''] = formatUnits(amount).split('.');
  return `${whole}.${part.padEnd(2, '0')}`;
}
