/**
 * npm run bench: runs a benchmark. `npm run bench users` runs the suite `users`; without a name it runs the suite `bet`. Options follow the
 * name: `npm run bench -- users --rounds=3`, `npm run bench -- --quick`. Every suite shows its options with --help.
 */

/** Every suite with its file and the subject of its measurements. */
const SUITES: Readonly<Record<string, readonly [about: string, load: () => Promise<unknown>]>> = {
  bet: ['a bet, compared with bare servers and other implementations', () => import('./bet.ts')],
  bets: ['deep pages of long lists of bets', () => import('./bets.ts')],
  chat: ['a chat room while players bet', () => import('./chat.ts')],
  consumers: ['how much the consumers of bets slow down bets', () => import('./consumers.ts')],
  dashboards: ['all dashboards with few and with many users', () => import('./dashboards.ts')],
  grants: ['bets with an active grant', () => import('./grants.ts')],
  growth: ['bets in a table with millions of earlier bets', () => import('./growth.ts')],
  idle: ['the idle platform', () => import('./idle.ts')],
  latency: ['bets with latency between the process and the database', () => import('./latency.ts')],
  leaderboards: ['ranks of leaderboards', () => import('./leaderboards.ts')],
  referrals: ['affiliate lists and statistics', () => import('./referrals.ts')],
  sockets: ['many sockets on one realtime process', () => import('./sockets.ts')],
  'speed-roulette': ['the settlement of a round of speed-roulette', () => import('./speed-roulette.ts')],
  statement: ['the staff list of ledger postings', () => import('./statement.ts')],
  users: ['the list of users', () => import('./users.ts')],
  wallet: ['callbacks of game providers', () => import('./wallet.ts')],
};

const [first = ''] = process.argv.slice(2);
const isNamed = first !== '' && !first.startsWith('-');
const name = isNamed ? first : 'bet';
const suite = Object.hasOwn(SUITES, name) ? SUITES[name] : undefined;
if (!suite) {
  const names = Object.entries(SUITES).map(([name, [about]]) => `  ${name.padEnd(16)}${about}`);
  console.error(`Unknown suite ${first}. Suites:\n${names.join('\n')}`);
  process.exit(2);
}
// The suite reads its options from the arguments.
if (isNamed) process.argv.splice(2, 1);
await suite[1]();
