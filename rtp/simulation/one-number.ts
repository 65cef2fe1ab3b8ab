import {
  DICE_RESULTS,
  DICE_SCALE,
  type DiceInputs,
  diceOdds,
  playDice,
} from '../../src/modules/games/house-games/dice/rules.ts';
import { limboPoint, playLimbo } from '../../src/modules/games/house-games/limbo/rules.ts';
import { findPosition } from '../../src/modules/games/house-games/roulette/layout/rules.ts';
import {
  playRoulette,
  type RouletteEntry,
  rouletteStakes,
  totalOf,
} from '../../src/modules/games/house-games/roulette/rules.ts';
import {
  COLORS,
  type Color,
  multiplierOf,
  payRound,
  positionOf,
} from '../../src/modules/games/house-games/speed-roulette/rules.ts';
import { limboWords } from '../exact/limbo.ts';
import type { Prize } from '../statistics/mean.ts';
import { RTP_BP, TERMS } from '../terms.ts';
import { type Case, evenly, numbers, prizeCase, type Spread, settle, twoPrizes } from './case.ts';

const WORDS = 2 ** 32;

/** Number of results in a cell: the 10,001 results are divided into 137 cells. */
const DICE_CELL = 73;
const DICE_SPREAD = evenly(
  'roll',
  numbers(0, DICE_RESULTS / DICE_CELL - 1).map((cell) => ((Number(cell) * DICE_CELL) / 100).toFixed(2)),
);

function diceCase(inputs: DiceInputs): Case {
  const odds = diceOdds(inputs, { rtpBp: RTP_BP, maxMultiplier: 9900 })!;
  return prizeCase({
    game: 'dice',
    name: `${inputs.above ? 'above' : 'below'} ${inputs.threshold.toFixed(2)}`,
    prizes: twoPrizes(Number(odds.multiplier) / Number(DICE_SCALE), odds.winning / DICE_RESULTS),
    spreads: [DICE_SPREAD],
    play({ next }, recorder) {
      const played = playDice(inputs, odds, next());
      recorder.mark(0, Math.floor(Math.round(played.outcome.randomValue * 100) / DICE_CELL));
      settle(recorder, played);
    },
  });
}

/** Lower edges of the cells, in hundredths. Each cell ends before the next edge. */
const LIMBO_EDGES = [
  100, 101, 105, 110, 120, 135, 150, 175, 200, 250, 300, 400, 500, 700, 1000, 2000, 5000, 10_000, 100_000,
];
const reaching = (target: number): number => (target <= 100 ? 1 : limboWords(target) / WORDS);
const LIMBO_SPREAD: Spread = {
  what: 'point',
  labels: LIMBO_EDGES.map((edge) => (edge / 100).toFixed(2)),
  chances: LIMBO_EDGES.map(
    (edge, i) => reaching(edge) - (i + 1 < LIMBO_EDGES.length ? reaching(LIMBO_EDGES[i + 1]!) : 0),
  ),
  drawn: 1,
};

function limboCase(target: number): Case {
  return prizeCase({
    game: 'limbo',
    name: `target ${(target / 100).toFixed(2)}`,
    prizes: twoPrizes(target / 100, limboWords(target) / WORDS),
    spreads: [LIMBO_SPREAD],
    play({ next }, recorder) {
      const point = limboPoint(RTP_BP, next());
      recorder.mark(
        0,
        LIMBO_EDGES.findLastIndex((edge) => point >= edge),
      );
      settle(recorder, playLimbo(target, point));
    },
  });
}

function rouletteCase(name: string, bets: readonly RouletteEntry[]): Case {
  const stakes = rouletteStakes(bets, TERMS.decimals);
  if (!Array.isArray(stakes)) throw new Error(`${stakes.path} ${stakes.message}`);
  const total = totalOf(stakes);
  const paysAt = (pocket: number) =>
    bets.reduce((sum, { type, numbers: named, amount }) => {
      const { wins, pays } = findPosition(type, named)!;
      return sum + (wins.has(pocket) ? Number(amount) * Number(pays) : 0);
    }, 0);
  return prizeCase({
    game: 'roulette',
    name,
    prizes: numbers(0, 36).map((pocket): Prize => ({ pays: paysAt(Number(pocket)), chance: 1 / 37 })),
    spreads: [evenly('pocket', numbers(0, 36))],
    play({ next }, recorder) {
      const played = playRoulette(stakes, total, next());
      recorder.mark(0, played.outcome.randomPosition);
      settle(recorder, played);
    },
  });
}

function speedRouletteCase(color: Color): Case {
  const positions = numbers(0, 14);
  const bet = { ...TERMS, stakedUsd: TERMS.betUsd, isByWish: false, currencyId: 'USDT', color };
  return prizeCase({
    game: 'speed-roulette',
    name: color,
    prizes: positions.map((position) => ({
      pays: Number(multiplierOf(color, Number(position))),
      chance: 1 / 15,
    })),
    spreads: [evenly('position', positions)],
    play({ next }, recorder) {
      const position = positionOf(next());
      recorder.mark(0, position);
      recorder.round(TERMS.stake, payRound([bet], position, TERMS.maxProfitUsd)[0]!.payout);
    },
  });
}

const straight = (pocket: number, amount: string): RouletteEntry => ({
  type: 'STRAIGHT',
  numbers: [pocket],
  amount,
});

export const ONE_NUMBER_CASES: readonly Case[] = [
  ...[
    { threshold: 50, above: true },
    { threshold: 2, above: true },
    { threshold: 90, above: true },
    { threshold: 2.5, above: false },
    { threshold: 0.25, above: false },
  ].map(diceCase),
  ...[101, 150, 200, 1000, 10_000].map(limboCase),
  rouletteCase('STRAIGHT 17', [straight(17, '1')]),
  rouletteCase('RED', [{ type: 'RED', amount: '1' }]),
  rouletteCase('DOZEN 2', [{ type: 'DOZEN', numbers: [2], amount: '1' }]),
  rouletteCase('CORNER 0 1 2 3', [{ type: 'CORNER', numbers: [0, 1, 2, 3], amount: '1' }]),
  rouletteCase('BLACK, SPLIT 0 3 and STRAIGHT 20', [
    { type: 'BLACK', amount: '0.5' },
    { type: 'SPLIT', numbers: [0, 3], amount: '0.25' },
    straight(20, '0.25'),
  ]),
  ...COLORS.map(speedRouletteCase),
];
