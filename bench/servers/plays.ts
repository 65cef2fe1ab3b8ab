/** The requests that the load generator sends for each game and for each measured read, and the routes that variants need for them. */
import { BET, NOOP, type Play } from '../load/protocol.ts';

/** Servers that run no platform code (bare.ts). They show the cost of Node and Fastify. */
const BARE = ['http', 'fastify'] as const;
/** The compared servers. `ours` is the platform, `noop` its HTTP kit alone, and `textbook` stores each bet in its own transaction. */
export const VARIANTS = [...BARE, 'noop', 'textbook', 'ours'] as const;
export type Variant = (typeof VARIANTS)[number];

export const isBare = (variant: Variant): boolean => BARE.some((bare) => bare === variant);
/** Returns true if a variant stores its bets in the database. */
export const makesBets = (variant: Variant): boolean => !isBare(variant) && variant !== 'noop';

const { currencyId, betAmount } = BET;
const CHIPS = [
  { type: 'STRAIGHT', numbers: [7], amount: '0.01' },
  { type: 'DOZEN', numbers: [2], amount: '0.01' },
  { type: 'RED', amount: '0.01' },
];
const MINES = { currencyId, betAmount, gridCellsCount: 25 };

/** Single-step games, each with the last segment of its path in our API and the bet that every player makes. */
const SINGLE = {
  dice: ['dice/bet', BET],
  limbo: ['limbo/bet', { currencyId, betAmount, multiplier: 2 }],
  keno: ['keno/bet', { currencyId, betAmount, risk: 'MEDIUM', selected: [3, 8, 17, 25, 40] }],
  plinko: ['plinko/bet', { currencyId, betAmount, risk: 'MEDIUM', rowsCount: 16 }],
  roulette: ['roulette/bet', { currencyId, betAmount: '0.03', params: { bets: CHIPS } }],
  'mines-auto': ['mines/auto-spin', { ...MINES, bombsCount: 3, cellIndices: [0, 6, 12] }],
} as const;

export type SingleGame = keyof typeof SINGLE;
export const SINGLE_GAMES = Object.keys(SINGLE) as SingleGame[];

export const pathOf = (variant: Variant, game: SingleGame): string =>
  variant === 'ours' ? `/casino/games/house/${SINGLE[game][0]}` : `/bench/${variant}/${game}`;

/** Read requests that a lobby sends repeatedly, by their names in `--reads`. */
const READS = {
  me: { path: '/user/me' },
  balances: { path: '/accounting/balances' },
  'own-bets': { path: '/bets?page=1&take=20' },
  'live-bets': { path: '/live-bets?type=ALL&count=20' },
  config: { path: '/config/USER', isPublic: true },
  currencies: { path: '/currency', isPublic: true },
  // Players have no operation that lists house games, so a lobby reads the limits of each game that it shows.
  game: { path: '/casino/games/house/dice/config' },
} as const satisfies Record<string, Read>;

/** `isPublic`: the request is sent without a token, as by a visitor who is not signed in. */
type Read = { path: string; isPublic?: boolean };
export type ReadName = keyof typeof READS;
export const READ_NAMES = Object.keys(READS) as ReadName[];

export const readOf = (name: ReadName): Read => READS[name];
export const isRead = (name: string): name is ReadName => Object.hasOwn(READS, name);

/** Returns the route of a read: its path without the query. */
export const routeOf = (name: ReadName): string => READS[name].path.split('?', 1)[0]!;

const ROUND: Play = {
  steps: [
    { path: '/casino/games/house/mines/play', body: { ...MINES, bombsCount: 1 } },
    ...[0, 6, 12].map((cellIndex) => ({ path: '/casino/games/house/mines/open', body: { cellIndex } })),
    { path: '/casino/games/house/mines/cash-out', body: {} },
  ],
  over: '"finished":',
};

const series = (count: number): Play => ({
  steps: [{ path: '/casino/games/house/dice/series', body: { ...BET, count } }],
  hasManyBets: true,
});

/** Games and series of bets that only our own server supports. */
const OURS = {
  'mines-round': ROUND,
  'series-10': series(10),
  'series-50': series(50),
  'series-100': series(100),
};
export const SERIES = ['series-10', 'series-50', 'series-100'] as const;

export type GameName = SingleGame | keyof typeof OURS;
/** A game, or a lobby's read request, that the benchmark measures. */
export type PlayName = GameName | ReadName;
export const GAMES = [...SINGLE_GAMES, ...Object.keys(OURS)] as GameName[];

/** True for series of bets. They are measured only on request, because they have their own comparisons. */
export const isSeries = (game: PlayName): boolean => SERIES.some((series) => series === game);

/** Returns the maximum number of connections. More concurrent series than this would not fit into a lane's queue. */
export const mostConnections = (game: PlayName): number => (isSeries(game) ? 64 : Number.POSITIVE_INFINITY);

const isSingle = (game: PlayName): game is SingleGame => game in SINGLE;

/** Returns undefined if the variant does not have the game. */
export function playOf(variant: Variant, game: PlayName): Play | undefined {
  if (isRead(game)) return readBy(variant, game);
  if (isBare(variant) && game !== 'dice') return undefined;
  if (isSingle(game)) return { steps: [{ path: pathOf(variant, game), body: SINGLE[game][1] }] };
  return variant === 'ours' ? OURS[game] : undefined;
}

/** Read requests write nothing, so the variants do not implement them. The only bare server to compare with is Fastify. */
function readBy(variant: Variant, name: ReadName): Play | undefined {
  const { path, isPublic } = readOf(name);
  if (variant === 'noop') return { steps: [{ path: `${NOOP}${path}`, isPublic }], isRead: true };
  if (variant !== 'ours' && variant !== 'fastify') return undefined;
  return { steps: [{ path, isPublic }], isRead: true };
}
