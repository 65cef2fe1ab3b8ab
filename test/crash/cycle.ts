import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster } from '../kit/processes/cluster.ts';
import { brokenBooks, compare, countLanded, neverSent, withDb } from './check.ts';
import { type Attempt, type LoadPlayer, repeatAcknowledged, resolveUnknown, startLoad } from './load.ts';
import { SEED_SECRET } from './processes.ts';

export type Fault = 'service' | 'postgres' | 'both';
export type Cycle = {
  name: string;
  acked: number;
  missing: number;
  unknown: number;
  /** Number of bets that are in the database although the client does not know their outcome. */
  landed: number;
  /** Time from when the restarted process listens until the first acknowledged bet. */
  firstMs: number;
  problems: string[];
};

export type CycleOptions = {
  cluster: Cluster;
  players: readonly LoadPlayer[];
  random: () => number;
  seconds: number;
  /** All attempts of the run so far. Bets acknowledged in an earlier cycle must still exist. */
  past: Attempt[];
  /** Problems already reported, so that each is reported once. */
  known: Set<string>;
  name: string;
};

const CLIENTS = 96;
const HOT = 16;
const RECOVERY_MS = 3000;

/** Runs load, kills the process at a random moment, restarts it under load, and then compares. */
export async function runCycle(fault: Fault, options: CycleOptions): Promise<Cycle> {
  const { cluster, players, random, seconds, past, known, name } = options;
  const targets = () => cluster.urlsOf('api');
  const load = startLoad({ targets, players, random, name, clients: CLIENTS, hot: HOT });
  await sleep(seconds * 1000 * (0.3 + 0.7 * random()));
  const victim = Math.floor(random() * targets().length);
  await kill(fault, cluster, victim);
  await cluster.heal();
  const firstMs = await firstSuccess(load.history, fault === 'service' ? victim : undefined);
  await sleep(200);
  await load.stop();

  const unknown = load.history.filter((attempt) => attempt.outcome === 'unknown').length;
  const landed = await withDb(cluster.databaseUrl(), (db) => countLanded(db, load.history));
  await resolveUnknown(load.history, { targets, players });
  const changed = await repeatAcknowledged(load.history, { targets, players });
  for (const attempt of load.history) past.push(attempt);
  const [verdict, books, strangers] = await withDb(cluster.databaseUrl(), (db) =>
    Promise.all([compare(db, past), brokenBooks(db, SEED_SECRET), neverSent(db, past)]),
  );
  const all = [...verdict.missing, ...verdict.wrong, ...books, ...strangers, ...changed];
  const problems = [...all.filter((problem) => !known.has(problem)), ...cluster.strayExits.splice(0)];
  for (const problem of all) known.add(problem);
  if (firstMs > RECOVERY_MS) problems.push(`the first bet after the restart took ${firstMs} ms`);
  const acked = load.history.filter((attempt) => attempt.outcome === 'ok').length;
  return {
    name: `${name} ${fault}`,
    acked,
    missing: verdict.missing.length,
    unknown,
    landed,
    firstMs,
    problems,
  };
}

/** Runs a cycle with a database that acknowledges commits before they are on disk. Returns how many bets the comparison finds missing. */
export async function runControl(options: Omit<CycleOptions, 'past' | 'known'>) {
  const { cluster, players, random, seconds, name } = options;
  const targets = () => cluster.urlsOf('api');
  const load = startLoad({ targets, players, random, name, clients: CLIENTS, hot: HOT });
  await sleep(seconds * 1000 * (0.5 + 0.5 * random()));
  await cluster.kill('postgres');
  await load.stop();
  await cluster.heal();
  const verdict = await withDb(cluster.databaseUrl(), (db) => compare(db, load.history));
  return { acked: verdict.acked, lost: verdict.missing.length };
}

async function kill(fault: Fault, cluster: Cluster, victim: number): Promise<void> {
  if (fault === 'service') return cluster.kill(cluster.names[victim]!);
  await Promise.all(['postgres', ...(fault === 'both' ? cluster.names : [])].map(cluster.kill));
}

/** Returns the milliseconds until the first acknowledged bet sent from now on (to the restarted process). */
async function firstSuccess(history: readonly Attempt[], target: number | undefined): Promise<number> {
  const began = performance.now();
  for (let seen = history.length; performance.now() - began < 15_000; await sleep(5)) {
    for (; seen < history.length; seen++) {
      const { outcome, sentAt, ms, target: to } = history[seen]!;
      const counts = outcome === 'ok' && sentAt >= began && (target === undefined || to === target);
      if (counts) return Math.round(sentAt + ms - began);
    }
  }
  throw new Error('no bet was acknowledged within 15 s of the restart');
}
