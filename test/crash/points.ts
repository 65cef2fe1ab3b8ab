/**
 * npm run ci -- points [-- --rounds 3]
 *
 * Kills the API at named points of every operation that moves money (`operations.ts`). A proxy between the API and its database finds these
 * points. Sends the request again to another process, with the same Idempotency-Key. There must be exactly one effect for each key,
 * however often the request is repeated. Also kills a worker once at each named point while it ends a leaderboard or decides a challenge.
 * Another worker must complete the task, and every effect must happen only once.
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import type { Db } from '../../src/platform/database/db.ts';
import { startEmbeddedPostgres } from '../../src/platform/database/embedded/postgres.ts';
import { type FaultProxy, startFaultProxy, type Watch } from '../kit/processes/fault-proxy.ts';
import { freePorts } from '../kit/processes/ports.ts';
import { createVisitors, DEBUG } from '../kit/processes/visitors.ts';
import { challengeScenes } from './challenge.ts';
import { brokenBooks, withDb } from './check.ts';
import { call } from './client.ts';
import { leaderboardScene } from './leaderboard.ts';
import { OPERATIONS, POINTS, type Point } from './operations.ts';
import {
  endOf,
  killTree,
  type PartProcess,
  partEnv,
  SEED_SECRET,
  send,
  startPartProcess,
} from './processes.ts';
import type { Scene, WorkerPoint } from './scenes.ts';

const SCENES = [leaderboardScene, ...challengeScenes];

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '3' } } });
const rounds = Number(values.rounds);

const dataDir = mkdtempSync(join(tmpdir(), 'croupier-points-'));
const [port] = (await freePorts(1)) as [number];
const postgres = await startEmbeddedPostgres({ dataDir, port });
const database = (at: number) => `postgres://croupier@127.0.0.1:${at}/croupier`;
const onDb = <T>(work: (db: Db) => Promise<T>): Promise<T> => withDb(database(port), work);
const start = (at: number, name: string, part = 'api') =>
  startPartProcess(part, { env: partEnv(database(at), DEBUG), logFile: join(dataDir, `${name}.log`) });
const healthy = await start(port, 'healthy');
const visitors = createVisitors(() => healthy.url);

let isClean = false;
try {
  isClean = await run();
} finally {
  visitors.close();
  send(healthy.pid, 'SIGTERM');
  await endOf(healthy);
  await postgres.stop();
  if (isClean) rmSync(dataDir, { recursive: true, force: true });
  else console.log(`logs and data are in ${dataDir}`);
}
process.exit(isClean ? 0 : 1);

async function run(): Promise<boolean> {
  const boss = await visitors.signIn('boss', { roles: ['SUPERADMIN'] });
  const world = { healthyUrl: healthy.url, boss, onDb };
  const problems: string[] = [];
  let kills = 0;
  // Starts the next process while the previous one is being killed.
  let next = startVictim();
  for (const point of POINTS) {
    for (let i = 0; i < rounds; i++) {
      const victim = await next;
      next = startVictim();
      problems.push(...(await kill(point, victim, world)));
      kills++;
    }
    console.log(`${point.operation} ${point.name}: ${rounds} kills`);
  }
  await endVictim(await next);
  for (const scene of SCENES)
    for (const point of scene.points) {
      problems.push(...(await killWorker(scene, point, world)));
      kills++;
      console.log(`${scene.name} ${point.name}: 1 kill`);
    }
  problems.push(...(await onDb((db) => brokenBooks(db, SEED_SECRET))));
  for (const problem of problems) console.log(`  BROKEN ${problem}`);
  const points = POINTS.length + SCENES.reduce((sum, scene) => sum + scene.points.length, 0);
  console.log(`points: ${points} points, ${kills} kills, ${problems.length} problems`);
  return problems.length === 0;
}

type World = Parameters<Scene['prepare']>[0];

type Victim = PartProcess & { proxy: FaultProxy; trap?: Watch };

/** Starts a process with its own proxy to the database. If `trap` is set, it inspects all traffic through the proxy. */
async function startVictim(part = 'api'): Promise<Victim> {
  const found: { victim?: Victim } = {};
  const proxy = await startFaultProxy({
    target: { host: '127.0.0.1', port },
    watch: (...seen) => found.victim?.trap?.(...seen) ?? true,
  });
  const victim: Victim = { ...(await start(proxy.port, `victim-${proxy.port}`, part)), proxy };
  found.victim = victim;
  return victim;
}

