import type { Turn } from '../../src/modules/games/betting/rules.ts';
import {
  actBlackjack,
  type BlackjackState,
  beginBlackjack,
} from '../../src/modules/games/house-games/blackjack/rules.ts';
import {
  type Action,
  availableActions,
  pairOf,
  pointsOf,
  shuffledDeck,
  type Table,
  totalOf,
} from '../../src/modules/games/house-games/blackjack/table/rules.ts';
import { CHART_PLAY } from '../exact/blackjack/chart.ts';
import { blackjackReturn } from '../exact/blackjack/returns.ts';
import { sideBetPays } from '../exact/wheel-and-pair.ts';
import { TERMS } from '../terms.ts';
import { type Case, evenly, numbers, prizeCase, type Stream } from './case.ts';
import type { Recorder } from './tally.ts';

/** Variance of a round that is played by the chart, in squared initial bets (games.md, section 15). */
const VARIANCE = 1.2047;
const DEALT = ['first card', 'second card', 'open card', 'hidden card'];
const CARDS = numbers(1, 52);
const CARD_SPREADS = DEALT.map((what) => evenly(what, CARDS));

/** Returns the chart's decision as an action of the server. */
function chartAction(table: Table): Action {
  const { cards } = table.hands[table.active!]!;
  const actions = availableActions(table);
  const open = pointsOf(table.dealer[0]!) - 1;
  const { total, isSoft } = totalOf(cards);
  if (actions.includes('SPLIT') && CHART_PLAY.splits(pointsOf(cards[0]!) - 1, open)) return 'SPLIT';
  if (actions.includes('DOUBLE') && CHART_PLAY.doubles(total, open)) return 'DOUBLE';
  return CHART_PLAY.stands({ total, soft: isSoft }, open) ? 'STAND' : 'HIT';
}

/** Plays a round by the chart through the server's own steps. For each action the cards of the round are dealt again from the seeds. */
function playChart({ next, again }: Stream, recorder: Recorder): void {
  markDeal(again(), recorder);
  let turn: Turn<BlackjackState> | undefined = beginBlackjack({ ...TERMS, side: undefined }, next);
  let staked = TERMS.stake;
  while (turn && !turn.end) {
    turn = actBlackjack({ ...TERMS, state: turn.state }, chartAction(turn.state.table), again());
    staked += turn?.stake?.units ?? 0n;
  }
  if (!turn?.end || turn.end === 'void')
    throw new Error('the strategy chart chose an action that is not allowed');
  recorder.round(staked, turn.end.paid.payout);
}

function markDeal(next: () => number, recorder: Recorder): number[] {
  const deck = shuffledDeck(next);
  for (const i of DEALT.keys()) recorder.mark(i, deck[i]! - 1);
  return deck;
}

function playPair({ next }: Stream, recorder: Recorder): void {
  const [first, second] = markDeal(next, recorder) as [number, number];
  recorder.mark(DEALT.length, PAIRS.indexOf(pairOf([first, second])));
  recorder.round(TERMS.stake, sideBetPays([first, second]));
}

const PAIRS = ['NONE', 'MIXED_PAIR', 'COLORED_PAIR'];
const PAIR_CHANCES = [48 / 51, 2 / 51, 1 / 51];

/** Returns the cases. They are computed on first use, because the computation takes a second. */
export function blackjackCases(): readonly Case[] {
  return [
    {
      game: 'blackjack',
      name: 'by the chart',
      expected: blackjackReturn(CHART_PLAY, { drawsOnSoft17: true }).perStaked,
      variance: VARIANCE,
      spreads: CARD_SPREADS,
      play: playChart,
    },
    prizeCase({
      game: 'blackjack',
      name: 'Perfect Pair',
      prizes: [0, 12, 25].map((pays, i) => ({ pays, chance: PAIR_CHANCES[i]! })),
      spreads: [...CARD_SPREADS, { what: 'pair', labels: PAIRS, chances: PAIR_CHANCES, drawn: 1 }],
      play: playPair,
    }),
  ];
}
