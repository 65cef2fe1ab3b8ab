import { list, number } from '../../kit/intl.ts';
import type * as en from './blackjack.en.ts';

const SUITS = ['copas', 'ouros', 'paus', 'espadas'] as const;
const RANKS = ['ás', '2', '3', '4', '5', '6', '7', '8', '9', '10', 'valete', 'dama', 'rei'] as const;

export const blackjack = {
  deal: 'Dar cartas',
  sideBet: 'Par perfeito',
  optional: 'opcional',
  sideBetHint: 'Um par paga 12×; da mesma cor, 25×',
  wrongSideBet: 'Digite um valor, como 1.00, em Par perfeito ou deixe o campo vazio',
  felt: 'Blackjack paga 3 para 2 · O dealer pede carta com 17 suave',
  dealer: 'Dealer',
  hand: 'Sua mão',
  handOf: (hand) => `Mão ${number(hand)}`,
  moves: 'Sua vez',
  double: (bet) => `${bet}, dobrada`,
  hidden: 'Carta virada para baixo',
  card: (rank, suit) => `${RANKS[rank]} de ${SUITS[suit]}`,
  ranks: ['A', '2', '3', '4', '5', '6', '7', '8', '9', '10', 'J', 'Q', 'K'],
  totals: (low, high) => `${number(low)} / ${number(high)}`,
  dealt: (cards, total) => `${list(cards)}: ${total}`,
  have: (total) => `Você tem ${total}`,
  shows: (total) => `O dealer mostra ${total}`,
  has: (total) => `O dealer tem ${total}`,
  actions: { HIT: 'Pedir', STAND: 'Parar', DOUBLE: 'Dobrar', SPLIT: 'Dividir', INSURANCE: 'Seguro' },
  doubleCosts: (bet) => `Dobrar custa mais ${bet} do seu saldo.`,
  splitCosts: (bet) => `Dividir custa mais ${bet} do seu saldo.`,
  bothCost: (bet) => `Dobrar ou dividir custa mais ${bet} do seu saldo.`,
  insuranceCosts: (half) => `O seguro custa ${half} e paga 2 para 1 se o dealer tiver blackjack.`,
  results: { WIN: 'Ganhou', LOSE: 'Sem prêmio', PUSH: 'Empate', BLACKJACK: 'Blackjack' },
  insured: (amount) => `Seguro ${amount}`,
  side: (pair) => `Par perfeito: ${pair}`,
  pairs: {
    NONE: 'sem par',
    MIXED_PAIR: 'par misto',
    COLORED_PAIR: 'par da mesma cor',
    PERFECT_PAIR: 'par perfeito',
  },
  asking: 'Procurando uma rodada aberta…',
  goesOn: 'Sua rodada ainda está aberta',
} satisfies typeof en.blackjack;
