import { type Cards, isAce, pointsOf, totalOf } from '../cards/rules.ts';

/** In the order in which they are offered. */
export const ACTIONS = ['HIT', 'STAND', 'DOUBLE', 'SPLIT', 'INSURANCE'] as const;
export type Action = (typeof ACTIONS)[number];

export type Hand = { cards: Cards; isDoubled: boolean };

/** What lies open on the table. Until the end the dealer shows one card. */
export type Table = {
  hands: readonly Hand[];
  dealer: Cards;
  /** The hand whose turn it is; null: the round is over. */
  active: number | null;
  insurance: 'OFFERED' | 'TAKEN' | 'NONE';
};

/** The first four cards, and the dealer's look under a ten: the round may be over with it. */
export function deal(deck: Cards): Table {
  const [first, second, up] = deck as [number, number, number];
  const hands = [{ cards: [first, second], isDoubled: false }];
  const table: Table = { hands, dealer: [up], active: 0, insurance: 'NONE' };
  if (isAce(up)) return { ...table, insurance: 'OFFERED' };
  return isEndedByNatural(table, deck) ? turned(table, deck) : table;
}

/** What the player may do now, whether or not they can pay for it. */
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
 * The table after an action; undefined when it is not allowed now. The first action under an ace closes the offer of
 * insurance and makes the dealer look: a natural on either side ends the round before the action is carried out.
 */
export function act(table: Table, action: Action, deck: Cards): Table | undefined {
  if (!availableActions(table).includes(action)) return undefined;
  if (table.insurance !== 'OFFERED') return carriedOut(table, action, deck);
  const closed: Table = { ...table, insurance: action === 'INSURANCE' ? 'TAKEN' : 'NONE' };
  if (isEndedByNatural(closed, deck)) return turned(closed, deck);
  return action === 'INSURANCE' ? closed : carriedOut(closed, action, deck);
}

/** 21 with the first two cards; a hand that was split has none. */
export function isNatural(cards: Cards, isSplit = false): boolean {
  return !isSplit && cards.length === 2 && totalOf(cards).total === 21;
}

export function isBust(cards: Cards): boolean {
  return totalOf(cards).total > 21;
}

export type Result = 'WIN' | 'LOSE' | 'PUSH' | 'BLACKJACK';

/** How a hand fares against the dealer's cards of a round that is over. */
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

/** The turn goes to the first hand from `from` on that does not stand by itself, else to the dealer. */
function passedOn(table: Table, from: number, deck: Cards): Table {
  const { hands } = table;
  const active = hands.findIndex((hand, i) => i >= from && !standsByItself(hand, hands.length > 1));
  if (active >= 0) return { ...table, active };
  return hands.every(({ cards }) => isBust(cards)) ? turned(table, deck) : drawn(table, deck);
}

function standsByItself({ cards, isDoubled }: Hand, isSplit: boolean): boolean {
  return isDoubled || totalOf(cards).total >= 21 || (isSplit && isAce(cards[0]!));
}

/** The dealer turns their card and draws none. */
function turned(table: Table, deck: Cards): Table {
  return { ...table, dealer: holeAndUp(deck), active: null };
}

/** The dealer turns their card and draws to 16 and on soft 17. */
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

/** How many cards have left the deck before the dealer draws: the players' and the dealer's two. */
const dealtIn = (hands: readonly Hand[]) => hands.reduce((sum, { cards }) => sum + cards.length, 2);
