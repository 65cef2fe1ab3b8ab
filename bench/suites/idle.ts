/**
 * npm run bench idle: measures the platform as `npm start` runs it, on a separate database, before and after bets. A measurement above the
 * limits also lists the statements and is repeated, because it may be due to work that happens only once.
 */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../../src/platform/database/db.ts';
import { startPlatform } from '../../test/browser/platform.ts';
import { fillHistory } from '../fill.ts';
import { createPlayers, MONEY } from '../players.ts';
import { readMemory, readStats } from '../processes.ts';
import { type Check, check, merged, type Report, shown, type Table } from '../report.ts';
import { type Context, defineSuite } from '../suite.ts';
import { allConsumed, query, readStatements, resetStatements } from '../world.ts';

/** Percent of one core, and statements per second. A result above twice the goal means that a process is polling. */
const GOAL = { percent: 3, statements: 25 };
const SETTLING_MS = 30_000;
const ATTEMPTS = 4;
const OWNERS = 50;

export const idle = defineSuite({
  about: 'the idle platform',
  options: {
    seconds: [30, 'length of one measurement'],
    bets: [100_000, 'number of bets stored before the second measurement'],
  },
  timesStatements: true,
  async run(context, { bets, seconds }) {
    const { db } = context.world;
    const fresh = await measure('fresh', context, seconds);
    const accounts = await createPlayers(context.world, { group: 'idle', count: OWNERS });
    const owners = accounts.map(({ userId }) => userId);
    await fillHistory(db, { bets, owners, cash: MONEY });
    const played = await measure(`${bets.toLocaleString('en-US')} bets`, context, seconds);
    const goals = `${GOAL.percent} % of a core, ${GOAL.statements} statements a second`;
    return { ...merged(fresh, played), notes: [`Goals: ${goals}. The limits are twice the goals.`] };
  },
});

/** Measures the idle platform until one measurement is within the limits. */
async function measure(what: string, { world, say, later }: Context, seconds: number): Promise<Report> {
  const { db } = world;
  const { DATABASE_URL, JWT_SECRET, SEED_SECRET, DATA_SECRET } = world.env;
  const settings = { DATABASE_URL, JWT_SECRET, SEED_SECRET, DATA_SECRET, LOG_LEVEL: 'info' };
  const platform = await startPlatform(settings);
  later(platform.stop);
  const read = () => readAll(platform.pid(), world.postgres.pid);
  await caughtUp(db);
  // Prevents autovacuum from processing the new rows during the measurement.
  await query(db)`vacuum analyze`;
  await query(db)`checkpoint`;
  const tables: Table[] = [];
  let checks: readonly Check[] = [];
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    await sleep(SETTLING_MS);
    await caughtUp(db);
    const report = await measureOnce(what, { db, read, seconds });
    tables.push(...report.tables);
    checks = report.checks;
    for (const { what: figure, value } of checks) say(`${figure}: ${shown(value)}`);
    if (checks.every(({ isMet }) => isMet)) break;
  }
  await platform.stop();
  return { tables, checks };
}

async function measureOnce(
  what: string,
  { db, read, seconds }: { db: Db; read: () => Reading; seconds: number },
): Promise<Report> {
  await resetStatements(db);
  const before = read();
  await sleep(seconds * 1000);
  const after = read();
  const statements = await readStatements(db);
  const tookS = (after.atMs - before.atMs) / 1000;
  const rows = [...after.processes].map(([name, { cpuUs, memoryMb }]) => {
    const percent = (cpuUs - (before.processes.get(name)?.cpuUs ?? 0)) / 1e4 / tookS;
    return [name, percent, memoryMb] as const;
  });
  const percent = rows.reduce((sum, [, share]) => sum + share, 0);
  const perSecond = statements.reduce((sum, { calls }) => sum + calls, 0) / tookS;
  const checks = [
    check(`${what}: % of a core`, percent, { atMost: 2 * GOAL.percent }),
    check(`${what}: statements a second`, perSecond, { atMost: 2 * GOAL.statements }),
  ];
  const tables: Table[] = [{ title: what, columns: ['', '% of a core', 'memory MB'], rows }];
  if (checks.some(({ isMet }) => !isMet))
    tables.push({
      title: `${what}: statements`,
      columns: ['', 'calls/s', 'ms/s'],
      rows: statements
        .slice(0, 40)
        .map(({ calls, ms, query: text }) => [text.slice(0, 130), calls / tookS, ms / tookS]),
    });
  return { tables, checks };
}

/** Waits until no consumer lags behind and all messages about the bets have been sent. */
async function caughtUp(db: Db): Promise<void> {
  const isSending = async () => {
    const [row] = await query(db)<{ is: boolean }>`
      select exists (select from crm_messages) or exists (select from crm_players where due_at <= now()) as "is"`;
    return row!.is;
  };
  await allConsumed(db);
  while (await isSending()) await sleep(500);
}

/** CPU time in µs since an arbitrary starting point. Only differences are meaningful. */
type Reading = { atMs: number; processes: Map<string, { cpuUs: number; memoryMb: number }> };

/**
 * Reads the CPU time and memory of the platform's processes, by name, and of PostgreSQL. The values for PostgreSQL include its processes
 * that have ended.
 */
function readAll(root: number, postmaster: number): Reading {
  const reading: Reading = { atMs: performance.now(), processes: new Map() };
  const stats = readStats();
  const postgres = { cpuUs: stats.get(postmaster)?.reaped ?? 0, memoryMb: 0 };
  for (const [pid, { parent, own }] of stats) {
    if (pid === root || parent === root)
      reading.processes.set(nameOf(pid), { cpuUs: own, memoryMb: readMemory(pid) });
    if (pid !== postmaster && parent !== postmaster) continue;
    postgres.cpuUs += own;
    postgres.memoryMb += readMemory(pid);
  }
  reading.processes.set('PostgreSQL', postgres);
  return reading;
}

/** Returns the name of the part (such as `api`) that a Node process runs, or its file name. */
function nameOf(pid: number): string {
  const [, file = '', part] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  return part || basename(file.replace('/main.ts', ''), '.ts');
}
