import type { Next } from '../../../betting/rules.ts';
import { draw, range } from '../../../fairness/rules.ts';

/** The order in which available actions are returned. */
export const ACTIONS = ['HIT', 'STAND', 'DOUBLE', 'SPLIT', 'INSURANCE'] as const;
export type Action = (typeof ACTIONS)[number];

export type Hand = { cards: Cards; isDoubled: boolean };

/** The open cards. The dealer shows one card until the end of the round. */
export type Table = {
  hands: readonly Hand[];
  dealer: Cards;
  /** Index of the active hand; null if the round is over. */
  active: number | null;
  insurance: 'OFFERED' | 'TAKEN' | 'NONE';
};

/** Deals the first four cards. If the dealer shows a ten, the dealer checks for a natural, which ends the round. */
export function deal(deck: Cards): Table {
  const [first, second, up] = deck as [number, number, number];
  const hands = [{ cards: [first, second], isDoubled: false }];
  const table: Table = { hands, dealer: [up], active: 0, insurance: 'NONE' };
  if (isAce(up)) return { ...table, insurance: 'OFFERED' };
  return isEndedByNatural(table, deck) ? turned(table, deck) : table;
}

/** Returns the actions that are allowed now, regardless of the player's balance. */
export function availableActions(table: Table): Action[] {
  const { hands, active, insurance } = table;
  if (active === null) return [];
  const { cards } = hands[active]!;
  const isFirst = hands.length === 1 && cards.length === 2;
  const { total, isSoft } = totalOf(cards);
  const allowed: Record<Action, boolean> = {
    HIT: total < 21,
    STAND: true,
    DOUBLE: isFirst && !isSoft && (total === 10 || total === 11),
    SPLIT: isFirst && pointsOf(cards[0]!) === pointsOf(cards[1]!),
    INSURANCE: insurance === 'OFFERED',
  };
  return ACTIONS.filter((action) => allowed[action]);
}

/**
 * Returns the table after an action, or undefined if the action is not allowed now. If the dealer shows an ace, insurance is offered only
 * as the first action. After any first action, the dealer checks for a natural. If the dealer or the player has one, the round
 * ends, and any action other than insurance is not carried out.
 */
export function act(table: Table, action: Action, deck: Cards): Table | undefined {
  if (!availableActions(table).includes(action)) return undefined;
  if (table.insurance !== 'OFFERED') return carriedOut(table, action, deck);
  const closed: Table = { ...table, insurance: action === 'INSURANCE' ? 'TAKEN' : 'NONE' };
  if (isEndedByNatural(closed, deck)) return turned(closed, deck);
  return action === 'INSURANCE' ? closed : carriedOut(closed, action, deck);
}

/** True for a natural: 21 with the first two cards, but not after a split. */
export function isNatural(cards: Cards, isSplit = false): boolean {
  return !isSplit && cards.length === 2 && totalOf(cards).total === 21;
}

export function isBust(cards: Cards): boolean {
  return totalOf(cards).total > 21;
}

export type Result = 'WIN' | 'LOSE' | 'PUSH' | 'BLACKJACK';

/** Compares a hand with the dealer's final cards and returns the hand's result. */
export function resultOf({ cards }: Hand, { dealer, hands }: Pick<Table, 'dealer' | 'hands'>): Result {
  if (isNatural(cards, hands.length > 1)) return isNatural(dealer) ? 'PUSH' : 'BLACKJACK';
  if (isBust(cards) || isNatural(dealer)) return 'LOSE';
  const own = totalOf(cards).total;
  const other = totalOf(dealer).total;
  if (other > 21 || own > other) return 'WIN';
  return own === other ? 'PUSH' : 'LOSE';
}

function isEndedByNatural({ hands }: Table, deck: Cards): boolean {
  return isNatural(holeAndUp(deck)) || isNatural(hands[0]!.cards);
}

function carriedOut(table: Table, action: Action, deck: Cards): Table {
  const hands = [...table.hands];
  const at = table.active!;
  const hand = hands[at]!;
  const [next, afterNext] = deck.slice(dealtIn(hands)) as [number, number];
  if (action === 'HIT') hands[at] = { ...hand, cards: [...hand.cards, next] };
  if (action === 'DOUBLE') hands[at] = { cards: [...hand.cards, next], isDoubled: true };
  if (action === 'SPLIT') {
    hands[0] = { cards: [hand.cards[0]!, next], isDoubled: false };
    hands[1] = { cards: [hand.cards[1]!, afterNext], isDoubled: false };
  }
  return passedOn({ ...table, hands }, action === 'STAND' ? at + 1 : at, deck);
}

