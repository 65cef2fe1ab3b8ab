import { list, number } from '../../kit/intl.ts';

const SUITS = ['hearts', 'diamonds', 'clubs', 'spades'] as const;
const RANKS = ['ace', '2', '3', '4', '5', '6', '7', '8', '9', '10', 'jack', 'queen', 'king'] as const;

export const blackjack = {
  deal: 'Deal',
  sideBet: 'Perfect pair',
  optional: 'optional',
  sideBetHint: 'A pair pays 12×, a pair of the same colour 25×',
  wrongSideBet: 'Enter an amount for Perfect pair, like 1.00, or leave it empty',
  felt: 'Blackjack pays 3 to 2 · Dealer hits soft 17',
  dealer: 'Dealer',
  hand: 'Your hand',
  handOf: (hand: number) => `Hand ${number(hand)}`,
  moves: 'Your move',
  double: (bet: string) => `${bet} doubled`,
  hidden: 'Face-down card',
  card: (rank: number, suit: number) => `${RANKS[rank]} of ${SUITS[suit]}`,
  /** The indexes of the cards: ace, jack, queen and king are letters. */
  ranks: ['A', '2', '3', '4', '5', '6', '7', '8', '9', '10', 'J', 'Q', 'K'],
  totals: (low: number, high: number) => `${number(low)} / ${number(high)}`,
  dealt: (cards: readonly string[], total: string) => `${list(cards)}: ${total}`,
  have: (total: string) => `You have ${total}`,
  shows: (total: string) => `Dealer shows ${total}`,
  has: (total: string) => `Dealer has ${total}`,
  actions: { HIT: 'Hit', STAND: 'Stand', DOUBLE: 'Double', SPLIT: 'Split', INSURANCE: 'Insurance' },
  doubleCosts: (bet: string) => `Doubling takes another ${bet} from your balance.`,
  splitCosts: (bet: string) => `Splitting takes another ${bet} from your balance.`,
  bothCost: (bet: string) => `Doubling or splitting takes another ${bet} from your balance.`,
  insuranceCosts: (half: string) => `Insurance takes ${half} and pays 2 to 1 if the dealer has blackjack.`,
  results: { WIN: 'Won', LOSE: 'No win', PUSH: 'Push', BLACKJACK: 'Blackjack' },
  insured: (amount: string) => `Insurance ${amount}`,
  side: (pair: string) => `Perfect pair: ${pair}`,
  pairs: {
    NONE: 'no pair',
    MIXED_PAIR: 'mixed pair',
    COLORED_PAIR: 'coloured pair',
    PERFECT_PAIR: 'perfect pair',
  },
  asking: 'Checking for an open round…',
  goesOn: 'Your round is still open',
};
