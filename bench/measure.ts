import { sql } from 'kysely';
import type { Db } from '../src/platform/database/db.ts';
import { type CpuReading, cpuBetween, readCpu, type Watched } from './cpu.ts';
import { type PlayName, playOf } from './games.ts';
import type { Plan, Workload } from './plan.ts';
import type { Generator, Server } from './processes.ts';
import { makesBets, type Order, type Variant } from './protocol.ts';
import { isRead } from './reads.ts';
import type { World } from './world.ts';

/**
 * One measurement. CPU times are in µs per bet, or per request for reads and rounds of several requests. `foreign` is the number of cores
 * that other processes used.
 */
export type Sample = {
  variant: Variant;
  game: PlayName;
  workload: string;
  /** Number of bets or reads. */
  bets: number;
  /** Mean length of the response bodies. */
  bodyBytes: number;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
  nodeUs: number;
  postgresUs: number;
  generatorUs: number;
  kernelUs: number;
  foreign: number;
  walBytes: number;
  refusals: number;
  firstRefusal: string | undefined;
  backlog: number;
  /** True if other processes used more than 0.3 of a core in every attempt. */
  disturbed: boolean;
};

/**
 * A measurement at a fraction (`share`) of the maximum rate measured before. Requests are sent regardless of whether earlier ones have
 * finished.
 */
export type OpenLoopSample = Sample & { share: number; asked: number };

export type Bench = {
  plan: Plan;
  world: World;
  servers: ReadonlyMap<Variant, Server>;
  generator: Generator;
  startedMs: number;
  say: (line: string) => void;
  /** Processes of the benchmark that are idle during a measurement, in addition to the servers of the other variants. */
  bystanders?: readonly number[];
};

const MOST_FOREIGN_CORES = 0.3;
const ATTEMPTS = 3;

export type Task = {
  variant: Variant;
  game: PlayName;
  workload: Workload;
  /** The group of players who bet. Defaults to the variant's own group. */
  group?: string;
  warmUpMs?: number;
  measureMs?: number;
  perSecond?: number;
};

/**
 * Makes one measurement, and repeats it if other processes used the machine. Returns the attempt during which other processes were least
 * active.
 */
export async function measure(bench: Bench, task: Task): Promise<Sample> {
  let best: Sample | undefined;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const sample = await measureOnce(bench, task);
    if (!best || sample.foreign < best.foreign) best = sample;
    if (!best.disturbed || performance.now() - bench.startedMs > bench.plan.repeatForMs) break;
    if (attempt < ATTEMPTS)
      bench.say(`    measuring again: other programs used ${sample.foreign.toFixed(2)} of a core`);
  }
  return best!;
}

export async function measureOnce(bench: Bench, task: Task): Promise<Sample> {
  const { variant, game, workload } = task;
  const { db } = bench.world;
  // Runs VACUUM now, so that PostgreSQL does not clean up after earlier bets during this measurement. Reads create no dead rows.
  if (!isRead(game)) await sql`vacuum (analyze) bets, ledger_lines, wallets, players, rounds`.execute(db);
  await sql`checkpoint`.execute(db);
  const watched = watchedBy(bench, variant);
  const readings: CpuReading[] = [];
  const wal: Promise<bigint>[] = [];
  const result = await bench.generator.run(orderOf(bench, task), () => {
    readings.push(readCpu(watched));
    wal.push(walPosition(db));
  });
  const [before, after] = readings as [CpuReading, CpuReading];
  const [walBefore, walAfter] = (await Promise.all(wal)) as [bigint, bigint];
  const use = cpuBetween(before, after);
  const perBet = (amount: number) => amount / Math.max(1, result.bets);
  const foreign = use.foreign / 1e6 / use.seconds;
  return {
    variant,
    game,
    workload: workload.name,
    ...result,
    perSecond: result.bets / result.seconds,
    nodeUs: perBet(use.server),
    postgresUs: perBet(use.postgres),
    generatorUs: perBet(use.generator),
    kernelUs: perBet(use.kernel),
    foreign,
    bodyBytes: perBet(result.bodyBytes),
    walBytes: perBet(Number(walAfter - walBefore)),
    disturbed: foreign > MOST_FOREIGN_CORES,
  };
}

function orderOf({ plan, servers }: Bench, task: Task): Order {
  const { variant, game, workload, perSecond } = task;
  return {
    port: servers.get(variant)!.port,
    play: playOf(variant, game)!,
    group: task.group ?? groupOf(variant),
    players: workload.players,
    connections: workload.connections,
    warmUpMs: task.warmUpMs ?? plan.warmUpMs,
    measureMs: task.measureMs ?? plan.measureMs,
    keepsBets: makesBets(variant),
    ...(perSecond === undefined ? {} : { perSecond }),
  };
}

/**
 * Returns the group of players that a variant uses. Each variant that bets has its own players, because bets of another variant would make
 * its cache stale.
 */
export const groupOf = (variant: Variant): string => (makesBets(variant) ? variant : 'ours');

function watchedBy({ servers, world, generator, bystanders = [] }: Bench, variant: Variant): Watched {
  const idle = [...servers].filter(([name]) => name !== variant).map(([, { pid }]) => pid);
  return {
    server: servers.get(variant)!.pid,
    postmaster: world.postgres.pid,
    generator: generator.pid,
    others: [process.pid, ...idle, ...bystanders],
  };
}

async function walPosition(db: Db): Promise<bigint> {
  const { rows } = await sql<{
    at: bigint;
  }>`select (pg_current_wal_insert_lsn() - '0/0')::int8 as at`.execute(db);
  return rows[0]!.at;
}
