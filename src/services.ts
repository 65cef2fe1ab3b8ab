import { createRateLimiter } from './http/rate-limit.ts';
import { createCaptcha } from './modules/auth/captcha.ts';
import { createPasswords } from './modules/auth/passwords.ts';
import { createAuth } from './modules/auth/service.ts';
import { createSessions } from './modules/auth/sessions.ts';
import { createBets, openRounds } from './modules/bets/service.ts';
import { createCore } from './modules/core/service.ts';
import { createCurrencies } from './modules/currencies/service.ts';
import { createDebug } from './modules/debug/service.ts';
import { createSeedVault } from './modules/fairness/seeds.ts';
import { createFairness } from './modules/fairness/service.ts';
import { createDice } from './modules/house-games/dice/service.ts';
import { createProof } from './modules/house-games/proof.ts';
import { createRounds } from './modules/house-games/round.ts';
import { createHouseGames } from './modules/house-games/settings.ts';
import { createSettlement } from './modules/house-games/settlement.ts';
import { createUsers } from './modules/users/service.ts';
import { createWallet } from './modules/wallet/service.ts';
import { systemClock } from './platform/clock.ts';
import type { Config } from './platform/config.ts';
import { createDb, createPool, type DbOptions } from './platform/db.ts';
import { assertDurable } from './platform/durability.ts';
import { createHitStore } from './platform/hits.ts';
import type { Log } from './platform/log.ts';
import { createMetrics } from './platform/metrics.ts';
import { migrate } from './platform/migrate.ts';
import { startPulse } from './platform/pulse.ts';

export type Services = Awaited<ReturnType<typeof createServices>>;

/** The only wiring: every service of one process, made in the order of its ranks. */
export async function createServices({
  config,
  log,
  name,
  databaseUrl,
}: {
  config: Config;
  log: Log;
  name: string;
  databaseUrl: string;
}) {
  const database: DbOptions = {
    connectionString: databaseUrl,
    poolSize: config.DATABASE_POOL_SIZE,
    connectTimeoutMs: config.DATABASE_CONNECT_TIMEOUT_MS,
    statementTimeoutMs: config.DATABASE_STATEMENT_TIMEOUT_MS,
    name: `croupier ${name}`,
  };
  const metrics = createMetrics(name);
  const pool = createPool(database, log);
  metrics.watch('db_pool_waiting', 'Requests waiting for a connection', () => pool.waitingCount);
  const db = createDb(pool);
  await prepare(database, config, log);
  const pulse = await startPulse(database, log);

  const currencies = createCurrencies({ db, config, log, clock: systemClock });
  const fairness = createFairness({ db, vault: createSeedVault(config.SEED_SECRET), openRounds });
  const sessions = createSessions({ db, config, pulse });
  const passwords = createPasswords({
    atOnce: config.PASSWORD_HASHES_AT_ONCE,
    queue: config.PASSWORD_HASH_QUEUE,
  });
  const auth = createAuth({ db, sessions, passwords, createSeeds: fairness.createSeeds });
  const wallet = createWallet({ db, currencies });
  const users = createUsers(db, wallet.totals);
  const bets = createBets(db);
  const games = await createHouseGames(db, log);
  const settlement = createSettlement({
    database,
    fairness,
    log,
    metrics,
    lanes: config.BET_LANES,
    batch: config.BET_BATCH,
    queue: config.BET_QUEUE,
    deadlineMs: config.BET_DEADLINE_MS,
  });
  const rounds = createRounds({ currencies, settlement });
  const dice = createDice({ games, rounds });
  const proof = createProof({ db, fairness });
  const debug = createDebug({ db, config, auth, sessions, passwords, currencies });
  const core = createCore({ db, config, pulse });
  const limiter = createRateLimiter(
    {
      auth: config.RATE_LIMIT_AUTH,
      money: config.RATE_LIMIT_MONEY,
      read: config.RATE_LIMIT_READ,
      public: config.RATE_LIMIT_PUBLIC,
    },
    createHitStore(db),
  );
  await Promise.all([currencies.start(), core.start()]);

  return {
    config,
    log,
    metrics,
    db,
    currencies,
    fairness,
    sessions,
    auth,
    wallet,
    users,
    bets,
    dice,
    proof,
    debug,
    core,
    limiter,
    captcha: createCaptcha(config),
    /** Lets bets in flight finish, then lets go of the database. */
    async close() {
      limiter.close();
      games.close();
      await currencies.close();
      await settlement.close();
      await pulse.close();
      await pool.end();
    },
  };
}

/** Schema up to date and settings safe, before anything is served. Migrations may take longer than any request. */
async function prepare(database: DbOptions, config: Config, log: Log): Promise<void> {
  const pool = createPool({ ...database, poolSize: 1, statementTimeoutMs: 600_000 }, log);
  const db = createDb(pool);
  try {
    await assertDurable(db, config.ALLOW_UNSAFE_DATABASE);
    await migrate(db, log);
  } finally {
    await pool.end();
  }
}
