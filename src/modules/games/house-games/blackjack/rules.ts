import {
  formatUnits,
  mulDivDown,
  parseUnits,
  roundDown,
  type Units,
  units,
} from '../../../../platform/money.ts';
import {
  cappedPaid,
  type Money,
  type Next,
  type Paid,
  stakeOf,
  type Terms,
  type Turn,
  usdDecimals,
} from '../../betting/rules.ts';
import type { Replayed, StoredBet } from '../rules.ts';
import {
  ACTIONS,
  type Action,
  act,
  type Cards,
  deal,
  type Hand,
  isBust,
  isLayable,
  isNatural,
  laidDeck,
  type Pair,
  pairOf,
  type Result,
  resultOf,
  shuffledDeck,
  type Table,
  totalOf,
} from './table/rules.ts';

/** The player's decisions. `deck` is set only in rounds of initDebug, which have no seeds. */
export type BlackjackInputs = Amounts & { actions: Action[]; deck?: Cards };

/** The stored state of an open round: decisions and open cards. Only a debug round stores its deck. */
export type BlackjackState = BlackjackInputs & { table: Table };

type Round = RoundTerms & { state: BlackjackState };

/** Deals a round. `next` is not needed if a deck is passed. */
export function beginBlackjack(
  terms: Terms & { side?: Money | undefined },
  next: Next | undefined,
  deck?: Cards,
): Turn<BlackjackState> {
  const { betUsd, side } = terms;
  const inputs: BlackjackInputs = {
    betAmount: formatUnits(betUsd),
    sideBetAmount: side ? formatUnits(side.usd) : null,
    actions: [],
    ...(deck && { deck }),
  };
  return turnOf({ ...inputs, table: deal(deckOf(inputs, next)) }, terms);
}

/**
 * Applies an action to an open round. Returns undefined if the action is not allowed now. The balance must cover the action before the
 * dealer checks for a natural. A double or split that a natural prevents is not debited.
 */
export function actBlackjack(
  { state, ...terms }: Round,
  action: Action,
  next: Next | undefined,
): Turn<BlackjackState> | undefined {
  const table = act(state.table, action, deckOf(state, next));
  if (!table) return undefined;
  const price = priceOf(action, state, terms);
  const isTaken = action === 'INSURANCE' || stakesOn(table) > stakesOn(state.table);
  const turn = turnOf({ ...state, actions: [...state.actions, action], table }, terms);
  return { ...turn, needs: price, stake: isTaken ? price : undefined };
}

/** Ends an abandoned round without further risk: stands on every open hand and declines insurance. */
export function giveUpBlackjack(round: Round, next: Next | undefined): Turn<BlackjackState> {
  const deck = deckOf(round.state, next);
  let { table, actions } = round.state;
  while (table.active !== null) {
    table = act(table, 'STAND', deck)!;
    actions = [...actions, 'STAND'];
  }
  return turnOf({ ...round.state, actions, table }, round);
}

/**
 * Replays a stored round. Returns undefined if the inputs do not end a round dealt from its deck, or if they contain a deck although the
 * round has seeds (`next`). Stakes are computed from the inputs. The rate, decimals and maxProfit are the only terms used.
 */
export function replayBlackjack(
  { inputs }: Pick<StoredBet, 'inputs'>,
  next: Next | undefined,
): Replayed | undefined {
  if (!isInputs(inputs) || (inputs.deck === undefined) === (next === undefined)) return undefined;
  const deck = deckOf(inputs, next);
  let table: Table | undefined = deal(deck);
  for (const action of inputs.actions) table = table && act(table, action, deck);
  if (table?.active !== null) return undefined;
  const last = table;
  return {
    outcome: outcomeOf(inputs, last),
    pay: (terms) => paidFor(partsOf(inputs, last, terms), terms),
  };
}

/** Returns the side bet's result, which depends on the first cards, or null without a side bet. */
export function sideBetResult({ sideBetAmount }: Amounts, table: Table) {
  return sideBetAmount === null ? null : pairOf(firstTwo(table));
}

/** Returns the view of the dealer's cards. One of them is hidden until the end. */
export function showDealer({ dealer, active }: Table) {
  return {
    cards: [...dealer],
    hiddenCards: active === null ? 0 : 1,
    total: totalOf(dealer).total,
    isBlackjack: isNatural(dealer),
    isBust: isBust(dealer),
  };
}

/** Returns the view of a hand. Its result is null until the end. */
export function showHand({ cards, isDoubled }: Hand, table: Table) {
  return {
    cards: [...cards],
    ...totalOf(cards),
    isBlackjack: isNatural(cards, table.hands.length > 1),
    isBust: isBust(cards),
    isDoubled,
    result: table.active === null ? resultOf({ cards, isDoubled }, table) : null,
  };
}

function turnOf(state: BlackjackState, terms: RoundTerms): Turn<BlackjackState> {
  const { table, ...inputs } = state;
  if (table.active !== null) return { state };
  const parts = partsOf(inputs, table, terms);
  const [paid, undecided] = [paidFor(parts, terms), pushedIn(parts)];
  return { state, end: { inputs, outcome: outcomeOf(inputs, table), paid, undecided } };
}

