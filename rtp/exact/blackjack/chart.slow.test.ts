import { expect, test } from 'vitest';
import { VALUES } from './cards.ts';
import { CHART_PLAY, type Play } from './chart.ts';
import { openValue } from './returns.ts';

const RULES = { drawsOnSoft17: true };
const not = (is: boolean, isThis: boolean): boolean => (isThis ? !is : is);

/**
 * Strategies that each invert one row of the chart, for every open card of the dealer. The test compares the result of each open card
 * separately.
 */
const CHANGES: [name: string, play: Play][] = [
  ...[12, 13, 14, 15, 16].map((total): [string, Play] => [`hard ${total}`, turnedStand(total, false)]),
  ['soft 18', turnedStand(18, true)],
  ...[10, 11].map((own): [string, Play] => [
    `double ${own}`,
    { ...CHART_PLAY, doubles: (total, open) => not(CHART_PLAY.doubles(total, open), total === own) },
  ]),
  ...VALUES.map((own): [string, Play] => [
    `pair ${own + 1}`,
    { ...CHART_PLAY, splits: (pair, open) => not(CHART_PLAY.splits(pair, open), pair === own) },
  ]),
];

test.each(CHANGES)(
  'finds no dealer card for which the opposite choice at %s beats the strategy chart',
  { timeout: 240_000 },
  (_, play) => {
    const better = VALUES.filter(
      (open) => openValue(open, play, RULES).net >= openValue(open, CHART_PLAY, RULES).net,
    );
    expect(better).toEqual([]);
  },
);

function turnedStand(own: number, ownSoft: boolean): Play {
  return {
    ...CHART_PLAY,
    stands: (hand, open) => not(CHART_PLAY.stands(hand, open), hand.total === own && hand.soft === ownSoft),
  };
}