async function endVictim({ pid, proxy }: Victim): Promise<void> {
  await killTree(pid).catch(() => undefined);
  await proxy.stop();
}

/** Sends a request to a process that is killed at the point, and repeats the request. */
async function kill(point: Point, victim: Victim, world: World): Promise<string[]> {
  const prepare = OPERATIONS[point.operation];
  const { path, body, token, effects } = await prepare({ ...world, victimUrl: victim.url });
  const before = await onDb(effects);
  const key = { 'idempotency-key': randomUUID() };
  const ask = (url: string) => call('POST', url + path, { token, body, headers: { ...key } });
  const died = setTrap(point, victim);
  const first = await ask(victim.url).then(
    ({ status }) => String(status),
    () => 'lost',
  );
  await Promise.race([died, sleep(5000)]);
  const problems: string[] = [];
  const say = (what: string) => problems.push(`${point.operation} ${point.name}: ${what}`);
  if (first !== 'lost') say(`the process was not killed in time: it answered ${first}`);
  const answers = [];
  for (let i = 0; i < 3; i++) answers.push(await ask(healthy.url));
  const texts = new Set(answers.map(({ status, body }) => `${status} ${JSON.stringify(body)}`));
  if (texts.size !== 1 || answers[0]!.status !== 201) say(`repeated, it answers ${[...texts].join(' and ')}`);
  const landed = (await onDb(effects)) - before;
  if (landed !== 1) say(`${landed} effects of one key`);
  await endVictim(victim);
  return problems;
}

/** Runs a scene whose worker is killed at the point. Another worker completes the task. */
async function killWorker(
  { name, cursor, prepare }: Scene,
  point: WorkerPoint,
  world: World,
): Promise<string[]> {
  const pause = (pausedAt: Date | null) =>
    onDb((db) => sql`update cursors set paused_at = ${pausedAt} where name = ${cursor ?? ''}`.execute(db));
  await pause(new Date());
  const victim = await startVictim('worker');
  let died: Promise<void> | undefined;
  // A scene without a consumer starts as soon as it is prepared, so the trap must be set before the preparation.
  if (!cursor) died = setTrap(point, victim);
  const problemsAfter = await prepare(world);
  died ??= setTrap(point, victim);
  await pause(null);
  const wasKilled = await Promise.race([died.then(() => true), sleep(30_000).then(() => false)]);
  const problems = wasKilled ? [] : ['the worker was not killed in time'];
  await endVictim(victim);
  const other = await start(port, 'worker', 'worker');
  problems.push(...(await problemsAfter()));
  send(other.pid, 'SIGTERM');
  await endOf(other);
  return problems.map((problem) => `${name} ${point.name}: ${problem}`);
}

/** Resolves when the process has been killed. */
function setTrap({ text, when }: Pick<WorkerPoint, 'text' | 'when'>, victim: Victim): Promise<void> {
  return new Promise((resolve) => {
    let caught: object | undefined;
    let isCommitting = false;
    victim.trap = (chunk, direction, connection) => {
      if (direction === 'request' && !caught && chunk.includes(text)) {
        caught = connection;
        if (when === 'before') return end();
      } else if (direction === 'request' && caught === connection && chunk.includes('commit'))
        isCommitting = true;
      else if (direction === 'reply' && caught === connection && (when === 'after' || isCommitting))
        return end();
      return true;
    };
    const end = () => {
      victim.trap = () => false;
      void killTree(victim.pid).then(resolve);
      return false;
    };
  });
}
