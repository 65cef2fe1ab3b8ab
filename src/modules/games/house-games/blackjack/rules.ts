import { formatUnits, parseUnits } from '../../../../platform/money.ts';
import type { Money, Next, Terms, Turn } from '../../betting/rules.ts';
import type { Replayed, StoredBet } from '../rules.ts';
import { type Cards, isLayable, laidDeck, pairOf, shuffledDeck, totalOf } from './cards/rules.ts';
import {
  type Amounts,
  firstTwo,
  paidFor,
  partsOf,
  priceOf,
  pushedIn,
  type RoundTerms,
  stakesOn,
} from './payouts/rules.ts';
import {
  ACTIONS,
  type Action,
  act,
  deal,
  type Hand,
  isBust,
  isNatural,
  resultOf,
  type Table,
} from './table/rules.ts';

/** The player's decisions. `deck`: only in rounds of initDebug, which have no seeds. */
export type BlackjackInputs = Amounts & { actions: Action[]; deck?: Cards };

/** The stored state of an open round: decisions and open cards. Only a debug round stores its deck. */
export type BlackjackState = BlackjackInputs & { table: Table };

type Round = RoundTerms & { state: BlackjackState };

/** Deals a round. `next` is not needed if a deck is given. */
export function beginBlackjack(
  terms: Terms & { side: Money | undefined },
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
 * Applies an action to an open round. Returns undefined if it is not allowed now. The player must be able to pay before the dealer checks
 * for a natural, but a double or split that a natural prevents costs nothing.
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
 * Replays a stored round. Returns undefined if its inputs do not end a round on its deck, or contain a deck although the round has seeds
 * (`next`). Stakes are computed from the inputs; of the terms only rate, decimals and maxProfit are used.
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

/** Returns the side bet's result, which depends on the first cards; null without a side bet. */
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
/** Order of dealing: player, player, dealer face up, dealer face down. */
export const CARDS_DEALT = 4;

/** Returns the first cards of the deck in order of dealing, from a round's outcome. After a split the second card is in the other hand. */
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
