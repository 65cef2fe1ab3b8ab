/** The compared servers, and the requests that the load generator sends to them. */
import { BET, DICE, type Play } from '../load/protocol.ts';

/** Servers that run no platform code (bare.ts). They show the cost of Node and Fastify. */
const BARE = ['http', 'fastify'] as const;
/** `ours` is the platform, `noop` its HTTP kit alone, and `textbook` stores each bet in its own transaction. */
export const VARIANTS = [...BARE, 'noop', 'textbook', 'ours'] as const;
export type Variant = (typeof VARIANTS)[number];

export const isBare = (variant: Variant): boolean => BARE.some((bare) => bare === variant);
/** Returns true if a variant stores its bets in the database. */
export const makesBets = (variant: Variant): boolean => !isBare(variant) && variant !== 'noop';

/** Returns the path at which a variant serves an operation of our API. */
export const pathBy = (variant: Variant, path: string): string =>
  variant === 'ours' ? path : `/bench/${variant}${path}`;

/** Variants implement all games that have a single step. Only our server has rounds of several steps and series of bets. */
type Kind = 'game' | 'round' | 'series' | 'read';

const HOUSE = '/casino/games/house';
const { currencyId, betAmount } = BET;
const MINES = { currencyId, betAmount, gridCellsCount: 25 };
const CHIPS = [
  { type: 'STRAIGHT', numbers: [7], amount: '0.01' },
  { type: 'DOZEN', numbers: [2], amount: '0.01' },
  { type: 'RED', amount: '0.01' },
];
const MINES_ROUND: Play = {
  steps: [
    { path: `${HOUSE}/mines/play`, body: { ...MINES, bombsCount: 1 } },
    ...[0, 6, 12].map((cellIndex) => ({ path: `${HOUSE}/mines/open`, body: { cellIndex } })),
    { path: `${HOUSE}/mines/cash-out`, body: {} },
  ],
  over: '"finished":',
};

type Named = Play & { kind: Kind };
const game = (path: string, body: object): Named => ({ kind: 'game', steps: [{ path: HOUSE + path, body }] });
const series = (count: number): Named => ({
  kind: 'series',
  steps: [{ path: `${HOUSE}/dice/series`, body: { ...BET, count } }],
});
/** A request that a lobby repeats. If `isPublic`, it is sent without a token, as it would be for a visitor who is not signed in. */
const read = (path: string, isPublic = false): Named => ({
  kind: 'read',
  steps: [{ path, isPublic }],
  isRead: true,
});

/** The games and reads that the benchmark measures, by their names in `--games` and in the report. */
const PLAYS = {
  dice: { ...DICE, kind: 'game' },
  limbo: game('/limbo/bet', { currencyId, betAmount, multiplier: 2 }),
  keno: game('/keno/bet', { currencyId, betAmount, risk: 'MEDIUM', selected: [3, 8, 17, 25, 40] }),
  plinko: game('/plinko/bet', { currencyId, betAmount, risk: 'MEDIUM', rowsCount: 16 }),
  roulette: game('/roulette/bet', { currencyId, betAmount: '0.03', params: { bets: CHIPS } }),
  'mines-auto': game('/mines/auto-spin', { ...MINES, bombsCount: 3, cellIndices: [0, 6, 12] }),
  'mines-round': { ...MINES_ROUND, kind: 'round' },
  'series-10': series(10),
  'series-50': series(50),
  'series-100': series(100),
  me: read('/user/me'),
  balances: read('/accounting/balances'),
  'own-bets': read('/bets?page=1&take=20'),
  'live-bets': read('/live-bets?type=ALL&count=20'),
  config: read('/config/USER', true),
  currencies: read('/currency', true),
  // Players have no operation that lists house games, so a lobby reads the limits of each game that it shows.
  game: read(`${HOUSE}/dice/config`),
} as const satisfies Record<string, Named>;

export type PlayName = keyof typeof PLAYS;

const NAMES = Object.keys(PLAYS) as PlayName[];
const kindOf = (name: PlayName): Kind => PLAYS[name].kind;
export const SINGLE_GAMES = NAMES.filter((name) => kindOf(name) === 'game');
export const READS = NAMES.filter((name) => kindOf(name) === 'read');
export const GAMES = NAMES.filter((name) => kindOf(name) !== 'read');

/** True for series of bets. They are measured only on request, because they have their own comparisons. */
export const isSeries = (name: PlayName): boolean => kindOf(name) === 'series';
export const SERIES = NAMES.filter(isSeries);

/** Returns the maximum number of connections. More concurrent series than this would not fit into a lane's queue. */
export const mostConnections = (name: PlayName): number => (isSeries(name) ? 64 : Number.POSITIVE_INFINITY);

/** Returns the first (or only) request of a play. */
export const firstStepOf = (name: PlayName) => PLAYS[name].steps[0]!;

/** Returns the path of a play's first request without the query. */
export const routeOf = (name: PlayName): string => firstStepOf(name).path.split('?', 1)[0]!;

/** Returns undefined if the variant does not support the play. */
export function playOf(variant: Variant, name: PlayName): Play | undefined {
  const { kind, ...play } = PLAYS[name];
  const offers = {
    game: name === 'dice' || !isBare(variant),
    round: variant === 'ours',
    series: variant === 'ours',
    // Read requests write nothing, so most variants do not implement them.
    read: variant === 'ours' || variant === 'noop' || variant === 'fastify',
  };
  const steps = play.steps.map((step) => ({ ...step, path: pathBy(variant, step.path) }));
  return offers[kind] ? { ...play, steps } : undefined;
}
