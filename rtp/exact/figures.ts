import type { ReturningGame } from '../games.ts';
import { CHART_PLAY } from './blackjack/chart.ts';
import { blackjackReturn } from './blackjack/returns.ts';
import { diceReturns } from './dice.ts';
import { limboReturns } from './limbo.ts';
import { PUBLISHED, type PublishedGame } from './published.ts';
import { minesReturns, monkeyRunReturns } from './rounds.ts';
import { sevenOrchardsReturn } from './seven-orchards.ts';
import { kenoReturns, plinkoReturns, rouletteReturns } from './tables.ts';
import { perfectPairReturn, speedRouletteReturns } from './wheel-and-pair.ts';

/** A published figure and its computed value. `path` identifies the figure within the game ("LOW 9"). */
export type Figure = { game: PublishedGame; path: string; published: string; computed: string };

const GAMES: Readonly<Record<PublishedGame, { slug: ReturningGame; compute: () => unknown }>> = {
  dice: { slug: 'dice', compute: diceReturns },
  limbo: { slug: 'limbo', compute: limboReturns },
  keno: { slug: 'keno', compute: kenoReturns },
  plinko: { slug: 'plinko', compute: plinkoReturns },
  mines: { slug: 'mines', compute: minesReturns },
  monkeyRun: { slug: 'monkey-run', compute: monkeyRunReturns },
  roulette: { slug: 'roulette', compute: rouletteReturns },
  speedRoulette: { slug: 'speed-roulette', compute: speedRouletteReturns },
  perfectPair: { slug: 'blackjack', compute: perfectPairReturn },
  blackjack: { slug: 'blackjack', compute: blackjackFigures },
  sevenOrchards: { slug: 'seven-orchards', compute: sevenOrchardsReturn },
};

/** Computes all returns of these games and pairs them with the published ones. */
export function exactFigures(slugs: readonly ReturningGame[]): Figure[] {
  const names = Object.keys(GAMES) as PublishedGame[];
  return names
    .filter((game) => slugs.includes(GAMES[game].slug))
    .flatMap((game) => compare(game, PUBLISHED[game], GAMES[game].compute()));
}

export const agrees = ({ published, computed }: Figure): boolean => published === computed;

/** Compares single figures by their paths. If one of the two sets lacks a figure, it is a mismatch. */
export function compare(game: PublishedGame, published: unknown, computed: unknown): Figure[] {
  const [here, there] = [leaves(published), leaves(computed)];
  const paths = [...new Set([...here.keys(), ...there.keys()])];
  const at = (side: ReadonlyMap<string, string>, path: string) => side.get(path) ?? 'absent';
  return paths.map((path) => ({ game, path, published: at(here, path), computed: at(there, path) }));
}

function leaves(value: unknown, path: readonly string[] = []): Map<string, string> {
  if (typeof value !== 'object' || value === null) return new Map([[path.join(' '), String(value)]]);
  const isList = Array.isArray(value);
  const entries = Object.entries(value).map(([key, inner]) =>
    leaves(inner, [...path, isList ? String(Number(key) + 1) : key]),
  );
  return new Map(entries.flatMap((map) => [...map]));
}

function blackjackFigures() {
  const best = blackjackReturn('best', { drawsOnSoft17: true });
  const chart = blackjackReturn(CHART_PLAY, { drawsOnSoft17: true });
  const stands = blackjackReturn('best', { drawsOnSoft17: false });
  const shown = (share: number) => (share * 100).toFixed(5);
  const stakes = [best, chart].map(({ averageStake }) => averageStake.toFixed(6));
  return {
    optimalInitial: shown(best.perInitial),
    optimalStaked: shown(best.perStaked),
    chartInitial: shown(chart.perInitial),
    chartStaked: shown(chart.perStaked),
    averageStake: [...new Set(stakes)].join(' and '),
    s17OptimalInitial: shown(stands.perInitial),
  };
}
