/**
 * I06: npm run points [-- --rounds 3]
 *
 * Kills the API at named points of a bet, a withdrawal and a move to the vault, between it and its database, and repeats the
 * request with the same Idempotency-Key at another process: however often, there are as many effects as keys. Kills a worker at named points of
 * the end of a leaderboard, once each: another worker does the rest, and nothing twice.
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import { startEmbeddedPostgres } from '../../src/platform/embedded-postgres.ts';
import { startFaultProxy, type Watch } from '../kit/fault-proxy.ts';
import { freePorts } from '../kit/ports.ts';
import { brokenBooks, withDb } from './check.ts';
import { call } from './client.ts';
import { endedLeaderboard, problemsOf, WORKER_POINTS, type WorkerPoint } from './leaderboard.ts';
import { createPlayers, type LoadPlayer } from './load.ts';
import {
  endOf,
  killTree,
  type PartProcess,
  partEnv,
  SEED_SECRET,
  send,
  startPartProcess,
} from './processes.ts';

type Operation = { path: string; body: object; kind: string };
/** `before` a statement that has this text reaches the database, or `after` it was answered and nobody has heard it. */
type Point = Pick<WorkerPoint, 'name' | 'text'> & {
  operation: keyof typeof OPERATIONS;
  when: 'before' | 'after';
};

const OPERATIONS = {
  bet: {
    path: '/casino/games/house/dice/bet',
    body: { currencyId: 'USDT', betAmount: '1', threshold: 50, above: true },
    kind: 'bet.stake',
  },
  withdraw: {
    path: '/payments/withdraw',
    body: {
      currencyId: 'USDT',
      networkId: 'tron',
      amount: '10',
      recipientAddress: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8',
    },
    kind: 'withdraw.hold',
  },
  vault: { path: '/accounting/to-vault', body: { currencyId: 'USDT', amount: '1' }, kind: 'vault.to' },
} as const satisfies Record<string, Operation>;

const POINTS: readonly Point[] = [
  { operation: 'bet', name: 'before the lock', text: 'players.lock', when: 'before' },
  { operation: 'bet', name: 'with the lock', text: 'players.lock', when: 'after' },
  { operation: 'bet', name: 'before the books', text: 'ledger.write-lines', when: 'before' },
  { operation: 'bet', name: 'committed, unheard', text: 'ledger.write-lines', when: 'after' },
  { operation: 'withdraw', name: 'with the lock', text: 'savepoint work', when: 'before' },
  { operation: 'withdraw', name: 'before the head of the entry', text: '"ledger_entries"', when: 'before' },
  { operation: 'withdraw', name: 'before the row', text: 'insert into "withdrawals"', when: 'before' },
  {
    operation: 'withdraw',
    name: 'before the answer is kept',
    text: 'insert into idempotency_keys',
    when: 'before',
  },
  { operation: 'withdraw', name: 'before the commit', text: 'commit', when: 'before' },
  { operation: 'withdraw', name: 'committed, unheard', text: 'commit', when: 'after' },
  { operation: 'vault', name: 'before the commit', text: 'commit', when: 'before' },
  { operation: 'vault', name: 'committed, unheard', text: 'commit', when: 'after' },
];

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '3' } } });
const rounds = Number(values.rounds);

const dataDir = mkdtempSync(join(tmpdir(), 'croupier-points-'));
const [port] = (await freePorts(1)) as [number];
const postgres = await startEmbeddedPostgres({ dataDir, port });
let trap: Watch | undefined;
const proxy = await startFaultProxy({
  target: { host: '127.0.0.1', port },
  watch: (...seen) => trap?.(...seen) ?? true,
});
const database = (at: number) => `postgres://croupier@127.0.0.1:${at}/croupier`;
const start = (at: number, name: string, part = 'api') =>
  startPartProcess(part, { env: partEnv(database(at)), logFile: join(dataDir, `${name}.log`) });
const healthy = await start(port, 'healthy');

let isClean = false;
try {
  isClean = await run();
} finally {
  send(healthy.pid, 'SIGTERM');
  await endOf(healthy);
  await proxy.stop();
  await postgres.stop();
  if (isClean) rmSync(dataDir, { recursive: true, force: true });
  else console.log(`logs and data are in ${dataDir}`);
}
process.exit(isClean ? 0 : 1);

