/**
 * npm run bench growth: compares the cost of bets in a table with 10,000,000 earlier bets with the cost in an empty table. Uses two
 * databases of one PostgreSQL server, each with its own main API, and measures them alternately. Every second player owns the earlier bets.
 * The final verification excludes these and covers all other data.
 */
import { sql } from 'kysely';
import { migrate } from '../src/platform/database/schema/migrate.ts';
import { silentLog } from '../src/platform/observability/log.ts';
import { fillHistory, type History, removeHistory } from './growth-world.ts';
import { type Bench, groupOf, measure, measureOnce, type Sample } from './measure.ts';
import { numbersOf } from './options.ts';
import { PLAYERS, planOfOurs } from './plan.ts';
import { createPlayers, MONEY } from './players.ts';
import { startGenerator, startServer } from './processes.ts';
import { isProven, prove } from './proof.ts';
import { betsPerSecond, cpuPerBet, spreadOf } from './ratios.ts';
import { progressLine, proofLines, workloadTable } from './report.ts';
import { createSay } from './say.ts';
import { type Later, runAndUndo } from './undo.ts';
import { countRows, createWorld, durabilityOf, openDb, type World } from './world.ts';

const LEAST = 0.85;
const asked = numbersOf('growth', {
  rows: [10_000_000, 'earlier bets, with two ledger postings each'],
  rounds: [5, 'how often each side is measured'],
  seconds: [6, 'length of one measurement'],
});
/** The number is rounded so that every owner has the same number of bets. */
const rows = Math.max(1, Math.round(asked.rows / PLAYERS)) * PLAYERS;
const plan = planOfOurs(asked);
const workload = plan.workloads[0]!;
const startedMs = performance.now();
const say = createSay();

type Side = { name: string; bench: Bench; history: History | undefined; samples: Sample[] };

/**
 * Creates a database with this many earlier bets, and starts our server on it. The measured players and the owners of the earlier bets have
 * alternating ids, so that their rows are mixed in every index.
 */
async function openSide(
  { world, later }: { world: World; later: Later },
  { name, bets }: { name: string; bets: number },
): Promise<Side> {
  await sql`create database ${sql.ref(name)}`.execute(world.db);
  const env = { ...world.env, DATABASE_URL: world.postgres.urlFor(name) };
  const db = openDb(env.DATABASE_URL);
  later(() => db.destroy());
  await migrate(db, silentLog);
  say(`${name}: creating ${2 * PLAYERS} players`);
  const accounts = await createPlayers(db, env, { group: name, count: 2 * PLAYERS });
  const players = accounts.filter((_, i) => i % 2 === 0);
  const owners = accounts.filter((_, i) => i % 2 === 1).map(({ userId }) => userId);
  say(`${name}: creating ${bets} earlier bets`);
  const history = bets > 0 ? await fillHistory(db, { bets, owners, cash: MONEY }) : undefined;
  await sql`vacuum analyze`.execute(db);
  const { rows: sizes } = await sql<{
    size: string;
  }>`select pg_size_pretty(pg_database_size(${name})) as size`.execute(db);
  say(`${name}: ${sizes[0]!.size}`);
  const server = await startServer('ours', { env, execArgv: [] });
  later(() => server.stop());
  await server.prime(players);
  const generator = startGenerator();
  later(() => generator.stop());
  generator.players(groupOf('ours'), players);
  const servers = new Map([['ours' as const, server]]);
  const bench = { plan, world: { ...world, db, env }, servers, generator, startedMs, say };
  return { name, bench, history, samples: [] };
}

const pidsOf = ({ bench }: Side): number[] => [bench.servers.get('ours')!.pid, bench.generator.pid];

async function measureBoth(sides: readonly [Side, Side]): Promise<void> {
  const [few, many] = sides;
  few.bench.bystanders = pidsOf(many);
  many.bench.bystanders = pidsOf(few);
  const task = { variant: 'ours', game: 'dice', workload } as const;
  for (const { bench } of sides) await measureOnce(bench, { ...task, warmUpMs: 100, measureMs: 3000 });
  for (let round = 1; round <= plan.rounds; round++) {
    say(`round ${round} of ${plan.rounds}, ${workload.what}`);
    for (const { name, bench, samples } of round % 2 === 1 ? sides : [many, few]) {
      const sample = await measure(bench, task);
      samples.push(sample);
      say(`${progressLine(sample)}  ${name}`);
    }
  }
}

/**
 * Returns true if all data is complete and correct. The earlier bets are excluded, because they were inserted directly and not placed by
 * players.
 */
async function isSideProven({ name, bench, history }: Side): Promise<boolean> {
  const { db, env } = bench.world;
  const acknowledged = await bench.generator.acknowledged();
  await bench.servers.get('ours')!.stop();
  const before = await countRows(db);
  if (history) await removeHistory(db, history);
  const proof = await prove(db, acknowledged, { seedSecret: env.SEED_SECRET, say: () => undefined });
  const counted = { before, after: await countRows(db) };
  console.log([`Proof, ${name}, without earlier bets`, ...proofLines(proof, counted)].join('\n'));
  return isProven(proof);
}

function verdict([few, many]: readonly [Side, Side]): boolean {
  const ratio = (of: (s: Sample) => number) =>
    spreadOf(many.samples.map(of)).median / spreadOf(few.samples.map(of)).median;
  const speed = ratio(betsPerSecond);
  console.log(`CPU per bet: ${ratio(cpuPerBet).toFixed(2)} times that of an empty table`);
  const disturbed = [...few.samples, ...many.samples].filter((s) => s.disturbed).length;
  if (disturbed > 0)
    console.log(`${disturbed} measurements were disturbed by other programs: rely on the CPU per bet`);
  console.log(
    `${speed >= LEAST ? 'PASS' : 'FAIL'}: ${speed.toFixed(2)} of the bets/s of an empty table, target >= ${LEAST}`,
  );
  return speed >= LEAST;
}

await runAndUndo(async (later) => {
  const creating = createWorld({ timed: false });
  later(async () => (await creating.catch(() => undefined))?.close());
  const world = await creating;
  console.log(await durabilityOf(world.db));
  const sides = [
    await openSide({ world, later }, { name: 'empty', bets: 0 }),
    await openSide({ world, later }, { name: 'grown', bets: rows }),
  ] as const;
  await measureBoth(sides);
  const proven = [await isSideProven(sides[0]), await isSideProven(sides[1])];
  if (proven.includes(false)) {
    console.log('The books do not agree with the responses, so this run has no results.');
    return 1;
  }
  for (const { name, samples } of sides) console.log(workloadTable(name, samples).join('\n'));
  return verdict(sides) ? 0 : 1;
});