/** Activates the first hand from index `from` on that does not stand automatically. If there is none, it is the dealer's turn. */
function passedOn(table: Table, from: number, deck: Cards): Table {
  const { hands } = table;
  const active = hands.findIndex((hand, i) => i >= from && !standsByItself(hand, hands.length > 1));
  if (active >= 0) return { ...table, active };
  return hands.every(({ cards }) => isBust(cards)) ? turned(table, deck) : drawn(table, deck);
}

function standsByItself({ cards, isDoubled }: Hand, isSplit: boolean): boolean {
  return isDoubled || totalOf(cards).total >= 21 || (isSplit && isAce(cards[0]!));
}

/** Reveals the dealer's hidden card without drawing more cards. */
function turned(table: Table, deck: Cards): Table {
  return { ...table, dealer: holeAndUp(deck), active: null };
}

/** Reveals the dealer's hidden card and draws on totals up to 16 and on soft 17. */
function drawn(table: Table, deck: Cards): Table {
  const dealer = holeAndUp(deck);
  for (let next = dealtIn(table.hands); dealerDraws(dealer); next++) dealer.push(deck[next]!);
  return { ...table, dealer, active: null };
}

function dealerDraws(cards: Cards): boolean {
  const { total, isSoft } = totalOf(cards);
  return total < 17 || (total === 17 && isSoft);
}

const holeAndUp = (deck: Cards) => [deck[2]!, deck[3]!];

/** Number of cards dealt before the dealer draws. */
const dealtIn = (hands: readonly Hand[]) => hands.reduce((sum, { cards }) => sum + cards.length, 2);

/**
 * Cards are the numbers 1 to 52: rank (card − 1) mod 13 (0 ace, 1 two … 9 ten, 10 jack, 11 queen, 12 king), suit
 * floor((card − 1) / 13) (0 hearts, 1 diamonds, 2 clubs, 3 spades).
 */
export type Cards = readonly number[];

const ALL: Cards = range(1, 52);

/** Returns the shuffled deck of a bet in dealing order. Uses 52 numbers. */
export function shuffledDeck(next: Next): number[] {
  return draw(ALL, ALL.length, next);
}

/** Returns a prearranged deck: the given cards, then the remaining ones in ascending order. */
export function laidDeck(given: Cards): number[] {
  const isGiven = new Set(given);
  return [...given, ...ALL.filter((card) => !isGiven.has(card))];
}

/** Returns true if there are 4 to 52 cards and all are different. */
export function isLayable(given: readonly unknown[]): given is Cards {
  const isCard = (card: unknown) => Number.isInteger(card) && (card as number) >= 1 && (card as number) <= 52;
  return given.length >= 4 && given.every(isCard) && new Set(given).size === given.length;
}

/** Value of a card: 1 for an ace (`totalOf` may count it as 11), 10 for face cards. */
export function pointsOf(card: number): number {
  return Math.min(rankOf(card) + 1, 10);
}

function isAce(card: number): boolean {
  return rankOf(card) === 0;
}

/** The total of a hand; soft while an ace counts as 11. A bust hand counts its aces as 1. */
export function totalOf(cards: Cards): { total: number; isSoft: boolean } {
  const low = cards.reduce((sum, card) => sum + pointsOf(card), 0);
  const isSoft = cards.some(isAce) && low <= 11;
  return { total: isSoft ? low + 10 : low, isSoft };
}

export type Pair = 'NONE' | 'MIXED_PAIR' | 'COLORED_PAIR';

/** The kind of pair for the side bet. One deck has no two cards of the same rank and suit. */
export function pairOf([first = 0, second = 0]: Cards): Pair {
  if (rankOf(first) !== rankOf(second)) return 'NONE';
  return isRed(first) === isRed(second) ? 'COLORED_PAIR' : 'MIXED_PAIR';
}

const rankOf = (card: number) => (card - 1) % 13;
/** Hearts and diamonds. */
const isRed = (card: number) => card <= 26;