async function run(): Promise<boolean> {
  const problems: string[] = [];
  let kills = 0;
  for (const point of POINTS) {
    for (let i = 0; i < rounds; i++) {
      problems.push(...(await kill(point)));
      kills++;
    }
    console.log(`${point.operation} ${point.name}: ${rounds} kills`);
  }
  for (const point of WORKER_POINTS) {
    problems.push(...(await killWorker(point)));
    kills++;
    console.log(`leaderboard ${point.name}: 1 kill`);
  }
  problems.push(...(await withDb(database(port), (db) => brokenBooks(db, SEED_SECRET))));
  for (const problem of problems) console.log(`  BROKEN ${problem}`);
  console.log(
    `points: ${POINTS.length + WORKER_POINTS.length} points, ${kills} kills, ${problems.length} problems`,
  );
  return problems.length === 0;
}

/** One request whose process dies at the point, and its repetitions. */
async function kill(point: Point): Promise<string[]> {
  const { path, body, kind } = OPERATIONS[point.operation];
  const victim = await start(proxy.port, 'victim');
  const [player] = (await createPlayers(victim.url, [1000])) as [LoadPlayer];
  const before = await effects(player, kind);
  const options = { token: player.token, body, headers: { 'idempotency-key': randomUUID() } };
  const died = setTrap(point, victim);
  const first = await call('POST', victim.url + path, { ...options, headers: { ...options.headers } }).then(
    ({ status }) => String(status),
    () => 'lost',
  );
  trap = undefined;
  await Promise.race([died, sleep(5000)]);
  const problems: string[] = [];
  const say = (what: string) => problems.push(`${point.operation} ${point.name}: ${what}`);
  if (first !== 'lost') say(`the process was not killed in time: it answered ${first}`);
  const answers = [];
  for (let i = 0; i < 3; i++)
    answers.push(await call('POST', healthy.url + path, { ...options, headers: { ...options.headers } }));
  const texts = new Set(answers.map(({ status, body }) => `${status} ${JSON.stringify(body)}`));
  if (texts.size !== 1 || answers[0]!.status !== 201) say(`repeated, it answers ${[...texts].join(' and ')}`);
  const landed = (await effects(player, kind)) - before;
  if (landed !== 1) say(`${landed} effects of one key`);
  await killTree(victim.pid).catch(() => undefined);
  return problems;
}

/** A leaderboard whose worker dies at the point; another one comes and does the rest. */
async function killWorker(point: WorkerPoint): Promise<string[]> {
  const [player] = (await createPlayers(healthy.url, [1])) as [LoadPlayer];
  const victim = await start(proxy.port, 'victim', 'worker');
  const died = setTrap(point, victim);
  const id = await withDb(database(port), (db) => endedLeaderboard(db, player.id));
  const wasKilled = await Promise.race([died.then(() => true), sleep(30_000).then(() => false)]);
  trap = undefined;
  const problems = wasKilled ? [] : ['the worker was not killed in time'];
  await killTree(victim.pid).catch(() => undefined);
  const other = await start(port, 'worker', 'worker');
  problems.push(...(await withDb(database(port), (db) => problemsOf(db, id, player.id))));
  send(other.pid, 'SIGTERM');
  await endOf(other);
  return problems.map((problem) => `leaderboard ${point.name}: ${problem}`);
}

/** Resolves when the process has been killed. */
function setTrap({ text, when }: Pick<WorkerPoint, 'text' | 'when'>, victim: PartProcess): Promise<void> {
  return new Promise((resolve) => {
    let caught: object | undefined;
    let isCommitting = false;
    trap = (chunk, direction, connection) => {
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
      trap = () => false;
      void killTree(victim.pid).then(resolve);
      return false;
    };
  });
}

/** Lines of a kind that a player has: one for each time that it happened. */
async function effects({ id }: LoadPlayer, kind: string): Promise<number> {
  const { rows } = await withDb(database(port), (db) =>
    sql<{
      n: number;
    }>`select count(*)::int as n from ledger_lines where user_id = ${id} and kind = ${kind}`.execute(db),
  );
  return rows[0]!.n;
}
