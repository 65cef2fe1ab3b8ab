/**
 * npm run ci -- failover [-- --cycles 10 --seed N --faults machine,cut --assert --keep]
 *
 * Runs a real cluster from the files of deploy/ha on the loopback address, with the platform on it under load: three PostgreSQL servers
 * under Patroni, etcd, and HAProxy. Kills, freezes, isolates and replaces the leader, and compares every response with the database
 * afterwards. The negative control at the end replicates asynchronously and must lose acknowledged bets, because a test that cannot fail
 * proves nothing.
 *
 * The fault `requested`, a switchover requested from Patroni, only runs if it is named.
 *
 * Needs etcd, Patroni, HAProxy and PostgreSQL 15. With --assert, times are checked against the goals, otherwise against a wide margin.
 */
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { type Books, compareBooks } from '../chaos/check.ts';
import { settle } from '../chaos/settle.ts';
import { brokenBooks, withDb } from '../crash/check.ts';
import { type Attempt, seeded } from '../crash/load.ts';
import { childrenOf, SEED_SECRET, send } from '../crash/processes.ts';
import { type HaCluster, startHaCluster } from './cluster.ts';
import { runControl } from './control.ts';
import { type Cycle, runCycle } from './cycle.ts';
import { FAULTS, type FaultName } from './faults.ts';
import { missingMetrics } from './metrics.ts';
import { createMoments } from './moment.ts';
import { findPrograms } from './programs.ts';
import { conclude, describe } from './report.ts';
import { type FailoverWorld, startFailoverWorld } from './world.ts';

const ORDER = 'machine,frozen,postgres,switchover,machine,cut,isolated,postgres,replica,etcd';
const CONTROL_TRIES = 3;

const { values } = parseArgs({
  options: {
    cycles: { type: 'string', default: '10' },
    seed: { type: 'string', default: String(randomInt(1_000_000_000)) },
    faults: { type: 'string', default: ORDER },
    assert: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
  },
});
const cycles = Number(values.cycles);
const faults = values.faults.split(',') as FaultName[];
const unknown = faults.filter((name) => !Object.hasOwn(FAULTS, name));
if (unknown.length > 0 || !(cycles > 0)) {
  console.error(`--cycles takes a number, --faults some of ${Object.keys(FAULTS)}: not ${unknown}`);
  process.exit(2);
}

const { programs, missing } = findPrograms();
if (missing.length > 0) {
  console.log(`failover: not run, ${missing.join(' ')} missing: apt-get install ${missing.join(' ')}`);
  // In CI, a missing program makes the run fail.
  process.exit(process.env.CI ? 1 : 0);
}
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    for (const pid of childrenOf(process.pid)) send(pid, 'SIGKILL');
    process.exit(130);
  });
console.log(`seed ${values.seed}: ${cycles} cycles and the control`);
const began = performance.now();
const ha = await startHaCluster(programs);
console.log(`the cluster is up after ${Math.round(performance.now() - began)} ms, in ${ha.folder}`);
let isClean = false;
try {
  isClean = await run(ha);
} finally {
  if (!isClean) console.log(ha.story());
  await ha.stop({ keep: values.keep || !isClean });
  if (values.keep || !isClean)
    console.log(`logs and data are in ${ha.folder}; repeat with --seed ${values.seed}`);
}
process.exit(isClean ? 0 : 1);

async function run(ha: HaCluster): Promise<boolean> {
  const unserved = (await Promise.all(ha.nodes.map(missingMetrics))).flat();
  if (unserved.length > 0) throw new Error(`Patroni does not serve ${[...new Set(unserved)].join(', ')}`);
  const world = await startFailoverWorld(ha, seeded(Number(values.seed)));
  let isWell = false;
  try {
    const moments = await createMoments(ha);
    const past: Attempt[] = [];
    const done = await runAll(world, past, moments);
    const differences = [...(await comparePayments(world)), ...(await moments.problems(past))];
    for (const difference of differences) console.log(`  BROKEN ${difference}`);
    const control = await runControls(world);
    isWell = conclude(done, control, { isStrict: values.assert, took: performance.now() - began });
    isWell &&= differences.length === 0;
    return isWell;
  } finally {
    await world.stop({ keep: values.keep || !isWell });
    if (values.keep || !isWell) console.log(`logs of the platform are in ${world.cluster.folder}`);
  }
}

type Moments = Awaited<ReturnType<typeof createMoments>>;

async function runAll(world: FailoverWorld, past: Attempt[], moments: Moments): Promise<Cycle[]> {
  const name = (i: number) => `f${i + 1}`;
  // By this cycle, a leader elected after the backup was taken has written WAL.
  const chosen = name(Math.min(1, cycles - 1));
  const underLoad = (cycle: string) => {
    if (cycle === chosen) moments.choose();
  };
  const state = { world, past, known: new Set<string>(), underLoad };
  const done: Cycle[] = [];
  for (let i = 0; i < cycles; i++) {
    const cycle = await runCycle(faults[i % faults.length]!, name(i), state);
    console.log(describe(cycle));
    for (const problem of cycle.problems.slice(0, 20)) console.log(`  BROKEN ${problem}`);
    done.push(cycle);
  }
  return done;
}

/** Compares the provider's books exactly, after all payments are finished. */
async function comparePayments(world: FailoverWorld): Promise<string[]> {
  await settle(world, world.office);
  const books = (await world.outside('GET', '/payments/books')) as Books;
  console.log(`payments: ${books.deposits.length} coins in, ${books.payouts.length} payouts`);
  return withDb(world.ha.url, async (db) => [
    ...(await compareBooks(db, books)),
    ...(await brokenBooks(db, SEED_SECRET)),
  ]);
}

async function runControls(world: FailoverWorld): Promise<{ acked: number; lost: number }> {
  let found = { acked: 0, lost: 0 };
  for (let i = 1; i <= CONTROL_TRIES && found.lost === 0; i++) {
    found = await runControl(world, `control${i}`);
    console.log(`control, asynchronous: ${found.acked} acknowledged, ${found.lost} lost (must be found)`);
  }
  return found;
}
