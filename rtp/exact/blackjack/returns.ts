import { ACE, FULL_DECK, NOTHING, naturalOf, plus, sizeOf, TEN, totalOf, VALUES, without } from './cards.ts';
import type { Play } from './chart.ts';
import { createOptions, type Options } from './hand.ts';

/** A strategy's return per initial bet and per unit staked (1 means 100 %), and its average total stake in initial bets. */
type BlackjackReturn = { perInitial: number; perStaked: number; averageStake: number };

/** Net result and total stake, in initial bets. */
type Value = { net: number; stake: number };
type Deal = { open: number; first: number; second: number };
type Rules = { drawsOnSoft17: boolean };

/**
 * Computes the return over all deals of one deck, in double precision. If `play` is `best`, each decision is the best one for the exact
 * cards of the hand and the dealer's open card. Otherwise `play` decides by totals. Each hand of a split is decided separately. Insurance
 * is declined.
 */
export function blackjackReturn(play: Play | 'best', rules: Rules): BlackjackReturn {
  const parts = VALUES.map((open) => openValue(open, play, rules));
  const net = parts.reduce((sum, part) => sum + part.net, 0);
  const stake = parts.reduce((sum, part) => sum + part.stake, 0);
  return { perInitial: 1 + net, perStaked: 1 + net / stake, averageStake: stake };
}

/** Returns the contribution of deals with this open card to the overall mean. */
export function openValue(open: number, play: Play | 'best', { drawsOnSoft17 }: Rules): Value {
  const options = createOptions(open, play, drawsOnSoft17);
  const sum = { net: 0, stake: 0 };
  for (const first of VALUES) {
    for (const second of VALUES.slice(first)) {
      const deal = { open, first, second };
      const chance = chanceOf(deal);
      const { net, stake } = dealValue(deal, play, options);
      sum.net += chance * net;
      sum.stake += chance * stake;
    }
  }
  return sum;
}

/** Returns the probability of these two cards, in either order, and this open card. */
function chanceOf({ open, first, second }: Deal): number {
  let chance = first === second ? 1 : 2;
  let deck = FULL_DECK;
  for (const card of [open, first, second]) {
    chance *= deck[card]! / sizeOf(deck);
    deck = without(deck, card);
  }
  return chance;
}

function dealValue(deal: Deal, play: Play | 'best', options: Options): Value {
  const { open, first, second } = deal;
  const deck = [open, first, second].reduce(without, FULL_DECK);
  const barred = naturalOf(open);
  const natural = barred === undefined ? 0 : deck[barred]! / sizeOf(deck);
  const isNatural = first === ACE && second === TEN;
  const { net, stake } = isNatural ? { net: 1.5, stake: 1 } : played(deal, play, options);
  return {
    net: natural * (isNatural ? 0 : -1) + (1 - natural) * net,
    stake: natural + (1 - natural) * stake,
  };
}

/** Returns the expected value of two cards that are not a natural, if the dealer has no natural. */
function played({ open, first, second }: Deal, play: Play | 'best', options: Options): Value {
  const deck = [open, first, second].reduce(without, FULL_DECK);
  const hand = plus(plus(NOTHING, first), second);
  const { total, soft } = totalOf(hand);
  const isPair = first === second;
  const isHardTenOrEleven = !soft && (total === 10 || total === 11);
  const split = (): Value => ({ net: options.split(first, deck), stake: 2 });
  const double = (): Value => ({ net: options.double(hand, deck), stake: 2 });
  const stay = (): Value => ({ net: options.hitOrStand(hand, deck), stake: 1 });
  if (play === 'best') {
    const values = [stay(), ...(isPair ? [split()] : []), ...(isHardTenOrEleven ? [double()] : [])];
    return values.reduce((a, b) => (b.net > a.net ? b : a));
  }
  if (isPair && play.splits(first, open)) return split();
  return isHardTenOrEleven && play.doubles(total, open) ? double() : stay();
}
