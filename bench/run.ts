/**
 * npm run bench: runs a benchmark and prints its report. `npm run bench users` runs the suite `users`; without a name it runs the suite
 * `bet`. Options follow the name: `npm run bench -- users --rounds=3`, `npm run bench -- --quick`. `--help` shows the options of a suite,
 * and an unknown name lists all suites. Exits 1 if a limit is exceeded or if the database does not agree with the responses.
 */
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { isGood, jsonOf, textOf } from './report.ts';
import { parseOptions, type Say, type Suite } from './suite.ts';
import { createWorld, durabilityOf, type Later } from './world.ts';

/** Every suite with the subject of its measurements. */
const SUITES: Readonly<Record<string, readonly [about: string, load: () => Promise<Suite>]>> = {
  bet: [
    'a bet, compared with bare servers and textbook transactions',
    async () => (await import('./suites/bet.ts')).bet,
  ],
  bets: ['deep pages of long lists of bets', async () => (await import('./suites/bets.ts')).bets],
  chat: ['a chat room while players bet', async () => (await import('./suites/sockets.ts')).chat],
  consumers: [
    'how much bet consumers slow down bets',
    async () => (await import('./suites/consumers.ts')).consumers,
  ],
  dashboards: [
    'dashboards with few and many users',
    async () => (await import('./suites/dashboards.ts')).dashboards,
  ],
  grants: ['bets with an active grant', async () => (await import('./suites/growth.ts')).grants],
  growth: ['bets after millions of earlier bets', async () => (await import('./suites/growth.ts')).growth],
  idle: ['the idle platform', async () => (await import('./suites/idle.ts')).idle],
  latency: ['bets with a distant database', async () => (await import('./suites/latency.ts')).latency],
  leaderboards: [
    'ranks of leaderboards',
    async () => (await import('./suites/leaderboards.ts')).leaderboards,
  ],
  referrals: [
    'affiliate lists and statistics',
    async () => (await import('./suites/referrals.ts')).referrals,
  ],
  sockets: [
    'many sockets on one realtime process',
    async () => (await import('./suites/sockets.ts')).sockets,
  ],
  'speed-roulette': [
    'the settlement of a round',
    async () => (await import('./suites/speed-roulette.ts')).speedRoulette,
  ],
  statement: [
    'the staff list of ledger postings',
    async () => (await import('./suites/statement.ts')).statement,
  ],
  users: ['the list of users', async () => (await import('./suites/users.ts')).users],
  wallet: ['callbacks of game providers', async () => (await import('./suites/wallet.ts')).wallet],
};

const [first = '', ...rest] = process.argv.slice(2);
const isNamed = first !== '' && !first.startsWith('-');
const name = isNamed ? first : 'bet';
if (!Object.hasOwn(SUITES, name)) {
  const names = Object.entries(SUITES).map(([suite, [about]]) => `  ${suite.padEnd(16)}${about}`);
  console.error(`Unknown suite ${first}. Suites:\n${names.join('\n')}`);
  process.exit(2);
}
const suite = await SUITES[name]![1]();
const { values, isQuick, json } = parseOptions(name, suite, isNamed ? rest : process.argv.slice(2));
await runAndUndo(async (later) => {
  const world = await createWorld({ isTimed: suite.timesStatements?.(values) ?? false, later });
  const report = await suite.run({ world, say: createSay(), later, isQuick }, values);
  const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, Node ${process.version}`;
  const database = await durabilityOf(world.db);
  const settings = Object.entries(database).map(([setting, value]) => `${setting}=${value}`);
  console.log(`\n${machine}, load generator on the same machine\nPostgreSQL: ${settings.join(' ')}\n`);
  console.log(textOf(report));
  if (json) writeFileSync(json, jsonOf({ suite: name, options: values, machine, database, ...report }));
  return isGood(report) ? 0 : 1;
});

function createSay(): Say {
  const startedMs = performance.now();
  return (line) =>
    console.log(`${((performance.now() - startedMs) / 1000).toFixed(0).padStart(5)} s  ${line}`);
}

/** Runs a benchmark and sets the exit status. Runs its cleanup functions at the end, the newest first, even when it is interrupted. */
async function runAndUndo(program: (later: Later) => Promise<number>): Promise<void> {
  const undoing: (() => Promise<unknown>)[] = [];
  const undoAll = async (): Promise<void> => {
    for (let undo = undoing.pop(); undo; undo = undoing.pop()) await undo().catch(console.error);
  };
  let isStopping = false;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => {
      if (isStopping) return;
      isStopping = true;
      console.log('stopping');
      void undoAll().finally(() => process.exit(130));
    });
  try {
    process.exitCode = await program((undo) => undoing.push(undo));
  } catch (error) {
    // Errors during the shutdown are expected and are not printed.
    if (!isStopping) console.error(error);
    process.exitCode = 1;
  }
  if (!isStopping) await undoAll();
}
