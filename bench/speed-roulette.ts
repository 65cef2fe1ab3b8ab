/**
 * npm run bench speed-roulette: measures the database cost of settling a round of speed-roulette. Players bet through the engine, the
 * outcome is drawn, and the time of each SQL statement of the settlement is measured.
 */
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { reconcile } from '../src/app/commands/reconcile.ts';
import { createServices, type Services } from '../src/app/services.ts';
import { createChains } from '../src/modules/games/house-games/speed-roulette/commit.ts';
import { speedRoulette as game } from '../src/modules/games/house-games/speed-roulette/module.ts';
import { COLORS } from '../src/modules/games/house-games/speed-roulette/rules.ts';
import { loadConfig } from '../src/platform/config/config.ts';
import { createLog } from '../src/platform/observability/log.ts';
import { cell } from './compare.ts';
import { numbersOf } from './options.ts';
import { createPlayers } from './players.ts';
import { timed } from './staff.ts';
import { createWorld, type World } from './world.ts';

const MOST_MS = 1000;
const AT_ONCE = 1000;
const { bets, players, rounds } = numbersOf('speed-roulette', {
  bets: [5000, 'bets of a round'],
  players: [2000, 'who make them'],
  rounds: [5, 'rounds'],
});

/** Opens a seed chain whose public seed is known in advance. This is acceptable only because no real money is involved. */
async function openChain({ db, config, log }: Services): Promise<void> {
  const hash = randomBytes(32).toString('hex');
  const publicChain = {
    futureHeight: async () => 1,
    hashAt: async () => undefined,
    settledHashAt: async () => hash,
  };
  const parts = { db, secret: config.SEED_SECRET, length: 2000, log: log.named('bets') };
  const chains = createChains({ ...parts, publicChain });
  await chains.keep();
  await chains.keep();
}

const endPhase = ({ db }: Services) =>
  sql`update speed_rounds set ends_at = clock_timestamp() where phase in ('BETTING', 'WAITING', 'RESULT')`.execute(
    db,
  );

const placeBet = game.operations.find(({ path }) => path.endsWith('/speed-roulette/bet'))!;

async function place(services: Services, userIds: readonly number[]): Promise<void> {
  for (let first = 0; first < bets; first += AT_ONCE)
    await Promise.all(
      Array.from({ length: Math.min(AT_ONCE, bets - first) }, (_, i) =>
        placeBet.handler(services, {
          caller: {
            userId: userIds[(first + i) % userIds.length]!,
            ip: '127.0.0.1',
            idempotencyKey: undefined,
          },
          body: { currencyId: 'USDT', betAmount: '1', color: COLORS[(first + i) % 3]! },
        }),
      ),
    );
}

/**
 * Plays one round from its opening to the last payout. Returns the duration of the settlement and how much of it was spent in the database.
 */
async function playRound(services: Services, userIds: readonly number[], world: World) {
  const { db, speedRoulette } = services;
  const phase = async () => {
    const { rows } = await sql<{
      phase: string;
    }>`select phase from speed_rounds order by id desc limit 1`.execute(db);
    return rows[0]?.phase;
  };
  const until = async (wanted: string) => {
    while ((await phase()) !== wanted) {
      await endPhase(services);
      await speedRoulette.turn();
    }
  };
  await until('BETTING');
  await place(services, userIds);
  await endPhase(services);
  await speedRoulette.turn();
  await sql`select pg_stat_statements_reset()`.execute(world.db);
  const { rows: begun } = await sql<{ at: Date }>`select clock_timestamp() as at`.execute(db);
  while ((await phase()) !== 'RESULT') {
    await endPhase(services);
    await speedRoulette.turn();
  }
  const { rows } = await sql<{ ms: number; statements: number; wall: number }>`
    select (select sum(total_exec_time + total_plan_time) from pg_stat_statements) as ms,
      (select sum(calls)::int from pg_stat_statements) as statements,
      extract(epoch from settled_at - greatest(drawn_at, ${begun[0]!.at}))::float8 * 1000 as wall
    from speed_rounds order by id desc limit 1`.execute(db);
  return rows[0]!;
}

const world = await createWorld({ timed: true });
const log = createLog({ level: 'error', service: 'bench' });
const services = await createServices({
  config: loadConfig({ ...world.env, BET_DEADLINE_MS: '60000' }),
  log,
  name: 'bench',
  databaseUrl: world.postgres.url,
});
try {
  const accounts = await createPlayers(services.db, world.env, { group: 'speed', count: players });
  const userIds = accounts.map(({ userId }) => userId);
  await openChain(services);
  await services.db
    .updateTable('games')
    .set({
      settings: sql`jsonb_set(settings, '{timeConfig,bettingMs}', '120000')`,
    })
    .where('slug', '=', 'speed-roulette')
    .execute();
  await sql`select pg_notify('games_changed', '')`.execute(services.db);
  console.log(`${bets} bets of ${players} players a round`);
  console.log(
    `${cell('round', 8)}${cell('database ms', 14)}${cell('statements', 12)}${cell('from draw to last payout ms', 30)}`,
  );
  const times: number[] = [];
  for (let i = 0; i < rounds; i++) {
    const { ms, statements, wall } = await playRound(services, userIds, world);
    times.push(ms);
    console.log(`${cell(String(i + 1), 8)}${cell(ms, 14)}${cell(String(statements), 12)}${cell(wall, 30)}`);
  }
  const ms = await timed(async () => {
    const { findings, checked } = await reconcile(services.db, { seedSecret: world.env.SEED_SECRET });
    for (const finding of findings) console.log('BROKEN', finding);
    console.log(`${findings.length} findings in ${checked['house bets']} bets`);
    if (findings.length > 0) process.exitCode = 1;
  });
  const typical = times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)]!;
  console.log(
    `reconciled in ${ms.toFixed(0)} ms; half of the rounds within ${typical.toFixed(0)} ms of database time`,
  );
  if (typical > MOST_MS) process.exitCode = 1;
} finally {
  await services.close();
  await world.close();
}
