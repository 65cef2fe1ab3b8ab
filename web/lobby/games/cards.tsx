import { words } from '../words.ts';

const SUITS = ['♥', '♦', '♣', '♠'] as const;
const RANKS = ['A', '2', '3', '4', '5', '6', '7', '8', '9', '10', 'J', 'Q', 'K'] as const;

const rankOf = (card: number) => (card - 1) % 13;
const suitOf = (card: number) => Math.floor((card - 1) / 13);

export const cardWords = (card: number): string =>
  `${words.blackjack.ranks[rankOf(card)]} ${words.blackjack.suits[suitOf(card)]}`;

type HandProps = {
  title: string;
  cards: readonly number[];
  /** Number of face-down cards. */
  hidden?: number;
  total: string;
  isActive?: boolean;
  note?: string;
  result?: string | undefined;
};

export function Hand({ title, cards, hidden = 0, total, isActive = false, note, result }: HandProps) {
  return (
    <section className={isActive ? 'hand active' : 'hand'} aria-label={title}>
      <h2>
        {isActive && <span aria-hidden="true">▸ </span>}
        {title} <span className="total">{total}</span>
      </h2>
      <ul className="cards-row">
        {cards.map((card) => (
          <li key={card}>
            <Card card={card} />
          </li>
        ))}
        {Array.from({ length: hidden }, (_, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: face-down cards are identical
          <li key={`hidden ${index}`}>
            <Back />
          </li>
        ))}
      </ul>
      <p>
        {note && <span className="dim">{note}</span>} {result && <strong>{result}</strong>}
      </p>
    </section>
  );
}

function Card({ card }: { card: number }) {
  const suit = suitOf(card);
  return (
    <svg
      className={suit < 2 ? 'card-face hot' : 'card-face'}
      viewBox="0 0 60 84"
      role="img"
      aria-label={cardWords(card)}
    >
      <rect x="1" y="1" width="58" height="82" rx="7" />
      <text x="7" y="22" className="rank">
        {RANKS[rankOf(card)]}
      </text>
      <text x="30" y="60" textAnchor="middle" className="suit">
        {SUITS[suit]}
      </text>
    </svg>
  );
}

const Back = () => (
  <svg className="card-face back" viewBox="0 0 60 84" role="img" aria-label={words.blackjack.hidden}>
    <rect x="1" y="1" width="58" height="82" rx="7" />
    <path d="M10 14 L50 70 M50 14 L10 70 M30 8 L30 76 M8 42 L52 42" />
  </svg>
);
