import { list, number } from '../../kit/intl.ts';
import type * as en from './blackjack.en.ts';

const SUITS = ['Herz', 'Karo', 'Kreuz', 'Pik'] as const;
const RANKS = ['Ass', '2', '3', '4', '5', '6', '7', '8', '9', '10', 'Bube', 'Dame', 'König'] as const;

export const blackjack = {
  deal: 'Geben',
  sideBet: 'Perfect Pair',
  optional: 'optional',
  sideBetHint: 'Ein Paar zahlt 12×, ein Paar gleicher Farbe 25×',
  wrongSideBet: 'Geben Sie für Perfect Pair einen Betrag wie 1.00 ein oder lassen Sie das Feld leer',
  felt: 'Blackjack zahlt 3 zu 2 · Dealer zieht bei Soft 17',
  dealer: 'Dealer',
  hand: 'Ihre Hand',
  handOf: (hand) => `Hand ${number(hand)}`,
  moves: 'Sie sind am Zug',
  double: (bet) => `${bet} verdoppelt`,
  hidden: 'Verdeckte Karte',
  card: (rank, suit) => `${SUITS[suit]} ${RANKS[rank]}`,
  ranks: ['A', '2', '3', '4', '5', '6', '7', '8', '9', '10', 'B', 'D', 'K'],
  totals: (low, high) => `${number(low)} / ${number(high)}`,
  dealt: (cards, total) => `${list(cards)}: ${total}`,
  have: (total) => `Sie haben ${total}`,
  shows: (total) => `Dealer zeigt ${total}`,
  has: (total) => `Dealer hat ${total}`,
  actions: {
    HIT: 'Karte',
    STAND: 'Halten',
    DOUBLE: 'Verdoppeln',
    SPLIT: 'Teilen',
    INSURANCE: 'Versicherung',
  },
  doubleCosts: (bet) => `Verdoppeln kostet weitere ${bet} von Ihrem Guthaben.`,
  splitCosts: (bet) => `Teilen kostet weitere ${bet} von Ihrem Guthaben.`,
  bothCost: (bet) => `Verdoppeln oder Teilen kostet weitere ${bet} von Ihrem Guthaben.`,
  insuranceCosts: (half) =>
    `Die Versicherung kostet ${half} und zahlt 2 zu 1, wenn der Dealer einen Blackjack hat.`,
  results: { WIN: 'Gewonnen', LOSE: 'Kein Gewinn', PUSH: 'Unentschieden', BLACKJACK: 'Blackjack' },
  insured: (amount) => `Versicherung ${amount}`,
  side: (pair) => `Perfect Pair: ${pair}`,
  pairs: {
    NONE: 'kein Paar',
    MIXED_PAIR: 'gemischtes Paar',
    COLORED_PAIR: 'Paar gleicher Farbe',
    PERFECT_PAIR: 'perfektes Paar',
  },
  asking: 'Offene Runde wird gesucht …',
  goesOn: 'Ihre Runde ist noch offen',
} satisfies typeof en.blackjack;
