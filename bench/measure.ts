import { setTimeout as sleep } from 'node:timers/promises';
import type { Order } from './load/protocol.ts';
import { type Bench, cpuBetween, readCpu } from './processes.ts';
import { medianOf, type Spread, shown, spreadOf, type Table } from './report.ts';
import { query } from './world.ts';

/** `subject` names the measured server or operation. `workload` names the traffic. */
export type Task = Omit<Order, 'port'> & {
  bench: Bench;
  subject: string;
  workload: string;
  server: { pid: number; port: number };
  measureMs: number;
  /** After this time (`performance.now()`), disturbed measurements are not repeated. */
  repeatUntilMs?: number;
};

export type Sample = Awaited<ReturnType<typeof measureOnce>>;

const MOST_FOREIGN_CORES = 0.3;
const ATTEMPTS = 3;

/** Returns the CPU time of a bet in µs, of the server and PostgreSQL together. */
export const cpuPerBet = (s: Sample): number => s.nodeUs + s.postgresUs;

/**
 * Measures all tasks in each round, in reverse order in every second round. Starts no new round after `untilMs`, but always runs the first.
 */
export async function measureRounds(
  rounds: number,
  tasks: readonly Task[],
  untilMs = Number.POSITIVE_INFINITY,
): Promise<Sample[]> {
  const samples: Sample[] = [];
  for (let round = 1; round <= rounds && (round === 1 || performance.now() < untilMs); round++) {
    tasks[0]!.bench.say(`round ${round} of ${rounds}`);
    for (const task of round % 2 === 1 ? tasks : tasks.toReversed()) samples.push(await measure(task));
  }
  return samples;
}

/** Makes one measurement, and repeats it if other programs used the machine. Returns the attempt during which they were least active. */
export async function measure(task: Task): Promise<Sample> {
  const { bench, repeatUntilMs = Number.POSITIVE_INFINITY } = task;
  let best = await measureOnce(task);
  for (
    let attempt = 1;
    attempt < ATTEMPTS && best.disturbed && performance.now() < repeatUntilMs;
    attempt++
  ) {
    bench.say(`    measuring again: other programs used ${best.foreign.toFixed(2)} of a core`);
    const sample = await measureOnce(task);
    if (sample.foreign < best.foreign) best = sample;
  }
  bench.say(progressLine(best));
  return best;
}

/**
 * Returns the figures of one measurement. CPU times are in µs per bet, or per request for reads and rounds of several requests. `bodyBytes`
 * is the mean length of the responses. `foreign` is the number of cores that other programs used.
 */
export async function measureOnce(task: Task) {
  const { bench, subject, workload, server, measureMs, repeatUntilMs: _, ...order } = task;
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
  const medians: Readonly<Record<string, (s: Sample) => number>> = {
    'p50 ms': (s) => s.p50Ms,
    'p99 ms': (s) => s.p99Ms,
    'node µs': (s) => s.nodeUs,
    'pg µs': (s) => s.postgresUs,
    [`CPU/${unit} µs`]: cpuPerBet,
    'generator µs': (s) => s.generatorUs,
    'kernel µs': (s) => s.kernelUs,
    ...(isRead ? { 'body B': (s) => s.bodyBytes } : { [`WAL B/${unit}`]: (s) => s.walBytes }),
  };
  const rows = [...new Set(samples.map((s) => s.subject))].map((subject) => {
    const own = samples.filter((s) => s.subject === subject);
    const { median, min, max } = spreadOf(own.map((s) => s.perSecond));
    const figures = Object.values(medians).map((of) => medianOf(own, of));
    const disturbed = own.filter((s) => s.disturbed).length;
    const foreign = medianOf(own, (s) => s.foreign).toFixed(2);
    const note = disturbed > 0 ? ` (${disturbed}/${own.length} disturbed)` : '';
    return [subject, ...[median, min, max].map(Math.round), ...figures, foreign + note];
  });
  return { title, columns: ['', `${unit}s/s`, 'min', 'max', ...Object.keys(medians), 'foreign cores'], rows };
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
