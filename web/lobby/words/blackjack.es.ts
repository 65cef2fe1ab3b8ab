import { list, number } from '../../kit/intl.ts';
import type * as en from './blackjack.en.ts';

const SUITS = ['corazones', 'diamantes', 'tréboles', 'picas'] as const;
const RANKS = ['as', '2', '3', '4', '5', '6', '7', '8', '9', '10', 'jota', 'reina', 'rey'] as const;

export const blackjack = {
  deal: 'Repartir',
  sideBet: 'Pareja perfecta',
  optional: 'opcional',
  sideBetHint: 'Una pareja paga 12×; del mismo color, 25×',
  wrongSideBet: 'Escriba un importe, como 1.00, en Pareja perfecta o deje el campo vacío',
  felt: 'Blackjack paga 3 a 2 · El crupier pide con 17 blando',
  dealer: 'Crupier',
  hand: 'Su mano',
  handOf: (hand) => `Mano ${number(hand)}`,
  moves: 'Su turno',
  double: (bet) => `${bet}, doblada`,
  hidden: 'Carta boca abajo',
  card: (rank, suit) => `${RANKS[rank]} de ${SUITS[suit]}`,
  ranks: ['A', '2', '3', '4', '5', '6', '7', '8', '9', '10', 'J', 'Q', 'K'],
  totals: (low, high) => `${number(low)} / ${number(high)}`,
  dealt: (cards, total) => `${list(cards)}: ${total}`,
  have: (total) => `Tiene ${total}`,
  shows: (total) => `El crupier muestra ${total}`,
  has: (total) => `El crupier tiene ${total}`,
  actions: { HIT: 'Pedir', STAND: 'Plantarse', DOUBLE: 'Doblar', SPLIT: 'Dividir', INSURANCE: 'Seguro' },
  doubleCosts: (bet) => `Doblar cuesta ${bet} más de su saldo.`,
  splitCosts: (bet) => `Dividir cuesta ${bet} más de su saldo.`,
  bothCost: (bet) => `Doblar o dividir cuesta ${bet} más de su saldo.`,
  insuranceCosts: (half) => `El seguro cuesta ${half} y paga 2 a 1 si el crupier tiene blackjack.`,
  results: { WIN: 'Ganada', LOSE: 'Sin premio', PUSH: 'Empate', BLACKJACK: 'Blackjack' },
  insured: (amount) => `Seguro ${amount}`,
  side: (pair) => `Pareja perfecta: ${pair}`,
  pairs: {
    NONE: 'sin pareja',
    MIXED_PAIR: 'pareja mixta',
    COLORED_PAIR: 'pareja del mismo color',
    PERFECT_PAIR: 'pareja perfecta',
  },
  asking: 'Buscando una ronda abierta…',
  goesOn: 'Su ronda sigue abierta',
} satisfies typeof en.blackjack;
