/**
 * npm run failover [-- --cycles 10 --seed N --assert]
 *
 * A real cluster from the files of deploy/ha: three PostgreSQL under Patroni, etcd, HAProxy, all on the loopback address; the platform over it under
 * load. Kills, freezes, cuts off and replaces the leader, and compares every answer that was given with what is in the database afterwards. The
 * negative control at the end replicates asynchronously and must lose acknowledged bets: a test that cannot fail proves nothing.
 *
 * Needs etcd, Patroni, HAProxy and PostgreSQL 15. With --assert, times are held against the goals; without it against a wide margin.
 */
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { seeded } from '../crash/load.ts';
import { type HaCluster, startHaCluster } from './cluster.ts';
import { runControl } from './control.ts';
import { type Cycle, runCycle } from './cycle.ts';
import type { FaultName } from './faults.ts';
import { findPrograms } from './programs.ts';
import { conclude, describe } from './report.ts';
import { type FailoverWorld, startFailoverWorld } from './world.ts';

const FAULTS: readonly FaultName[] = [
  ...(['machine', 'frozen', 'postgres', 'switchover', 'cut'] as const),
  ...(['replica', 'machine', 'postgres', 'switchover', 'machine'] as const),
];
const CONTROL_TRIES = 3;

const { values } = parseArgs({
  options: {
    cycles: { type: 'string', default: '10' },
    seed: { type: 'string', default: String(randomInt(1_000_000_000)) },
    assert: { type: 'boolean', default: false },
  },
});
const cycles = Number(values.cycles);

const { programs, missing } = findPrograms();
if (missing.length > 0) {
  console.log(`failover: not run, ${missing.join(' ')} missing: apt-get install ${missing.join(' ')}`);
  // Where everything has to hold, what was not looked at does not.
  process.exit(process.env.CI ? 1 : 0);
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
console.log(`seed ${values.seed}: ${cycles} cycles and the control`);
const began = performance.now();
const ha = await startHaCluster(programs);
console.log(`the cluster is up after ${Math.round(performance.now() - began)} ms, in ${ha.folder}`);
let isClean = false;
try {
  isClean = await run(ha);
} finally {
  if (!isClean) console.log(ha.story());
  await ha.stop({ keep: !isClean });
  if (!isClean) console.log(`logs and data are in ${ha.folder}; repeat with --seed ${values.seed}`);
}
process.exit(isClean ? 0 : 1);

async function run(ha: HaCluster): Promise<boolean> {
  const world = await startFailoverWorld(ha, seeded(Number(values.seed)));
  let isWell = false;
  try {
    const done = await runAll(world);
    const control = await runControls(world);
    isWell = conclude(done, control, { isStrict: values.assert, took: performance.now() - began });
    return isWell;
  } finally {
    await world.stop({ keep: !isWell });
    if (!isWell) console.log(`logs of the platform are in ${world.cluster.folder}`);
  }
}

async function runAll(world: FailoverWorld): Promise<Cycle[]> {
  const state = { world, past: [], known: new Set<string>() };
  const done: Cycle[] = [];
  for (let i = 0; i < cycles; i++) {
    const cycle = await runCycle(FAULTS[i % FAULTS.length]!, `f${i + 1}`, state);
    console.log(describe(cycle));
    for (const problem of cycle.problems.slice(0, 20)) console.log(`  BROKEN ${problem}`);
    done.push(cycle);
  }
  return done;
}

async function runControls(world: FailoverWorld): Promise<{ acked: number; lost: number }> {
  let found = { acked: 0, lost: 0 };
  for (let i = 1; i <= CONTROL_TRIES && found.lost === 0; i++) {
    found = await runControl(world, `control${i}`);
    console.log(`control, asynchronous: ${found.acked} acknowledged, ${found.lost} lost (must be found)`);
  }
  return found;
}
