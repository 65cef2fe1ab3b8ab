/**
 * npm run ci -- crash [-- --cycles 10 --seconds 2 --services 2 --seed N]
 *
 * Kills real processes under load, and compares every response with the database afterwards. The negative control at the end disables
 * durability and must find lost bets, because a test that cannot fail proves nothing.
 */
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { type Cluster, startCluster } from '../kit/processes/cluster.ts';
import { type Cycle, type CycleOptions, type Fault, runControl, runCycle } from './cycle.ts';
import { createPlayers, seeded } from './load.ts';

const FAULTS: readonly Fault[] = ['service', 'postgres', 'both'];
const PLAYERS = 300;
/** Settings of the negative control, with which a killed database loses acknowledged commits. */
const FORGETFUL = { synchronous_commit: 'off', wal_writer_delay: '10s' };
const CONTROL_CYCLES = 2;
const CONTROL_TRIES = 4;

const { values } = parseArgs({
  options: {
    cycles: { type: 'string', default: '10' },
    seconds: { type: 'string', default: '2' },
    services: { type: 'string', default: '2' },
    seed: { type: 'string', default: String(randomInt(1_000_000_000)) },
  },
});
const { seed } = values;
const [cycles, seconds, services] = [values.cycles, values.seconds, values.services].map(Number) as [
  number,
  number,
  number,
];

console.log(`seed ${seed}: ${cycles} cycles of at most ${seconds} s, ${services} services`);
const cluster = await startCluster({ parts: Array<'api'>(services).fill('api') });
let isClean = false;
try {
  isClean = await run(cluster);
} finally {
  await cluster.stopAll({ keep: !isClean });
  if (!isClean) console.log(`logs and data are in ${cluster.folder}`);
}
process.exit(isClean ? 0 : 1);

async function run(cluster: Cluster): Promise<boolean> {
  // One third of the players have money for only three bets, so their later bets are rejected within a batch.
  const dollars = Array.from({ length: PLAYERS }, (_, i) => (i % 3 === 2 ? 3 : 100_000));
  const players = await createPlayers(cluster.urlsOf('api')[0]!, dollars);
  const options = {
    cluster,
    players,
    random: seeded(Number(seed)),
    seconds,
    past: [],
    known: new Set<string>(),
    name: '',
  };
  const done: Cycle[] = [];
  for (let i = 0; i < cycles; i++) {
    const cycle = await runCycle(FAULTS[i % FAULTS.length]!, { ...options, name: `c${i + 1}` });
    console.log(describe(cycle));
    for (const problem of cycle.problems.slice(0, 20)) console.log(`  BROKEN ${problem}`);
    done.push(cycle);
  }
  const found = await control(options);
  return conclude(done, found);
}

/** Kills a database that acknowledges commits before they are on disk. The comparison must find the lost bets. */
async function control(options: CycleOptions): Promise<number> {
  await options.cluster.reconfigure({ postgres: FORGETFUL, settings: { ALLOW_UNSAFE_DATABASE: 'true' } });
  let found = 0;
  for (let i = 1; i <= CONTROL_CYCLES || (found === 0 && i <= CONTROL_TRIES); i++) {
    const { acked, lost } = await runControl({ ...options, name: `control${i}` });
    console.log(`control ${i}, synchronous_commit=off: ${acked} acknowledged, ${lost} lost (must be found)`);
    found += lost;
  }
  return found;
}

function describe({ name, acked, missing, unknown, landed, firstMs }: Cycle): string {
  const counts = `${acked} acked, ${missing} missing, ${unknown} unknown, ${landed} committed but not acked`;
  return `${name}: ${counts}, first success ${firstMs} ms after the restart`;
}

function conclude(done: readonly Cycle[], found: number): boolean {
  const sum = (of: (cycle: Cycle) => number) => done.reduce((total, cycle) => total + of(cycle), 0);
  const lost = sum((cycle) => cycle.missing);
  const problems = sum((cycle) => cycle.problems.length);
  console.table(
    done.map(({ name, acked, missing, unknown, landed, firstMs, problems }) => {
      return { name, acked, missing, unknown, landed, firstMs, problems: problems.length };
    }),
  );
  if (problems > 0) console.log(`${problems} problems; repeat with --seed ${seed}`);
  if (found === 0) console.log('the control found nothing: this test would not notice a loss');
  const acked = sum((cycle) => cycle.acked);
  console.log(`${lost} acknowledged bets lost`);
  console.log(`crash: ${done.length} cycles, ${acked} acknowledged, ${lost} lost, control found ${found}`);
  return problems === 0 && found > 0;
}
