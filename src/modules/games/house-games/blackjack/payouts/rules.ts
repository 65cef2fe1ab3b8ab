import { mulDivDown, roundDown, type Units, units } from '../../../../../platform/money.ts';
import {
  cappedPaid,
  type Money,
  type Paid,
  stakeOf,
  type Terms,
  usdDecimals,
} from '../../../betting/rules.ts';
import { type Pair, pairOf } from '../cards/rules.ts';
import { type Action, isNatural, type Result, resultOf, type Table } from '../table/rules.ts';

/** The player's bets in US dollars. `sideBetAmount` null: no side bet. */
export type Amounts = { betAmount: string; sideBetAmount: string | null };

/** Terms of a round, fixed at its start. */
export type RoundTerms = Pick<Terms, 'rate' | 'decimals' | 'maxProfitUsd'>;

type Bets = { bet: Money; side: Money | undefined };
type Part = { staked: Money; paid: Money; isPush?: boolean };
/** The stakes of a round and the payout of each. */
export type Parts = { hands: Part[]; insurance: Part | undefined; side: Part | undefined };

const NOTHING: Money = { usd: 0n, units: 0n };

/** Total payout multipliers, over 100. */
const HANDS: Record<Result, bigint> = { BLACKJACK: 250n, WIN: 200n, PUSH: 100n, LOSE: 0n };
const PAIRS: Record<Pair, bigint> = { COLORED_PAIR: 2500n, MIXED_PAIR: 1200n, NONE: 0n };
const INSURANCE = 300n;

/** First stake and side bet in currency units, computed from the player's dollar amounts. */
export function betsOf({ betAmount, sideBetAmount }: Amounts, terms: RoundTerms): Bets {
  const bet = moneyOf(betAmount, terms);
  return { bet, side: sideBetAmount === null ? undefined : moneyOf(sideBetAmount, terms) };
}

/** Returns the cost of an action: the first stake, or half of it rounded down; undefined if it is free. */
export function priceOf(action: Action, { betAmount }: Pick<Amounts, 'betAmount'>, terms: RoundTerms) {
  const bet = moneyOf(betAmount, terms);
  if (action === 'DOUBLE' || action === 'SPLIT') return bet;
  return action === 'INSURANCE' ? halfOf(bet, terms) : undefined;
}

/** Number of first stakes on the table: one per hand, two per doubled hand. */
export function stakesOn({ hands }: Pick<Table, 'hands'>): number {
  return hands.reduce((sum, { isDoubled }) => sum + (isDoubled ? 2 : 1), 0);
}

/** Returns the parts of a round. Payouts are only valid after its end. */
export function partsOf(amounts: Amounts, table: Table, terms: RoundTerms): Parts {
  const { bet, side } = betsOf(amounts, terms);
  const part = (staked: Money, hundredths: bigint): Part => ({
    staked,
    paid: {
      usd: roundDown(mulDivDown(staked.usd, hundredths, 100n), usdDecimals(terms.decimals)),
      units: roundDown(mulDivDown(staked.units, hundredths, 100n), terms.decimals),
    },
  });
  const { hands, dealer, insurance } = table;
  return {
    hands: hands.map((hand) => {
      const result = resultOf(hand, table);
      const staked = hand.isDoubled ? sum([bet, bet]) : bet;
      return { ...part(staked, HANDS[result]), isPush: result === 'PUSH' };
    }),
    insurance:
      insurance === 'TAKEN' ? part(halfOf(bet, terms), isNatural(dealer) ? INSURANCE : 0n) : undefined,
    side: side && part(side, PAIRS[pairOf(firstTwo(table))]),
  };
}

/** Returns the player's first two cards, also after a split. */
export function firstTwo({ hands: [first, second] }: Pick<Table, 'hands'>): number[] {
  return second ? [first!.cards[0]!, second.cards[0]!] : first!.cards.slice(0, 2);
}

/** Returns the payout of a round: the sum of its parts, limited so that the profit does not exceed maxProfitUsd. */
export function paidFor(parts: Parts, terms: RoundTerms): Paid {
  const all = [...parts.hands, parts.insurance, parts.side].filter((part) => part !== undefined);
  const { usd, units } = sum(all.map(({ paid }) => paid));
  return cappedPaid({ payout: units, payoutUsd: usd }, sum(all.map(({ staked }) => staked)), terms);
}

/** Returns the stakes of pushed hands, in units of the currency. A push returns the stake. */
export const pushedIn = ({ hands }: Parts): Units =>
  sum(hands.filter(({ isPush }) => isPush).map(({ staked }) => staked)).units;

function moneyOf(amount: string, { rate, decimals }: RoundTerms): Money {
  const usd = units(amount);
  return { usd, units: stakeOf(usd, rate, decimals) };
}

function halfOf({ usd, units }: Money, { decimals }: RoundTerms): Money {
  return { usd: roundDown(usd / 2n, usdDecimals(decimals)), units: roundDown(units / 2n, decimals) };
}

const sum = (amounts: readonly Money[]): Money =>
  amounts.reduce((a, b) => ({ usd: a.usd + b.usd, units: a.units + b.units }), NOTHING);
