import { mulDivDown, roundDown, units } from '../../../../../platform/money.ts';
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

/** What the player decided about money, in US dollars; sideBetAmount null: no side bet. */
export type Amounts = { betAmount: string; sideBetAmount: string | null };

/** What a round was made on and keeps until it ends. */
export type RoundTerms = Pick<Terms, 'rate' | 'decimals' | 'maxProfitUsd'>;

type Bets = { bet: Money; side: Money | undefined };
type Part = { staked: Money; paid: Money };
/** A round's stakes and what each comes back as by itself. */
export type Parts = { hands: Part[]; insurance: Part | undefined; side: Part | undefined };

const NOTHING: Money = { usd: 0n, units: 0n };

/** Total returns, over 100. */
const HANDS: Record<Result, bigint> = { BLACKJACK: 250n, WIN: 200n, PUSH: 100n, LOSE: 0n };
const PAIRS: Record<Pair, bigint> = { COLORED_PAIR: 2500n, MIXED_PAIR: 1200n, NONE: 0n };
const INSURANCE = 300n;

/** First stake and side bet as they are debited, recomputed from the dollars that the player named. */
export function betsOf({ betAmount, sideBetAmount }: Amounts, terms: RoundTerms): Bets {
  const bet = moneyOf(betAmount, terms);
  return { bet, side: sideBetAmount === null ? undefined : moneyOf(sideBetAmount, terms) };
}

/** What an action costs: as much again, or half of the first stake rounded down; undefined when it costs nothing. */
export function priceOf(action: Action, { betAmount }: Pick<Amounts, 'betAmount'>, terms: RoundTerms) {
  const bet = moneyOf(betAmount, terms);
  if (action === 'DOUBLE' || action === 'SPLIT') return bet;
  return action === 'INSURANCE' ? halfOf(bet, terms) : undefined;
}

/** How much of the table costs the first stake: a hand once, a doubled one twice. */
export function stakesOn({ hands }: Pick<Table, 'hands'>): number {
  return hands.reduce((sum, { isDoubled }) => sum + (isDoubled ? 2 : 1), 0);
}

/** The parts of a round that is over; while it is open, what is staked is true and what is paid means nothing. */
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
    hands: hands.map((hand) => part(hand.isDoubled ? sum([bet, bet]) : bet, HANDS[resultOf(hand, table)])),
    insurance:
      insurance === 'TAKEN' ? part(halfOf(bet, terms), isNatural(dealer) ? INSURANCE : 0n) : undefined,
    side: side && part(side, PAIRS[pairOf(firstTwo(table))]),
  };
}

/** The player's first two cards, also after a split. */
export function firstTwo({ hands: [first, second] }: Pick<Table, 'hands'>): number[] {
  return second ? [first!.cards[0]!, second.cards[0]!] : first!.cards.slice(0, 2);
}

/** What the round pays: the sum of its parts, cut so that the profit over all stakes stays within maxProfitUsd. */
export function paidFor(parts: Parts, terms: RoundTerms): Paid {
  const all = [...parts.hands, parts.insurance, parts.side].filter((part) => part !== undefined);
  const { usd, units } = sum(all.map(({ paid }) => paid));
  return cappedPaid({ payout: units, payoutUsd: usd }, sum(all.map(({ staked }) => staked)), terms);
}

function moneyOf(amount: string, { rate, decimals }: RoundTerms): Money {
  const usd = units(amount);
  return { usd, units: stakeOf(usd, rate, decimals) };
}

function halfOf({ usd, units }: Money, { decimals }: RoundTerms): Money {
  return { usd: roundDown(usd / 2n, usdDecimals(decimals)), units: roundDown(units / 2n, decimals) };
}

const sum = (amounts: readonly Money[]): Money =>
  amounts.reduce((a, b) => ({ usd: a.usd + b.usd, units: a.units + b.units }), NOTHING);
