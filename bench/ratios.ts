import { SERIES, SINGLE_GAMES, stepsOf } from './games.ts';
import type { Sample } from './measure.ts';
import { READ_NAMES } from './reads.ts';

export type Spread = { median: number; min: number; max: number };

export function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const median = sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
  return { median, min: sorted[0]!, max: sorted.at(-1)! };
}

export const betsPerSecond = (s: Sample): number => s.perSecond;
/** Returns the CPU time of a bet in µs, of the server and PostgreSQL together. */
export const cpuPerBet = (s: Sample): number => s.nodeUs + s.postgresUs;

/** Returns the CPU time of a whole round in µs: the sum for all its requests. */
const cpuPerPlay = (s: Sample): number => cpuPerBet(s) * stepsOf(s.game);

/** Returns the name of the measured subject: the game, unless it is dice, followed by the variant. */
export const subjectOf = ({ variant, game }: Pick<Sample, 'variant' | 'game'>): string =>
  game === 'dice' ? variant : `${game} ${variant}`;

type Comparison = {
  name: string;
  workload: string;
  measure: (s: Sample) => number;
  over: readonly [string, string];
  target?: { atLeast: number } | { atMost: number };
};

/** Ratios for which the project has a target, and further ratios that help to interpret them. */
const COMPARISONS: readonly Comparison[] = [
  throughput('c256', ['noop', 'fastify'], 0.75),
  throughput('c256', ['ours', 'fastify'], 0.55),
  throughput('c16', ['ours', 'fastify'], 0.45),
  throughput('hot', ['ours', 'fastify'], 0.5),
  cpu('c256', ['ours', 'fastify'], { atMost: 2.2 }),
  cpu('c256', ['textbook', 'ours'], { atLeast: 9 }),
  cpu('hot', ['textbook', 'ours'], { atLeast: 16 }),
  throughput('c256', ['fastify', 'http']),
  throughput('c256', ['ours', 'noop']),
  cpu('c256', ['ours', 'noop']),
  throughput('c256', ['ours', 'textbook']),
  throughput('hot', ['ours', 'textbook']),
  ...['c1', 'c4', 'c64'].map((workload) => throughput(workload, ['ours', 'fastify'])),
  throughput('c256', ['ours', 'statement']),
  throughput('hot', ['ours', 'statement']),
  throughput('c64', ['ours', 'textbook']),
  throughput('c16', ['ours', 'textbook']),
  throughput('c1', ['ours', 'textbook']),
  throughput('c1', ['ours', 'statement']),
  ...SINGLE_GAMES.filter((game) => game !== 'dice').flatMap(ofGame),
  {
    name: 'CPU of a round',
    workload: 'c256',
    measure: cpuPerPlay,
    over: ['mines-round ours', 'ours'],
    target: { atMost: 4.5 },
  },
  ...['c16', 'c64'].flatMap((workload) =>
    SERIES.map((series) => throughput(workload, [`${series} ours`, 'noop'], 2)),
  ),
  ...READ_NAMES.flatMap(ofRead),
];

function ofGame(game: string): Comparison[] {
  const [ours, noop, textbook] = [`${game} ours`, `${game} noop`, `${game} textbook`];
  return [
    throughput('c256', [ours, 'ours'], 0.85),
    throughput('c256', [ours, noop]),
    throughput('c256', [ours, textbook], 10),
    cpu('c256', [ours, noop]),
    cpu('c256', [textbook, ours]),
  ];
}

function ofRead(name: string): Comparison[] {
  const [ours, fastify] = [`${name} ours`, `${name} fastify`];
  const speed = { name: 'reads/s', workload: 'c256', measure: betsPerSecond };
  return [
    { ...speed, over: [ours, fastify], target: { atLeast: 0.7 } },
    { ...speed, over: [ours, `${name} noop`] },
    ...['c16', 'c64'].map((workload) => ({ ...speed, workload, over: [ours, fastify] as const })),
    { name: 'CPU per read', workload: 'c256', measure: cpuPerBet, over: [ours, fastify] },
  ];
}

function cpu(workload: string, over: Comparison['over'], target?: Comparison['target']): Comparison {
  return { name: 'CPU per bet', workload, measure: cpuPerBet, over, ...(target && { target }) };
}

function throughput(workload: string, over: Comparison['over'], atLeast?: number): Comparison {
  const base = { name: 'bets/s', workload, measure: betsPerSecond, over };
  return atLeast === undefined ? base : { ...base, target: { atLeast } };
}

export type Ratio = Spread & {
  name: string;
  workload: string;
  over: readonly [string, string];
  target: Comparison['target'];
  /** Undefined if the ratio has no target. */
  met: boolean | undefined;
  /** True if the ratio misses its target by more than the usual difference between machines. */
  failed: boolean;
};

const MARGIN = 0.2;

/** Computes each ratio from the medians of all rounds. `min` and `max` are the ratios of single rounds. */
export function ratiosOf(samples: readonly Sample[]): Ratio[] {
  return COMPARISONS.flatMap((comparison) => {
    const { name, workload, measure, over, target } = comparison;
    const [above, below] = over.map((subject) =>
      samples.filter((s) => subjectOf(s) === subject && s.workload === workload).map(measure),
    ) as [number[], number[]];
    if (above.length === 0 || below.length === 0) return [];
    const median = spreadOf(above).median / spreadOf(below).median;
    const rounds = above.map((value, i) => value / (below[i] ?? below.at(-1)!));
    const { min, max } = spreadOf(rounds);
    return [{ name, workload, over, target, median, min, max, ...judge(median, target) }];
  });
}

function judge(value: number, target: Comparison['target']): { met: boolean | undefined; failed: boolean } {
  if (!target) return { met: undefined, failed: false };
  if ('atLeast' in target)
    return { met: value >= target.atLeast, failed: value < target.atLeast * (1 - MARGIN) };
  return { met: value <= target.atMost, failed: value > target.atMost * (1 + MARGIN) };
}