export const DECK = 52;
/** Dealing order: player, player, dealer face up, dealer face down. */
export const CARDS_DEALT = 4;

/**
 * Extracts the first cards of the deck, in dealing order, from a round's outcome. After a split the player's second card is in the other
 * hand.
 */
export function dealtCards(outcome: unknown): number[] {
  const { hands, dealer } = outcome as { hands: readonly { cards: Cards }[]; dealer: { cards: Cards } };
  const [first, split] = hands;
  return [first!.cards[0]!, split ? split.cards[0]! : first!.cards[1]!, ...dealer.cards.slice(0, 2)];
}

/** Returns the cards and results at the end of a round, without amounts. */
function outcomeOf(inputs: BlackjackInputs, table: Table): object {
  const { hiddenCards: _, ...dealer } = showDealer(table);
  const insured = isNatural(table.dealer) ? 'WIN' : 'LOSE';
  return {
    dealer,
    hands: table.hands.map((hand) => showHand(hand, table)),
    insuranceResult: table.insurance === 'TAKEN' ? insured : null,
    sideBetResult: sideBetResult(inputs, table),
  };
}

function deckOf({ deck }: Pick<BlackjackInputs, 'deck'>, next: Next | undefined): number[] {
  if (deck) return laidDeck(deck);
  if (!next) throw new Error('a round of blackjack without a deck has seeds');
  return shuffledDeck(next);
}

function isInputs(inputs: unknown): inputs is BlackjackInputs {
  const { betAmount, sideBetAmount, actions, deck } = (inputs ?? {}) as Record<string, unknown>;
  const isAmount = (amount: unknown) => typeof amount === 'string' && parseUnits(amount) !== undefined;
  return (
    isAmount(betAmount) &&
    (sideBetAmount === null || isAmount(sideBetAmount)) &&
    Array.isArray(actions) &&
    actions.every((action) => ACTIONS.includes(action as Action)) &&
    (deck === undefined || (Array.isArray(deck) && isLayable(deck)))
  );
}

/** The player's bets in US dollars. `sideBetAmount` is null without a side bet. */
export type Amounts = { betAmount: string; sideBetAmount: string | null };

/** Terms of a round, fixed at its start. */
export type RoundTerms = Pick<Terms, 'rate' | 'decimals' | 'maxProfitUsd'>;

type Bets = { bet: Money; side: Money | undefined };
type Part = { staked: Money; paid: Money; isPush?: boolean };
/** The stakes of a round and the payout of each. */
export type Parts = { hands: Part[]; insurance: Part | undefined; side: Part | undefined };

const NOTHING: Money = { usd: 0n, units: 0n };

/** Total payout multipliers in hundredths. */
const HANDS: Record<Result, bigint> = { BLACKJACK: 250n, WIN: 200n, PUSH: 100n, LOSE: 0n };
const PAIRS: Record<Pair, bigint> = { COLORED_PAIR: 2500n, MIXED_PAIR: 1200n, NONE: 0n };
const INSURANCE = 300n;

/** First stake and side bet in currency units, computed from the player's dollar amounts. */
export function betsOf({ betAmount, sideBetAmount }: Amounts, terms: RoundTerms): Bets {
  const bet = moneyOf(betAmount, terms);
  return { bet, side: sideBetAmount === null ? undefined : moneyOf(sideBetAmount, terms) };
}

/** Returns the cost of an action: the first stake, or half of it rounded down, or undefined if the action is free. */
export function priceOf(action: Action, { betAmount }: Pick<Amounts, 'betAmount'>, terms: RoundTerms) {
  const bet = moneyOf(betAmount, terms);
  if (action === 'DOUBLE' || action === 'SPLIT') return bet;
  return action === 'INSURANCE' ? halfOf(bet, terms) : undefined;
}

/** Returns the total stake of the hands as a multiple of the first stake: one per hand, two per doubled hand. */
export function stakesOn({ hands }: Pick<Table, 'hands'>): number {
  return hands.reduce((sum, { isDoubled }) => sum + (isDoubled ? 2 : 1), 0);
}

/** Returns the stakes of a round with their payouts, which are valid only after the round has ended. */
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

/** Returns the player's first two cards, even after a split. */
export function firstTwo({ hands: [first, second] }: Pick<Table, 'hands'>): number[] {
  return second ? [first!.cards[0]!, second.cards[0]!] : first!.cards.slice(0, 2);
}

/** Returns the payout of a round: the sum of the payouts of its stakes, limited so that the profit does not exceed maxProfitUsd. */
export function paidFor(parts: Parts, terms: RoundTerms): Paid {
  const all = [...parts.hands, parts.insurance, parts.side].filter((part) => part !== undefined);
  const { usd, units } = sum(all.map(({ paid }) => paid));
  return cappedPaid({ payout: units, payoutUsd: usd }, sum(all.map(({ staked }) => staked)), terms);
}

/** Returns the stakes of pushed hands, in units of the currency. These stakes are returned to the player and count as undecided. */
const pushedIn = ({ hands }: Parts): Units =>
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
