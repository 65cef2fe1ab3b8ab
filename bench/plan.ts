import { parseArgs } from 'node:util';
import { GAMES, type GameName, isSeries, type PlayName } from './games.ts';
import { VARIANTS, type Variant } from './protocol.ts';
import { READ_NAMES } from './reads.ts';

export type Workload = {
  name: string;
  what: string;
  connections: number;
  players: number;
};

export const PLAYERS = 10_000;

/** Workloads with fewer connections also have fewer players. Otherwise each player would bet unrealistically rarely. */
const WORKLOADS: readonly Workload[] = [
  { name: 'c1', what: '1 connection, 40 players', connections: 1, players: 40 },
  { name: 'c4', what: '4 connections, 160 players', connections: 4, players: 160 },
  { name: 'c16', what: '16 connections, 640 players', connections: 16, players: 640 },
  { name: 'c64', what: '64 connections, 2,560 players', connections: 64, players: 2560 },
  { name: 'c256', what: '256 connections, 10,000 players', connections: 256, players: PLAYERS },
  { name: 'hot', what: '64 connections, one player', connections: 64, players: 1 },
];
const QUICK = new Set(['c256', 'hot']);
/** Workloads and variants that are measured for games unless --only is set. */
const OF_GAMES = ['c256', 'fastify', 'noop', 'textbook', 'ours'];
const OF_SERIES = ['c16', 'c64', 'noop', 'ours'];
const OF_READS = ['c256', 'fastify', 'ours'];

export type Plan = {
  quick: boolean;
  rounds: number;
  measureMs: number;
  warmUpMs: number;
  games: readonly PlayName[];
  /** True if `games` contains read requests instead of games. */
  isReads: boolean;
  variants: readonly Variant[];
  workloads: readonly Workload[];
  /** Request rates of the open loop, as fractions of the maximum rate. Empty in a quick run. */
  openLoop: readonly number[];
  /** After this time, measurements that other processes disturbed are not repeated. */
  repeatForMs: number;
  /** After this time, no new round begins. */
  roundsForMs: number;
  asserts: boolean;
  json: string | undefined;
  /** Folder for CPU profiles of the servers. If set, the benchmark also measures the time of each SQL statement. */
  profile: string | undefined;
};

/** Measures only our server, with 256 connections. */
export const planOfOurs = ({ rounds, seconds }: { rounds: number; seconds: number }): Plan =>
  readPlan(['--only', 'c256,ours', '--rounds', String(rounds), '--seconds', String(seconds)]);

export const HELP = `npm run bench -- [bet] [options]
  --quick          only c256 and hot, short rounds: under four minutes a game
  --rounds N       number of measurements of each combination (default 5, quick 3)
  --seconds N      length of one measurement (default 6, quick 2)
  --games a,b      these games (${GAMES.join(', ')}) at c256 (series: c16 and c64),
                   or all except the series (default: only dice, in all workloads)
  --reads          what a lobby polls (${READ_NAMES.join(', ')}) beside bare
                   Fastify at c256, in place of games
  --only a,b       only these variants (${VARIANTS.join(', ')}) and workloads (${WORKLOADS.map((w) => w.name).join(', ')}) only
  --json FILE      writes all results to FILE
  --assert         exit status 1 when a target is missed by more than 20 %
  --profile DIR    CPU profiles of the servers and times of the statements (slower: not for ratios)`;

export function readPlan(argv: readonly string[]): Plan {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      quick: { type: 'boolean', default: false },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      games: { type: 'string' },
      reads: { type: 'boolean', default: false },
      only: { type: 'string', default: '' },
      json: { type: 'string' },
      assert: { type: 'boolean', default: false },
      profile: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) throw new RangeError(HELP);
  const { quick, reads: isReads } = values;
  if (isReads && values.games) throw new RangeError(`either --reads or --games\n${HELP}`);
  const games = isReads ? READ_NAMES : gamesOf(values.games);
  const only = values.only.split(',').filter(Boolean);
  const usual = isReads ? OF_READS : !values.games ? [] : games.some(isSeries) ? OF_SERIES : OF_GAMES;
  const names = chosen({ only, usual, quick });
  if (isReads && !names.variants.includes('ours'))
    throw new RangeError(
      `--reads requires the variant ours, because the others return the same responses\n${HELP}`,
    );
  return {
    quick,
    rounds: positive('rounds', values.rounds, quick ? 3 : 5),
    measureMs: 1000 * positive('seconds', values.seconds, quick ? 2 : 6),
    warmUpMs: quick ? 700 : 1500,
    repeatForMs: quick ? 75_000 * games.length : Number.POSITIVE_INFINITY,
    roundsForMs: quick ? 120_000 * games.length : Number.POSITIVE_INFINITY,
    openLoop: quick || isReads || values.games ? [] : [0.5, 0.8],
    games,
    isReads,
    asserts: values.assert,
    json: values.json,
    profile: values.profile,
    ...names,
  };
}

function gamesOf(text = 'dice'): readonly GameName[] {
  if (text === 'all') return GAMES.filter((game) => !isSeries(game));
  const names = text.split(',').filter(Boolean);
  const unknown = names.find((name) => !GAMES.some((game) => game === name));
  if (unknown !== undefined) throw new RangeError(`no game ${unknown}\n${HELP}`);
  return GAMES.filter((game) => names.includes(game));
}

type Names = { only: readonly string[]; usual: readonly string[]; quick: boolean };

function chosen({ only, usual, quick }: Names): Pick<Plan, 'variants' | 'workloads'> {
  const unknown = only.find((n) => !VARIANTS.some((v) => v === n) && !WORKLOADS.some((w) => w.name === n));
  if (unknown !== undefined) throw new RangeError(`unknown variant or workload ${unknown}\n${HELP}`);
  const namedIn = (names: readonly string[]) => ({
    variants: VARIANTS.filter((v) => names.includes(v)),
    workloads: WORKLOADS.filter((w) => names.includes(w.name)),
  });
  const [asked, otherwise] = [namedIn(only), namedIn(usual)];
  const all = { variants: VARIANTS, workloads: WORKLOADS.filter((w) => !quick || QUICK.has(w.name)) };
  const firstOf = <T>(...lists: readonly (readonly T[])[]) => lists.find((list) => list.length > 0)!;
  return {
    variants: firstOf(asked.variants, otherwise.variants, all.variants),
    workloads: firstOf(asked.workloads, otherwise.workloads, all.workloads),
  };
}

function positive(name: string, text: string | undefined, fallback: number): number {
  const value = text === undefined ? fallback : Number(text);
  if (!(value > 0)) throw new RangeError(`--${name} needs to be above zero\n${HELP}`);
  return value;
}
