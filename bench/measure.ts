import { setTimeout as sleep } from 'node:timers/promises';
import type { Order } from './load/protocol.ts';
import { cpuBetween, type Generator, readCpu } from './processes.ts';
import { medianOf, type Spread, shown, spreadOf, type Table } from './report.ts';
import type { Say } from './suite.ts';
import { query, type World } from './world.ts';

/** `subject` names the measured server or operation. `workload` names the traffic. */
export type Task = { subject: string; workload: string; server: { pid: number; port: number } } & Omit<
  Order,
  'port'
> & { measureMs: number };

export type Sample = Awaited<ReturnType<typeof measureOnce>>;

/** A database, the generator, and for how long disturbed measurements are repeated. */
export type Bench = {
  world: World;
  generator: Generator;
  say: Say;
  repeatUntilMs?: number;
};

const MOST_FOREIGN_CORES = 0.3;
const ATTEMPTS = 3;

/** Returns the CPU time of a bet in µs, of the server and PostgreSQL together. */
export const cpuPerBet = (s: Sample): number => s.nodeUs + s.postgresUs;

/** Makes one measurement, and repeats it if other programs used the machine. Returns the attempt during which they were least active. */
export async function measure(bench: Bench, task: Task): Promise<Sample> {
  const { repeatUntilMs = Number.POSITIVE_INFINITY, say } = bench;
  let best: Sample | undefined;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const sample = await measureOnce(bench, task);
    if (!best || sample.foreign < best.foreign) best = sample;
    if (!best.disturbed || performance.now() > repeatUntilMs) break;
    if (attempt < ATTEMPTS)
      say(`    measuring again: other programs used ${sample.foreign.toFixed(2)} of a core`);
  }
  say(progressLine(best!));
  return best!;
}

/**
 * Returns the figures of one measurement. CPU times are in µs per bet, or per request for reads and rounds of several requests. `bodyBytes`
 * is the mean length of the responses. `foreign` is the number of cores that other programs used.
 */
export async function measureOnce(bench: Bench, task: Task) {
  const { subject, workload, server, measureMs, ...order } = task;
  const { generator } = bench;
  const { db, postgres } = bench.world;
  const isRead = order.streams.every((stream) => stream.what === 'plays' && stream.play.isRead);
  // Runs VACUUM now, so that PostgreSQL does not clean up after earlier bets during this measurement. Reads create no dead rows.
  if (!isRead)
    await query(db)`
      vacuum (analyze) bets, ledger_lines, wallets, players, rounds, provider_rounds, provider_transactions`;
  await query(db)`checkpoint`;
  const watched = { server: server.pid, postmaster: postgres.pid, generator: generator.pid };
  const wal = async () => {
    const [position] = await query(db)<{ at: bigint }>`
      select (pg_current_wal_insert_lsn() - '0/0')::int8 as at`;
    return position!.at;
  };
  await generator.call('start', { ...order, port: server.port });
  const [cpuBefore, walBefore] = [readCpu(watched), wal()];
  await sleep(measureMs);
  const [cpuAfter, walAfter] = [readCpu(watched), wal()];
  const { streams, seconds, ...rest } = await generator.call('finish');
  const use = cpuBetween(cpuBefore, cpuAfter);
  const sum = (of: (stream: (typeof streams)[number]) => number) =>
    streams.reduce((total, s) => total + of(s), 0);
  const bets = sum((s) => s.bets);
  const perBet = (amount: number) => amount / Math.max(1, bets);
  const foreign = use.foreign / 1e6 / use.seconds;
  return {
    subject,
    workload,
    isRead,
    ...rest,
    bets,
    perSecond: bets / seconds,
    p50Ms: Math.max(...streams.map((s) => s.p50Ms)),
    p99Ms: Math.max(...streams.map((s) => s.p99Ms)),
    maxMs: Math.max(...streams.map((s) => s.maxMs)),
    nodeUs: perBet(use.server),
    postgresUs: perBet(use.postgres),
    generatorUs: perBet(use.generator),
    kernelUs: perBet(use.kernel),
    bodyBytes: perBet(sum((s) => s.bodyBytes)),
    walBytes: perBet(Number((await walAfter) - (await walBefore))),
    streams: streams.map((s) => ({ perSecond: s.bets / seconds, p99Ms: s.p99Ms })),
    foreign,
    disturbed: foreign > MOST_FOREIGN_CORES,
  };
}

function progressLine(s: Sample): string {
  const cpu = `${shown(s.nodeUs)} + ${shown(s.postgresUs)} µs`;
  const refused = s.refusals > 0 ? `, ${s.refusals} REFUSED (${s.firstRefusal})` : '';
  const foreign = `foreign ${s.foreign.toFixed(2)}${s.disturbed ? ' !' : ''}`;
  const name = `${s.workload} ${s.subject}`.padEnd(28);
  return `    ${name}${shown(Math.round(s.perSecond)).padStart(8)} /s  p50 ${shown(s.p50Ms)} ms  ${cpu}  ${foreign}${refused}`;
}

/** Returns the table of one workload, with the medians of all rounds. `unit` names one request, such as a bet. */
export function sampleTable(title: string, samples: readonly Sample[], unit = 'bet'): Table {
  const isRead = samples.some((s) => s.isRead);
  const size = isRead ? 'body B' : `WAL B/${unit}`;
  const columns = ['', `${unit}s/s`, 'min', 'max', 'p50 ms', 'p99 ms', 'node µs', 'pg µs', `CPU/${unit} µs`];
  const rows = [...new Set(samples.map((s) => s.subject))].map((subject) => {
    const own = samples.filter((s) => s.subject === subject);
    const { median, min, max } = spreadOf(own.map((s) => s.perSecond));
    const disturbed = own.filter((s) => s.disturbed).length;
    const foreign = medianOf(own, (s) => s.foreign).toFixed(2);
    return [
      subject,
      ...[median, min, max].map(Math.round),
      medianOf(own, (s) => s.p50Ms),
      medianOf(own, (s) => s.p99Ms),
      medianOf(own, (s) => s.nodeUs),
      medianOf(own, (s) => s.postgresUs),
      medianOf(own, cpuPerBet),
      medianOf(own, (s) => s.generatorUs),
      medianOf(own, (s) => s.kernelUs),
      medianOf(own, (s) => (isRead ? s.bodyBytes : s.walBytes)),
      disturbed > 0 ? `${foreign} (${disturbed}/${own.length} disturbed)` : foreign,
    ];
  });
  return { title, columns: [...columns, 'generator µs', 'kernel µs', size, 'foreign cores'], rows };
}

/**
 * Returns the ratio of two subjects' medians. `min` and `max` are the ratios of single rounds. Returns undefined if one subject was not
 * measured.
 */
export function ratioOf(
  samples: readonly Sample[],
  [above, below]: readonly [above: string, below: string],
  { workload, of }: { workload?: string; of: (sample: Sample) => number },
): Spread | undefined {
  const figures = (subject: string) =>
    samples.filter((s) => s.subject === subject && (workload ?? s.workload) === s.workload).map(of);
  const [uppers, lowers] = [figures(above), figures(below)];
  if (uppers.length === 0 || lowers.length === 0) return undefined;
  const { min, max } = spreadOf(uppers.map((value, i) => value / (lowers[i] ?? lowers.at(-1)!)));
  return { median: spreadOf(uppers).median / spreadOf(lowers).median, min, max };
}
