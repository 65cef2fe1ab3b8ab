import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Db } from '../../src/platform/database/db.ts';
import { brokenBooks, compare, countLanded, neverSent, withDb } from '../crash/check.ts';
import { call } from '../crash/client.ts';
import { type Attempt, repeatAcknowledged, resolveUnknown, startLoad } from '../crash/load.ts';
import { SEED_SECRET } from '../crash/processes.ts';
import { until } from '../kit/until.ts';
import { FAULTS, type FaultName } from './faults.ts';
import type { FailoverWorld } from './world.ts';

export type Cycle = {
  name: string;
  fault: FaultName;
  acked: number;
  missing: number;
  unknown: number;
  /** Number of bets that are in the database although the client does not know their outcome. */
  landed: number;
  withdrawals: number;
  /** The longest time without an accepted bet, starting at the fault. */
  gapMs: number;
  /** Time from the fault until three members were healthy again. */
  healedMs: number;
  /** Number of responses by their status or error. */
  said: Record<string, number>;
  problems: string[];
};

export type Run = {
  world: FailoverWorld;
  /** All attempts so far. Bets acknowledged in an earlier cycle must still exist. */
  past: Attempt[];
  /** Problems already reported, so that each is reported once. */
  known: Set<string>;
  /** Called once in each cycle, in the middle of the load. */
  underLoad: (cycle: string) => void;
};

const BETTORS = 12;
const HOT = 2;
const PAYING = 3;
const BEFORE_MS = 2000;
const AFTER_MS = 1000;

/** Runs load with a fault in the middle, waits for three healthy members, and then compares. */
export async function runCycle(fault: FaultName, name: string, run: Run): Promise<Cycle> {
  const { world, past, known } = run;
  const load = betAndPay(world, name);
  await sleep(BEFORE_MS / 2);
  run.underLoad(name);
  await sleep(BEFORE_MS / 2);
  const began = performance.now();
  const impossible = await FAULTS[fault](world.ha);
  await world.ha.untilHealthy();
  const healedMs = Math.round(performance.now() - began);
  await flowing(load.history);
  await sleep(AFTER_MS);
  await load.stop();
  const gapMs = longestSilence(load.history, began);

  const said = countSaid(load.history);
  const unknown = load.history.filter(({ outcome }) => outcome === 'unknown').length;
  const landed = await withDb(world.ha.url, (db) => countLanded(db, load.history));
  await resolveUnknown(load.history, world);
  const changed = await repeatAcknowledged(load.history, world);
  for (const attempt of load.history) past.push(attempt);
  const { missing, found } = await check(run);
  const all = [...found, ...changed, ...impossible, ...(await notReady(world))];
  const problems = [...all.filter((problem) => !known.has(problem)), ...world.cluster.strayExits.splice(0)];
  for (const problem of all) known.add(problem);
  return {
    name,
    fault,
    acked: load.history.filter(({ outcome }) => outcome === 'ok').length,
    missing,
    unknown,
    landed,
    withdrawals: world.payments.withdrawn.length,
    gapMs,
    healedMs,
    said,
    problems,
  };
}

/**
 * Runs players who bet, players who deposit and withdraw, and staff who review payments, until it is stopped. When it stops, the outcome of
 * every payment request is certain.
 */
export function betAndPay(world: FailoverWorld, name: string) {
  const { targets, players, random, payments, people, office } = world;
  const load = startLoad({ targets, players, random, name, clients: BETTORS, hot: HOT });
  let isOver = false;
  const pay = async () => {
    for (; !isOver; await sleep(50 + 100 * random())) {
      const person = people[Math.floor(random() * people.length)]!;
      const chance = random();
      if (chance < 0.4) await payments.deposit(person);
      else if (chance < 0.7) await payments.withdraw(person);
      else await payments.move(person);
    }
  };
  const decide = async () => {
    for (; !isOver; await sleep(400)) await office.round({ isFinal: false });
  };
  const paying = Promise.all([decide(), ...Array.from({ length: PAYING }, pay)]);
  // A failure is ignored here, because `stop` reports it.
  paying.catch(() => undefined);
  return {
    history: load.history,
    async stop(): Promise<void> {
      isOver = true;
      await load.stop();
      await paying;
    },
  };
}

/** Returns all differences between responses and tables. */
async function check({ world, past }: Run): Promise<{ missing: number; found: string[] }> {
  return withDb(world.ha.url, async (db) => {
    const verdict = await compare(db, past);
    const found = [
      ...verdict.missing,
      ...verdict.wrong,
      ...(await neverSent(db, past)),
      ...(await differingPayments(db, world)),
      ...(await brokenBooks(db, SEED_SECRET)),
      ...(await world.listeners.problems(db)),
      ...world.failures.map((failure) => `answered 500: ${failure}`),
    ];
    return { missing: verdict.missing.length, found };
  });
}

/** Compares withdrawals and vault transfers with the acknowledged ones. Each request was repeated until its outcome was certain. */
async function differingPayments(db: Db, { payments, people }: FailoverWorld): Promise<string[]> {
  const ids = people.map(({ id }) => id);
  const { rows } = await sql<{ id: string }>`
    select id::text from withdrawals where user_id = any(${ids})`.execute(db);
  const stored = new Set(rows.map(({ id }) => id));
  const acknowledged = new Set(payments.withdrawn.map(({ id }) => String(id)));
  const moves = await sql<{ n: number }>`
    select count(*)::int as n from ledger_lines where user_id = any(${ids}) and kind like 'vault.%'`.execute(
    db,
  );
  const moved = moves.rows[0]!.n;
  return [
    ...[...acknowledged.difference(stored)].map((id) => `withdrawal ${id} was acknowledged and is not there`),
    ...[...stored.difference(acknowledged)].map((id) => `withdrawal ${id} was never acknowledged`),
    ...(moved === payments.moved.length
      ? []
      : [`${payments.moved.length} moves acknowledged, ${moved} are there`]),
  ];
}

/** Returns the processes that have not recovered automatically. */
async function notReady({ cluster }: FailoverWorld): Promise<string[]> {
  const isReady = (name: string) =>
    call('GET', `${cluster.urlOf(name)}/health${name === 'backoffice' ? '' : '/ready'}`, {
      timeoutMs: 5000,
    }).then(
      ({ status }) => status === 200,
      () => false,
    );
  const late = await Promise.all(
    cluster.names.map((name) =>
      until(() => isReady(name), 15_000).then(
        () => [],
        () => [`${name} is not ready`],
      ),
    ),
  );
  return late.flat();
}

/** Waits until a bet that is sent from now on is accepted. */
async function flowing(history: readonly Attempt[]): Promise<void> {
  const began = performance.now();
  let seen = history.length;
  await until(() => {
    for (; seen < history.length; seen++)
      if (history[seen]!.outcome === 'ok' && history[seen]!.sentAt >= began) return true;
    return false;
  }, 60_000);
}

function countSaid(history: readonly Attempt[]): Record<string, number> {
  const all = Map.groupBy(history, ({ said }) => said);
  return Object.fromEntries([...all].map(([said, attempts]) => [said, attempts.length]));
}

/** Returns the longest time without an accepted bet since the given time, in milliseconds. */
function longestSilence(history: readonly Attempt[], since: number): number {
  const at = history
    .filter(({ outcome }) => outcome === 'ok')
    .map(({ sentAt, ms }) => sentAt + ms)
    .filter((time) => time > since)
    .sort((a, b) => a - b);
  return Math.round(at.reduce((most, time, i) => Math.max(most, time - (at[i - 1] ?? since)), 0));
}
