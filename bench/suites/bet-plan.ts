/** The measurements of `npm run bench bet`, and the ratios that it reports. */
import { cpuPerBet, ratioOf, type Sample } from '../measure.ts';
import { type Check, check, type Limit } from '../report.ts';
import {
  GAMES,
  isSeries,
  type PlayName,
  playOf,
  READS,
  SERIES,
  SINGLE_GAMES,
  VARIANTS,
  type Variant,
} from '../servers/plays.ts';

export type Workload = { name: string; about: string; connections: number; players: number };

export const PLAYERS = 10_000;

/** Workloads with fewer connections also have fewer players. Otherwise each player would bet unrealistically rarely. */
export const WORKLOADS: readonly Workload[] = [
  { name: 'c1', about: '1 connection, 40 players', connections: 1, players: 40 },
  { name: 'c4', about: '4 connections, 160 players', connections: 4, players: 160 },
  { name: 'c16', about: '16 connections, 640 players', connections: 16, players: 640 },
  { name: 'c64', about: '64 connections, 2,560 players', connections: 64, players: 2560 },
  { name: 'c256', about: '256 connections, 10,000 players', connections: 256, players: PLAYERS },
  { name: 'hot', about: '64 connections, one player', connections: 64, players: 1 },
];

/** Workloads and variants that are measured unless `--only` is set. */
const USUAL = {
  quick: ['c256', 'hot'],
  games: ['c256', 'fastify', 'noop', 'textbook', 'ours'],
  series: ['c16', 'c64', 'noop', 'ours'],
  reads: ['c256', 'fastify', 'ours'],
};

export type Plan = {
  games: readonly PlayName[];
  variants: readonly Variant[];
  workloads: readonly Workload[];
  isReads: boolean;
  /** Rates of the open loop, as fractions of the maximum rate. */
  openLoop: readonly number[];
};

type Choice = { games: string; reads: boolean; only: string; isQuick: boolean };

/** Chooses the measurements. `games` and `only` are comma-separated lists of names. */
export function planOf({ games: wanted, reads, only, isQuick }: Choice): Plan {
  const games = reads ? READS : gamesOf(wanted || 'dice');
  const ofGames = games.some(isSeries) ? USUAL.series : USUAL.games;
  const usual = reads ? USUAL.reads : wanted ? ofGames : isQuick ? USUAL.quick : [];
  const choose = <T>(all: readonly T[], nameOf: (one: T) => string): readonly T[] => {
    const lists = [only.split(','), usual].map((names) => all.filter((one) => names.includes(nameOf(one))));
    return lists.find((list) => list.length > 0) ?? all;
  };
  const variants = choose(VARIANTS, (variant) => variant);
  return {
    games,
    // Bare Fastify returns the responses of our server to reads.
    variants: reads && !variants.includes('ours') ? [...variants, 'ours'] : variants,
    workloads: choose(WORKLOADS, ({ name }) => name),
    isReads: reads,
    openLoop: isQuick || reads || wanted ? [] : [0.5, 0.8],
  };
}

function gamesOf(wanted: string): readonly PlayName[] {
  const names = wanted.split(',');
  return GAMES.filter((game) => names.includes(game) || (names.includes('all') && !isSeries(game)));
}

/** Returns the name of the measured subject: the game, unless it is dice, followed by the variant. */
export const subjectOf = (variant: Variant, game: PlayName): string =>
  game === 'dice' ? variant : `${game} ${variant}`;

const ratioOfFigure =
  (name: string, of: (s: Sample) => number) =>
  (workload: string, over: readonly [above: string, below: string], limit?: Limit) => ({
    name,
    of,
    workload,
    over,
    limit,
  });
const speed = ratioOfFigure('bets/s', (s) => s.perSecond);
const cpu = ratioOfFigure('CPU per bet', cpuPerBet);

/** Number of requests of a round of mines. */
const STEPS = playOf('ours', 'mines-round')!.steps.length;

/** Ratios for which the project has a target, and further ratios that help to interpret them. */
const COMPARISONS = [
  speed('c256', ['noop', 'fastify'], { atLeast: 0.75 }),
  speed('c256', ['ours', 'fastify'], { atLeast: 0.55 }),
  speed('c16', ['ours', 'fastify'], { atLeast: 0.45 }),
  speed('hot', ['ours', 'fastify'], { atLeast: 0.5 }),
  cpu('c256', ['ours', 'fastify'], { atMost: 2.2 }),
  cpu('c256', ['textbook', 'ours'], { atLeast: 9 }),
  cpu('hot', ['textbook', 'ours'], { atLeast: 16 }),
  speed('c256', ['fastify', 'http']),
  speed('c256', ['ours', 'noop']),
  cpu('c256', ['ours', 'noop']),
  ...['c1', 'c4', 'c64'].map((workload) => speed(workload, ['ours', 'fastify'])),
  ...['c1', 'c16', 'c64', 'c256', 'hot'].map((workload) => speed(workload, ['ours', 'textbook'])),
  ...SINGLE_GAMES.filter((game) => game !== 'dice').flatMap((game) => [
    speed('c256', [`${game} ours`, 'ours'], { atLeast: 0.85 }),
    speed('c256', [`${game} ours`, `${game} noop`]),
    speed('c256', [`${game} ours`, `${game} textbook`], { atLeast: 10 }),
    cpu('c256', [`${game} ours`, `${game} noop`]),
    cpu('c256', [`${game} textbook`, `${game} ours`]),
  ]),
  // The samples count the CPU time of one request of a round.
  cpu('c256', ['mines-round ours', 'ours'], { atMost: 4.5 / STEPS }),
  ...['c16', 'c64'].flatMap((workload) =>
    SERIES.map((series) => speed(workload, [`${series} ours`, 'noop'], { atLeast: 2 })),
  ),
  ...READS.flatMap((name) => [
    speed('c256', [`${name} ours`, `${name} fastify`], { atLeast: 0.7 }),
    speed('c256', [`${name} ours`, `${name} noop`]),
    ...['c16', 'c64'].map((workload) => speed(workload, [`${name} ours`, `${name} fastify`])),
    cpu('c256', [`${name} ours`, `${name} fastify`]),
  ]),
];

/** A target may be missed by the usual difference between machines. */
const MARGIN = 0.2;

/** Computes each ratio from the medians of all rounds. Missed targets fail the run only with `--assert`. */
export function ratioChecks(samples: readonly Sample[], { isAdvisory }: { isAdvisory: boolean }): Check[] {
  return COMPARISONS.flatMap(({ name, workload, of, over, limit }) => {
    const ratio = ratioOf(samples, over, { workload, of });
    if (!ratio) return [];
    const note = `rounds ${ratio.min.toFixed(2)}–${ratio.max.toFixed(2)}`;
    const what = `${over.join(' / ')}, ${name}, ${workload}`;
    return [check(what, ratio.median, limit, { note, isAdvisory, margin: MARGIN })];
  });
}
