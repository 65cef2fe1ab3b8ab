import { label, picture, svg } from './element.ts';

const RANKS = ['A', '2', '3', '4', '5', '6', '7', '8', '9', '10', 'J', 'Q', 'K'];
const SUITS = ['♥', '♦', '♣', '♠'];

type Hand = { cards: number[]; total: number; result?: string | null };
type Outcome = { dealer: Hand; hands: Hand[]; sideBetResult: string | null; insuranceResult: string | null };

/** Draws the table at the end of a round of blackjack, with the dealer's cards above the player's hands. */
export function drawCards({ outcome }: { outcome: Outcome }): SVGElement {
  const { dealer, hands, sideBetResult, insuranceResult } = outcome;
  const rows = [{ name: 'Dealer', hand: dealer }, ...hands.map((hand) => ({ name: 'Player', hand }))];
  const notes = [
    sideBetResult && `side bet ${sideBetResult}`,
    insuranceResult && `insurance ${insuranceResult}`,
  ];
  const said = rows
    .map(({ name, hand }) => `${name} ${hand.cards.map(nameOf).join(' ')}, ${hand.total}`)
    .join('; ');
  return picture(
    said,
    [600, rows.length * 120 + 30],
    rows.map(({ name, hand }, row) => handAt(name, hand, row * 120)),
    label(300, rows.length * 120 + 12, notes.filter(Boolean).join(' · '), 'small'),
  );
}

function handAt(name: string, { cards, total, result }: Hand, y: number): Element[] {
  const step = Math.min(74, 400 / cards.length);
  return [
    label(60, y + 40, name, 'small'),
    label(60, y + 64, total, 'big'),
    label(60, y + 88, result ?? '', result === 'LOSE' ? 'small bad' : 'small good'),
    ...cards.flatMap((card, i) => cardAt(card, 130 + i * step, y + 8)),
  ];
}

function cardAt(card: number, x: number, y: number): Element[] {
  const kind = card <= 26 ? 'face redface' : 'face';
  return [
    svg('rect', { x, y, width: 66, height: 96, rx: 7, class: 'card' }),
    label(x + 18, y + 20, RANKS[rankOf(card)]!, kind),
    label(x + 33, y + 58, SUITS[suitOf(card)]!, `${kind} suit`),
  ];
}

const suitOf = (card: number) => Math.floor((card - 1) / 13);
const rankOf = (card: number) => card - 1 - suitOf(card) * 13;
const nameOf = (card: number) => `${RANKS[rankOf(card)]}${SUITS[suitOf(card)]}`;
