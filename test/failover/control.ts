import { setTimeout as sleep } from 'node:timers/promises';
import { compare, withDb } from '../crash/check.ts';
import { send } from '../crash/processes.ts';
import { until } from '../kit/until.ts';
import { query } from './cluster.ts';
import { betAndPay } from './cycle.ts';
import type { FailoverWorld } from './world.ts';

const UNSENT_MS = 300;
const BEFORE_MS = 1500;

/**
 * Makes the cluster asynchronous, blocks the leader's WAL stream for a moment, and kills the leader. Bets acknowledged in that moment are
 * lost, and the comparison must report them. The database is unusable afterwards.
 */
export async function runControl(
  world: FailoverWorld,
  name: string,
): Promise<{ acked: number; lost: number }> {
  const { ha } = world;
  await ha.configure({ synchronous_mode: false, synchronous_mode_strict: false });
  await until(async () => (await standbyNames(ha.adminUrl())) === '', 30_000);
  // This may be a second attempt, after the first one found no lost bets. The killed machine may then still be recovering.
  await ha.untilHealthy({ isSynchronous: false });
  const load = betAndPay(world, name);
  await sleep(BEFORE_MS);
  const leader = await ha.leader();
  for (const pid of leader.walSenders()) send(pid, 'SIGSTOP');
  await sleep(UNSENT_MS);
  await leader.kill();
  await until(async () => (await ha.leader()) !== leader, 60_000);
  leader.start();
  await until(ha.takesWrites, 60_000);
  await load.stop();
  const verdict = await withDb(ha.url, (db) => compare(db, load.history));
  return { acked: verdict.acked, lost: verdict.missing.length };
}

async function standbyNames(url: string): Promise<string> {
  const [row] = await query<{ synchronous_standby_names: string }>(url, 'show synchronous_standby_names');
  return row!.synchronous_standby_names;
}
