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
export type Read = { path: string; isPublic?: boolean };
export type ReadName = keyof typeof READS;
export const READ_NAMES = Object.keys(READS) as ReadName[];

export const readOf = (name: ReadName): Read => READS[name];
export const isRead = (name: string): name is ReadName => Object.hasOwn(READS, name);

/** Returns the route of a read: its path without the query. */
export const routeOf = (name: ReadName): string => READS[name].path.split('?', 1)[0]!;
