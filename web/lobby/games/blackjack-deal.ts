import type { Answer } from '../../../client/call.ts';
import { formatUnits, units } from '../../../src/platform/money.ts';
import { list, money, number } from '../../kit/intl.ts';
import { words } from '../words.ts';
import { cardWords } from './blackjack-cards.ts';
import type { Ended } from './play/levels.ts';
import { paidWords } from './play/outcome.ts';

export type Round = NonNullable<Answer<'GET /casino/games/house/blackjack/getActiveState'>['data']>;

export const ACTIONS = ['HIT', 'STAND', 'DOUBLE', 'SPLIT', 'INSURANCE'] as const;
export type Action = (typeof ACTIONS)[number];

/** The cards that lie on the table: numbers of cards, and whether the dealer's second card is face up. */
export type Landed = { dealer: number; hands: readonly number[]; isUp: boolean };

/** One movement: a card flies to its place, or the dealer's second card is turned. */
export type Step = { hand: number | 'dealer'; at: number; isTurn?: boolean };

export const allLanded = ({ dealer, hands }: Round): Landed => ({
  dealer: dealer.cards.length + dealer.hiddenCards,
  hands: hands.map(({ cards }) => cards.length),
  isUp: dealer.hiddenCards === 0,
});

/** Returns what lies on the table before the movements to `after`. After a split, one card of the pair lies in each hand. */
export function landedBefore(before: Round | undefined, after: Round): Landed {
  if (before?.betId !== after.betId) return { dealer: 0, hands: [0], isUp: false };
  const known = allLanded(before);
  if (after.hands.length > before.hands.length) return { ...known, hands: [1, 1] };
  return known;
}

/** Returns the movements in the order of dealing. */
export function stepsTo(after: Round, from: Landed): readonly Step[] {
  const to = allLanded(after);
  if (from.dealer === 0)
    return [
      { hand: 0, at: 0 },
      { hand: 'dealer', at: 0 },
      { hand: 0, at: 1 },
      ...missing('dealer', 1, to.dealer),
      ...(to.isUp ? [{ hand: 'dealer', at: 1, isTurn: true } as const] : []),
    ];
  return [
    ...to.hands.flatMap((count, hand) => missing(hand, from.hands[hand] ?? 0, count)),
    ...(to.isUp && !from.isUp ? [{ hand: 'dealer', at: 1, isTurn: true } as const] : []),
    ...missing('dealer', from.dealer, to.dealer),
  ];
}

const missing = (hand: Step['hand'], from: number, to: number): Step[] =>
  Array.from({ length: Math.max(0, to - from) }, (_, index) => ({ hand, at: from + index }));

/** Returns the table after a movement. */
export function withStep(landed: Landed, { hand, at, isTurn }: Step): Landed {
  if (isTurn) return { ...landed, isUp: true };
  if (hand === 'dealer') return { ...landed, dealer: Math.max(landed.dealer, at + 1) };
  return { ...landed, hands: landed.hands.map((count, index) => (index === hand ? at + 1 : count)) };
}

/** Returns the total stake: hands with doubled stakes, insurance and side bet. */
function stakedOn({ hands, insuranceAmount, sideBetAmount }: Round): string {
  const parts = [...hands.map(({ betAmount }) => betAmount), insuranceAmount ?? '0', sideBetAmount ?? '0'];
  return formatUnits(parts.reduce((sum, part) => sum + units(part), 0n));
}

/** Returns the outcome of a round that is over. */
export function endedRound(round: Round): Ended | undefined {
  if (round.status !== 'FINISHED' || round.payout === null) return undefined;
  const betAmount = stakedOn(round);
  const multiplier = Number((units(round.payout) * 10_000n) / units(betAmount)) / 10_000;
  return { betAmount, payout: round.payout, multiplier, betId: round.betId };
}

/** Says the cards that are new, the totals, and the outcome of a round that is over. */
export function sayRound(before: Round | undefined, round: Round): string {
  const t = words.blackjack;
  const known = before?.betId === round.betId ? before.hands.flatMap(({ cards }) => cards) : [];
  const fresh = round.hands.flatMap(({ cards }) => cards).filter((card) => !known.includes(card));
  const totals = list(round.hands.map(({ total }) => number(total)));
  const own = fresh.length > 0 ? t.dealt(fresh.map(cardWords), totals) : t.have(totals);
  const ended = endedRound(round);
  const dealer = (ended ? t.has : t.shows)(number(round.dealer.total));
  return [own, dealer, ended && paidWords(ended)].filter(Boolean).join(' · ');
}

/** Says what the actions that take more from the balance cost. */
export function costWords({ availableActions, betAmount }: Round): string | undefined {
  const t = words.blackjack;
  const has = (action: Action) => availableActions.includes(action);
  if (has('INSURANCE')) return t.insuranceCosts(money(formatUnits(units(betAmount) / 2n)));
  if (has('DOUBLE') && has('SPLIT')) return t.bothCost(money(betAmount));
  if (has('DOUBLE')) return t.doubleCosts(money(betAmount));
  return has('SPLIT') ? t.splitCosts(money(betAmount)) : undefined;
}
