/**
 * npm run bench: runs a benchmark and prints its report. `npm run bench users` runs the suite `users`; without a name it runs the suite
 * `bet`. Options follow the name: `npm run bench -- users --rounds=3`, `npm run bench -- --quick`. `--help` shows the options of a suite,
 * and an unknown name lists all suites. Exits 1 if a limit is exceeded or if the database does not agree with the responses.
 */
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { isGood, jsonOf, textOf } from './report.ts';
import { parseOptions, type Suite } from './suite.ts';
import { createWorld, durabilityOf, type Later } from './world.ts';

const SUITES: Readonly<Record<string, () => Promise<Suite>>> = {
  bet: async () => (await import('./suites/bet.ts')).bet,
  bets: async () => (await import('./suites/bets.ts')).bets,
  chat: async () => (await import('./suites/sockets.ts')).chat,
  consumers: async () => (await import('./suites/consumers.ts')).consumers,
  dashboards: async () => (await import('./suites/dashboards.ts')).dashboards,
  grants: async () => (await import('./suites/growth.ts')).grants,
  growth: async () => (await import('./suites/growth.ts')).growth,
  idle: async () => (await import('./suites/idle.ts')).idle,
  latency: async () => (await import('./suites/latency.ts')).latency,
  leaderboards: async () => (await import('./suites/leaderboards.ts')).leaderboards,
  referrals: async () => (await import('./suites/referrals.ts')).referrals,
  sockets: async () => (await import('./suites/sockets.ts')).sockets,
  'speed-roulette': async () => (await import('./suites/speed-roulette.ts')).speedRoulette,
  statement: async () => (await import('./suites/statement.ts')).statement,
  users: async () => (await import('./suites/users.ts')).users,
  wallet: async () => (await import('./suites/wallet.ts')).wallet,
};

const [first = '', ...rest] = process.argv.slice(2);
const isNamed = first !== '' && !first.startsWith('-');
const name = isNamed ? first : 'bet';
if (!Object.hasOwn(SUITES, name)) {
  console.error(`Unknown suite ${first}. Suites:`);
  for (const [suite, load] of Object.entries(SUITES))
    console.error(`  ${suite.padEnd(16)}${(await load()).about}`);
  process.exit(2);
}
const suite = await SUITES[name]!();
const { values, isQuick, json } = parseOptions(name, suite, isNamed ? rest : process.argv.slice(2));
/** Runs the cleanup functions at the end, newest first, even when the benchmark is interrupted. */
const cleanup = new AsyncDisposableStack();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    if (cleanup.disposed) return;
    console.log('stopping');
    void cleanup.disposeAsync().finally(() => process.exit(130));
  });
try {
  process.exitCode = (await runSuite((undo) =>
    cleanup.defer(() => undo().then(() => undefined, console.error)),
  ))
    ? 0
    : 1;
} catch (error) {
  // Errors during the shutdown are expected and are not printed.
  if (!cleanup.disposed) console.error(error);
  process.exitCode = 1;
}
await cleanup.disposeAsync();

/** Prints the report. Returns true if no check failed. */
async function runSuite(later: Later): Promise<boolean> {
  const startedMs = performance.now();
  const say = (line: string) =>
    console.log(`${((performance.now() - startedMs) / 1000).toFixed(0).padStart(5)} s  ${line}`);
  const world = await createWorld({ isTimed: suite.timesStatements ?? false, later });
  const report = await suite.run({ world, say, later, isQuick }, values);
  const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, Node ${process.version}`;
  const database = await durabilityOf(world.db);
  const settings = Object.entries(database).map(([setting, value]) => `${setting}=${value}`);
  console.log(`\n${machine}, load generator on the same machine\nPostgreSQL: ${settings.join(' ')}\n`);
  console.log(textOf(report));
  if (json) writeFileSync(json, jsonOf({ suite: name, options: values, machine, database, ...report }));
  return isGood(report);
}
