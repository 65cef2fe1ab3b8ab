import type { RefObject } from 'react';
import { totalOf } from '../../../src/modules/games/house-games/blackjack/table/rules.ts';
import { money, number } from '../../kit/intl.ts';
import { words } from '../words.ts';
import { cardWords, cornerOf, isRed, SUIT_PATHS, suitOf } from './blackjack-cards.ts';
import type { Landed, Round, Step } from './blackjack-deal.ts';
import { move } from './play/motion.ts';

export const FLY_MS = 260;
/** A card turns over in the last part of its flight. */
const TURN_AT = 0.6;
const UP = { transform: 'rotateY(0deg)' };
const DOWN = { transform: 'rotateY(180deg)' };

type FeltProps = {
  round: Round | undefined;
  landed: Landed;
  /** True when the outcome is shown. */
  isOver: boolean;
  felt: RefObject<HTMLDivElement | null>;
};

/** The table: the dealer's cards, the rules, and the player's hands. */
export function Felt({ round, landed, isOver, felt }: FeltProps) {
  const t = words.blackjack;
  return (
    <div className="blackjack-felt" ref={felt}>
      <svg viewBox="0 0 876 580" preserveAspectRatio="xMidYMid slice" aria-hidden="true">
        <path d="M60 190C260 372 616 372 816 190" />
        <path d="M104 168C290 330 586 330 772 168" />
      </svg>
      <div className="shoe" aria-hidden="true" />
      {round ? <Dealer round={round} landed={landed} /> : <Places />}
      <p className="rule">{(round && (landed.hands[0] ?? 0) >= 2 && sideWords(round)) || t.felt}</p>
      {round ? (
        <div className={round.hands.length > 1 ? 'hands split' : 'hands'}>
          {round.hands.map((_, index) => (
            <PlayerHand
              // biome-ignore lint/suspicious/noArrayIndexKey: hands never change their order
              key={`${round.betId} ${index}`}
              round={round}
              index={index}
              count={landed.hands[index] ?? 0}
              isOver={isOver}
            />
          ))}
        </div>
      ) : (
        <Places />
      )}
    </div>
  );
}

/** Where cards will lie. */
const Places = () => (
  <div className="hand places" aria-hidden="true">
    <i />
    <i />
  </div>
);

/** Insurance and side bet. Undefined without both. */
function sideWords({ insuranceAmount, sideBetAmount, sideBetResult }: Round): string | undefined {
  const t = words.blackjack;
  const parts = [
    insuranceAmount && t.insured(money(insuranceAmount)),
    sideBetAmount && sideBetResult && t.side(t.pairs[sideBetResult]),
  ].filter(Boolean);
  return parts.length > 0 ? parts.join(' · ') : undefined;
}

function Dealer({ round: { betId, dealer }, landed }: { round: Round; landed: Landed }) {
  const count = dealer.cards.length + dealer.hiddenCards;
  const seen = dealer.cards.slice(0, landed.isUp ? landed.dealer : Math.min(1, landed.dealer));
  return (
    // A new element for each number of cards. Otherwise the centred hand would count as moved when a card joins it.
    <section key={`${betId} ${count}`} className="hand" aria-label={words.blackjack.dealer}>
      {Array.from({ length: count }, (_, at) => (
        <Card
          // biome-ignore lint/suspicious/noArrayIndexKey: the dealer's cards never change their order
          key={`${betId} ${at}`}
          name={`dealer ${at}`}
          card={dealer.cards[at]}
          isDown={at === 1 && !landed.isUp}
          isComing={at >= landed.dealer}
        />
      ))}
      {seen.length > 0 && <Total of={number(totalOf(seen).total)} />}
    </section>
  );
}

type HandProps = { round: Round; index: number; count: number; isOver: boolean };

function PlayerHand({ round, index, count, isOver }: HandProps) {
  const t = words.blackjack;
  const { cards, betAmount, isDoubled, result } = round.hands[index]!;
  const isSplit = round.hands.length > 1;
  const isActive = round.activeHandIndex === index;
  const outcome = isOver ? result : null;
  const state = outcome ? outcome.toLowerCase() : isActive && isSplit ? 'active' : '';
  return (
    <section
      key={`${round.betId} ${cards.length}`}
      className={`hand ${state}`}
      aria-label={isSplit ? t.handOf(index + 1) : t.hand}
    >
      {cards.map((card, at) => (
        <Card key={`${round.betId} ${card}`} name={`${index} ${at}`} card={card} isComing={at >= count} />
      ))}
      {count > 0 && <Total of={totalWords(cards.slice(0, count), isActive)} />}
      {(isSplit || isDoubled || outcome) && (
        <p className="note-of">
          <span>{isDoubled ? t.double(money(betAmount)) : money(betAmount)}</span>
          {outcome && <b>{t.results[outcome]}</b>}
        </p>
      )}
    </section>
  );
}

const Total = ({ of }: { of: string }) => (
  <span key={of} className="total">
    {of}
  </span>
);

/** A total. While the hand is played, an ace counts as 1 or 11. */
function totalWords(cards: readonly number[], isActive: boolean): string {
  const { total, isSoft } = totalOf(cards);
  return isSoft && isActive && total < 21 ? words.blackjack.totals(total - 10, total) : number(total);
}

type CardProps = { name: string; card: number | undefined; isDown?: boolean; isComing: boolean };

function Card({ name, card, isDown = false, isComing }: CardProps) {
  const isHidden = card === undefined || isDown;
  return (
    <div
      className={['pc', isDown && 'down', isComing && 'coming'].filter(Boolean).join(' ')}
      data-card={name}
      role="img"
      aria-label={isHidden ? words.blackjack.hidden : cardWords(card)}
      aria-hidden={isComing}
    >
      <div className="turning">
        <div className="back" />
        {card !== undefined && (
          <div className={isRed(card) ? 'front red' : 'front'} translate="no">
            <b>{cornerOf(card)}</b>
            <svg viewBox="-36 -40 72 80" aria-hidden="true">
              <path d={SUIT_PATHS[suitOf(card)]} />
            </svg>
            <svg className="large" viewBox="-36 -40 72 80" aria-hidden="true">
              <path d={SUIT_PATHS[suitOf(card)]} />
            </svg>
          </div>
        )}
      </div>
    </div>
  );
}

/** Moves one card: from the shoe to its place, or over. */
export async function moveCard(felt: HTMLElement | null, { hand, at, isTurn }: Step, isDown: boolean) {
  const card = felt?.querySelector(`[data-card="${hand} ${at}"]`);
  if (!felt || !card) return;
  const turning = card.firstElementChild;
  if (isTurn) return move(turning, [DOWN, UP], FLY_MS);
  const [table, place] = [felt.getBoundingClientRect(), card.getBoundingClientRect()];
  const [dx, dy] = [table.right - 70 - place.left, table.top - 40 - place.top];
  await Promise.all([
    move(
      card,
      [
        { transform: `translate(${dx}px, ${dy}px) rotate(14deg)`, opacity: 1 },
        { transform: 'none', opacity: 1 },
      ],
      FLY_MS,
    ),
    !isDown && move(turning, [DOWN, { ...DOWN, offset: TURN_AT }, UP], FLY_MS),
  ]);
}
