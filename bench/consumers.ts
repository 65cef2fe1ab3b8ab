/**
 * npm run bench consumers: measures how much bet consumers slow down bets, and how soon they catch up after a burst of bets. Also measures
 * how fast they process all bets, starting with the first one. Consumers that can be rebuilt do this twice. Places dice series through the
 * engine, alternately without consumers and with all of them in a separate process. `--rounds=0` skips the first two measurements,
 * `--rows=0` the last one. Exits 1 if a limit is exceeded or a rebuilt table is wrong.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { createServices, type Services } from '../src/app/services.ts';
import { betConsumers } from '../src/app/worker.ts';
import { engagement } from '../src/modules/engagement/area.ts';
import { consumerJob } from '../src/modules/games/bets/consume.ts';
import { listConsumers } from '../src/modules/games/bets/consumers.ts';
import { playSeries } from '../src/modules/games/betting/series.ts';
import { houseGames } from '../src/modules/games/house-games/module.ts';
import { createIdsTaken } from '../src/modules/money/ledger/safe-watermark.ts';
import { loadConfig } from '../src/platform/config/config.ts';
import type { Db } from '../src/platform/database/db.ts';
import { startJobs } from '../src/platform/jobs/jobs.ts';
import { createLog, silentLog } from '../src/platform/observability/log.ts';
import { numbersOf } from './options.ts';
import { createPlayers } from './players.ts';
import { BET } from './protocol.ts';
import { rebuildAll } from './rebuild.ts';
import { quantile, timed } from './staff.ts';
import { createWorld, type World } from './world.ts';

const LEAST_RATIO = 0.9;
const MOST_LAG_MS = 10_000;
const PLAYERS = 32;
const SERIES = 50;
/** The timeouts are long, so that no bet fails because the machine is busy. */
const PATIENT = { BET_DEADLINE_MS: '60000' };

const { seconds, rounds, rows } = numbersOf('consumers', {
  seconds: [60, 'length of a burst of bets'],
  rounds: [3, 'bursts without and with consumers; 0: none'],
  rows: [1_000_000, 'bets to rebuild from; 0: nothing is rebuilt'],
});

const start = (env: NodeJS.ProcessEnv, databaseUrl: string): Promise<Services> =>
  createServices({
    config: loadConfig(env),
    log: createLog({ level: 'error', service: 'bench' }),
    name: 'bench',
    databaseUrl,
  });

/** Runs all consumers in a second process, as the worker does, until the parent process ends it. */
async function follow(): Promise<void> {
  const databaseUrl = process.env.DATABASE_URL!;
  const services = await start(process.env, databaseUrl);
  const ids = createIdsTaken(services.db);
  const jobs = startJobs(
    [
      ...betConsumers(services).map((consumer) => consumerJob(consumer, ids)),
      ...houseGames.jobs!(services),
      ...engagement.jobs!(services),
    ],
    { db: services.db, connectionString: databaseUrl, log: silentLog },
  );
  process.send!('following');
  await once(process, 'message');
  await jobs.close();
  await services.close();
  process.exit(0);
}

async function startFollower(env: NodeJS.ProcessEnv): Promise<ChildProcess> {
  const child = fork(fileURLToPath(import.meta.url), {
    env: { ...process.env, ...env, BENCH_FOLLOWS: 'yes' },
  });
  await once(child, 'message');
  return child;
}

async function endFollower(child: ChildProcess): Promise<void> {
  child.send('end');
  await once(child, 'exit');
}

const betOnDice = houseGames.operations.find(({ path }) => path === '/casino/games/house/dice/bet')!;

/** Returns the number of bets per second that the engine settles under constant load. */
async function burst(services: Services, userIds: readonly number[]): Promise<number> {
  const beganMs = performance.now();
  const endMs = beganMs + seconds * 1000;
  let made = 0;
  const bet = async (userId: number) => {
    const by = { userId, ip: '127.0.0.1', idempotencyKey: undefined };
    while (performance.now() < endMs) {
      const series = await playSeries(by, SERIES, async (caller) =>
        betOnDice.handler(services, { caller, body: BET }),
      );
      if (series.refused) throw new Error(series.refused.message);
      made += series.bets.length;
    }
  };
  await Promise.all(userIds.map(bet));
  return made / ((performance.now() - beganMs) / 1000);
}

const isBehind = async (db: Db) => (await listConsumers(db)).some(({ lagBets }) => lagBets > 0);

/** Waits until no consumer lags behind. Returns the elapsed time in ms. */
const caughtUp = (db: Db): Promise<number> =>
  timed(async () => {
    while (await isBehind(db)) await sleep(50);
  });

async function compare(world: World): Promise<boolean> {
  const env = { ...world.env, ...PATIENT, DATA_SECRET: randomBytes(32).toString('hex') };
  const accounts = await createPlayers(world.db, world.env, { group: 'follow', count: PLAYERS });
  const userIds = accounts.map(({ userId }) => userId);
  const services = await start(env, world.postgres.url);
  await sql`update games set settings = settings || '{"minBet": "0.0001"}' where slug = 'dice'`.execute(
    world.db,
  );
  await burst(services, userIds);
  const [alone, followed, lags]: number[][] = [[], [], []];
  for (let round = 0; round < rounds; round++) {
    alone!.push(await burst(services, userIds));
    const child = await startFollower(env);
    console.log(`  the remaining bets are consumed after ${(await caughtUp(world.db)).toFixed(0)} ms`);
    followed!.push(await burst(services, userIds));
    lags!.push(await caughtUp(world.db));
    await endFollower(child);
    console.log(
      `round ${round + 1}: alone ${alone!.at(-1)!.toFixed(0)} bets/s, followed ${followed!.at(-1)!.toFixed(0)} bets/s, ` +
        `lag 0 after ${lags!.at(-1)!.toFixed(0)} ms`,
    );
  }
  await services.close();
  const ratio = quantile(followed!, 0.5) / quantile(alone!, 0.5);
  const lag = Math.max(...lags!);
  const isGood = ratio >= LEAST_RATIO && lag <= MOST_LAG_MS;
  const bounds = `(at least ${LEAST_RATIO}), lag 0 after ${lag.toFixed(0)} ms at most (${MOST_LAG_MS})`;
  console.log(`${isGood ? 'PASS' : 'FAIL'}: followed ÷ alone ${ratio.toFixed(3)} ${bounds}`);
  return isGood;
}

if (process.env.BENCH_FOLLOWS) await follow();
const world = await createWorld({ timed: false });
try {
  const secrets = { ...world.env, DATA_SECRET: randomBytes(32).toString('hex') };
  const isGood = rounds === 0 || (await compare(world));
  const isRight =
    rows === 0 || (await rebuildAll(world, { rows, start: (databaseUrl) => start(secrets, databaseUrl) }));
  process.exitCode = isGood && isRight ? 0 : 1;
} finally {
  await world.close();
}
