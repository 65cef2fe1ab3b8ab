import { createRateLimiter } from './http/rate-limit.ts';
import { createApiKeys } from './modules/accounts/api-keys/service.ts';
import { createEmails } from './modules/accounts/auth/account/email.ts';
import { createAccount } from './modules/accounts/auth/account/service.ts';
import { createCaptcha } from './modules/accounts/auth/captcha.ts';
import { createSignInCompletion } from './modules/accounts/auth/complete-sign-in.ts';
import { createIdentity } from './modules/accounts/auth/identity/service.ts';
import { createKnownDevices } from './modules/accounts/auth/known-devices.ts';
import { createMfa } from './modules/accounts/auth/mfa/service.ts';
import { createPasswords } from './modules/accounts/auth/passwords.ts';
import { createAuth } from './modules/accounts/auth/service.ts';
import { createSessions } from './modules/accounts/auth/sessions.ts';
import { createSignInLimits } from './modules/accounts/auth/sign-in-limits.ts';
import { createAccounting } from './modules/backoffice/accounting/service.ts';
import { createUserAdmin } from './modules/backoffice/user-admin/service.ts';
import { createUserNotes } from './modules/backoffice/user-notes/service.ts';
import { createAccess } from './modules/base/access/service.ts';
import { createAudit } from './modules/base/audit/service.ts';
import { createMail } from './modules/base/mail/service.ts';
import { createNotifications } from './modules/base/notifications/service.ts';
import { createRegistrationInfos } from './modules/base/registration-info/service.ts';
import { betTimesIn } from './modules/base/site-config/rules.ts';
import { createSiteConfig } from './modules/base/site-config/service.ts';
import { createUsers } from './modules/base/users/profile.ts';
import { createWebhooks } from './modules/base/webhooks/service.ts';
import { createCountries } from './modules/compliance/countries/service.ts';
import { createBlocked } from './modules/compliance/countries/state.ts';
import { createGate } from './modules/compliance/gate/service.ts';
import { createKyc } from './modules/compliance/kyc/service.ts';
import { createLimits } from './modules/compliance/limits/service.ts';
import { createLimitWarnings, warnOfDeposits } from './modules/engagement/limit-warnings/service.ts';
import { adminStatsOf, createUserStats, wageredOf } from './modules/engagement/user-stats/service.ts';
import { playSince } from './modules/games/bets/play.ts';
import { createBets, openRounds } from './modules/games/bets/service.ts';
import { createAbandoned } from './modules/games/betting/abandoned.ts';
import { createBetQueue } from './modules/games/betting/bet-queue.ts';
import { createRounds } from './modules/games/betting/round.ts';
import { createSeriesSwitch } from './modules/games/betting/series.ts';
import { createSettlement } from './modules/games/betting/settlement.ts';
import { createSeedEncryption } from './modules/games/fairness/seeds.ts';
import { createFairness } from './modules/games/fairness/service.ts';
import { createHouseGameAdministration } from './modules/games/house-games/administer.ts';
import { createBlackjack } from './modules/games/house-games/blackjack/service.ts';
import { createDice } from './modules/games/house-games/dice/service.ts';
import { GIVE_UPS } from './modules/games/house-games/give-ups.ts';
import { createKeno } from './modules/games/house-games/keno/service.ts';
import { createLimbo } from './modules/games/house-games/limbo/service.ts';
import { createMines } from './modules/games/house-games/mines/service.ts';
import { createMonkeyRun } from './modules/games/house-games/monkey-run/service.ts';
import { createOldSeeds } from './modules/games/house-games/old-seeds.ts';
import { createPlinko } from './modules/games/house-games/plinko/service.ts';
import { createProof } from './modules/games/house-games/proof.ts';
import { createReturnAlerts } from './modules/games/house-games/returns/alerts/service.ts';
import { createReturns } from './modules/games/house-games/returns/service.ts';
import { createRoulette } from './modules/games/house-games/roulette/service.ts';
import { createHouseGames, type GameSlug } from './modules/games/house-games/settings.ts';
import { speedRouletteBetting } from './modules/games/house-games/speed-roulette/betting.ts';
import { createSpeedRoulette } from './modules/games/house-games/speed-roulette/service.ts';
import { createCurrencies } from './modules/money/currencies/service.ts';
import { watchWatermark } from './modules/money/ledger/watermark.ts';
import { createCredits } from './modules/money/payments/credit.ts';
import { createDeposits } from './modules/money/payments/deposits/service.ts';
import { createDepositGate } from './modules/money/payments/may-deposit.ts';
import { createProviders } from './modules/money/payments/providers/registry.ts';
import { createRollover } from './modules/money/payments/rollover.ts';
import { depositedOf } from './modules/money/payments/stats.ts';
import { createKycNeeds } from './modules/money/payments/withdrawals/applicant.ts';
import { createBlocks } from './modules/money/payments/withdrawals/blocks.ts';
import { createWithdrawals } from './modules/money/payments/withdrawals/service.ts';
import { createSkins } from './modules/money/skins/service.ts';
import { createWallet } from './modules/money/wallet/service.ts';
import { createDebug } from './modules/operations/debug/service.ts';
import { createFeed } from './modules/operations/feed/service.ts';
import { createCore } from './modules/operations/health/service.ts';
import { createLogLevels } from './modules/operations/log-levels/service.ts';
import { createPartitions } from './modules/operations/partitions/service.ts';
import { createQueueDebug } from './modules/operations/queue-debug/service.ts';
import { createRelay } from './modules/operations/relay/service.ts';
import { openBroker } from './platform/broker/open.ts';
import type { Config } from './platform/config.ts';
import { startDatabaseClock } from './platform/database-clock.ts';
import { createDb, createPool, type DbOptions } from './platform/db.ts';
import { createFiles } from './platform/files.ts';
import { createHitStore } from './platform/hits.ts';
import type { Logs } from './platform/log.ts';
import { createMetrics } from './platform/metrics.ts';
import { prepareDatabase } from './platform/prepare.ts';
import { startReplica } from './platform/replica.ts';

export type Services = Awaited<ReturnType<typeof createServices>>;

/** The only wiring: every service of one process, made in the order of its ranks. */
export async function createServices({
  config,
  log,
  name,
  databaseUrl,
}: {
  config: Config;
  log: Logs;
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
  const pool = createPool(database, log.named('db'));
  metrics.watch('db_pool_waiting', 'Requests waiting for a connection', () => pool.waitingCount);
  const db = createDb(pool);
  await prepareDatabase(database, config, log.named('db'));
  const partitions = createPartitions({ db, database, log: log.named('db'), config });
  await partitions.ensure();
  const databaseClock = await startDatabaseClock(database, log.named('db'));
  const replica = config.DATABASE_READ_URL
    ? await startReplica({
        options: { ...database, connectionString: config.DATABASE_READ_URL },
        primary: { db, pool },
        maxLagMs: config.READ_MAX_LAG_MS,
        log: log.named('db'),
        metrics,
      })
    : undefined;
  /** For what only reads and may be a little old: reports, searches and long lists of staff. */
  const reads = replica?.db ?? db;
  const broker = await openBroker({
    brokerUrl: config.BROKER_URL,
    db,
    connectionString: databaseUrl,
    name,
    log: log.named('broker'),
  });

  metrics.watch(
    'clock_skew_seconds',
    'Clock of this machine, less that of the database',
    () => (Date.now() - databaseClock.now()) / 1000,
  );
  const files = createFiles({ config, log });
  const mail = createMail({ config, log: log.named('mail') });
  const audit = createAudit({ db, reads });
  const notifications = createNotifications({ db });
  const apiKeys = createApiKeys({ db });
  const logLevels = createLogLevels({ db, log, databaseClock });
  const currencies = createCurrencies({
    db,
    config,
    log: log.named('rates'),
    clock: databaseClock,
    databaseClock,
  });
  const siteConfig = createSiteConfig({ db, databaseClock, log, config, currencies });
  const blocked = createBlocked({ db, databaseClock, log });
  const countries = createCountries({ db, blocked });
  const gate = createGate({
    outlook: (country) => ({
      isGeoBlocked: countries.isBlocked(country),
      isPlayOpen: siteConfig.get('COMMON').isPlayOpen,
      isDepositOpen: siteConfig.get('COMMON').isDepositOpen,
      isWithdrawOpen: siteConfig.get('WITHDRAWALS').isEnabled,
      ...betTimesIn(siteConfig.get('COMMON'), country),
    }),
  });
  const webhooks = createWebhooks({ db, log: log.named('webhooks') });
  const providers = createProviders({ config, log: log.named('payments'), clock: databaseClock });
  const rollover = createRollover({ wageredOf });
  const credits = createCredits({ siteConfig, rollover, warnOfDeposits });
  const depositGate = createDepositGate({ gate, siteConfig });
  const kyc = createKyc({
    db,
    config,
    clock: databaseClock,
    log: log.named('kyc'),
    webhooks,
    countries,
    minimumAge: () => siteConfig.get('COMMON').minimumAge,
    requiredFor: createKycNeeds({ db, siteConfig }),
  });
  const registrationInfos = createRegistrationInfos(db);
  const fairness = createFairness({ db, encryption: createSeedEncryption(config.SEED_SECRET), openRounds });
  const sessions = createSessions({
    db,
    config,
    databaseClock,
    log: log.named('auth'),
    metrics,
    countryOf: countries.countryOf,
  });
  const passwords = createPasswords({
    atOnce: config.PASSWORD_HASHES_AT_ONCE,
    queue: config.PASSWORD_HASH_QUEUE,
    secret: config.DATA_SECRET,
    onHash: () => metrics.passwordHashes.inc(),
  });
  const devices = createKnownDevices(config.DATA_SECRET, databaseClock);
  const signInLimits = createSignInLimits({ db, config, log: log.named('auth'), metrics, devices });
  const signInCompletion = createSignInCompletion({
    db,
    config,
    sessions,
    mail,
    countries,
    devices,
    signInLimits,
  });
  // Opens no connection before somebody types a code.
  const counterPool = createPool({ ...database, poolSize: 2 }, log.named('db'));
  const mfa = createMfa({ db, counters: createDb(counterPool), config, signInCompletion, devices, mail });
  const emails = createEmails({ db, config, mail, devices, sessions });
  const auth = createAuth({
    db,
    sessions,
    signInCompletion,
    passwords,
    countries,
    emails,
    signInLimits,
    brand: config.BRAND_NAME,
    assertRegistrationOpen: siteConfig.assertRegistrationOpen,
    createSeeds: fairness.createSeeds,
  });
  const identity = createIdentity({
    db,
    config,
    clock: databaseClock,
    log: log.named('auth'),
    signInCompletion,
    auth,
    emails,
  });
  const account = createAccount({
    db,
    config,
    mail,
    passwords,
    devices,
    signInLimits,
    emails,
    proveMfa: (tx, userId, sessionId, code) => mfa.prove(tx, { userId, sessionId, code }),
  });
  const access = createAccess({
    db,
    register: (tx, user, isByHouse) => auth.register(tx, user, { type: 'EMAIL', isByHouse }),
    hashPassword: auth.hashPassword,
    sendVerification: emails.sendLink,
  });
  const userNotes = createUserNotes(db);
  const wallet = createWallet({ db, currencies, gate });
  const userLimits = createLimits({ db, playSince, depositedOf });
  const users = createUsers({
    db,
    config,
    files,
    balances: wallet.totals,
    exclusionOf: userLimits.exclusion,
  });
  const onTaken = (consumer: string, bets: number) => metrics.consumerBets.inc({ consumer }, bets);
  const userStats = createUserStats({ db, clock: databaseClock, onTaken });
  const limitWarnings = createLimitWarnings({ db, onTaken });
  const userAdmin = createUserAdmin({
    db,
    reads,
    currencies,
    siteConfig,
    files,
    brand: config.BRAND_NAME,
    statsOf: (userIds) => adminStatsOf(reads, userIds),
    stepUp: mfa.stepUp.within,
    tell: mfa.notifyOwner,
  });
  const bets = createBets({
    db,
    reads,
    brand: config.BRAND_NAME,
    lastPlayed: userStats.games.lastPlayed,
    highRollerUsd: config.LIVE_BETS_HIGH_ROLLER_USD,
    luckyMultiplier: config.LIVE_BETS_LUCKY_MULTIPLIER,
  });
  const relay = createRelay({ db, broker, log: log.named('broker') });
  const accounting = createAccounting({ db, reads, currencies, wallet, bets });
  const games = createHouseGames({ db, databaseClock, log: log.named('bets') });
  const returns = createReturns({ db, reads, clock: databaseClock, onTaken });
  const returnAlerts = createReturnAlerts({
    db,
    config,
    metrics,
    clock: databaseClock,
    log: log.named('bets'),
    mail,
    returns,
  });
  const houseGameAdministration = createHouseGameAdministration({ db, games });
  const settlement = createSettlement({
    database,
    fairness,
    outlook: gate.outlook,
    sharedRound: speedRouletteBetting,
    log: log.named('bets'),
    metrics,
    lanes: config.BET_LANES,
    batch: config.BET_BATCH,
    queue: config.BET_QUEUE,
    queuePerPlayer: config.BET_QUEUE_PER_PLAYER,
    deadlineMs: config.BET_DEADLINE_MS,
  });
  const rounds = createRounds({
    db,
    currencies,
    settlement,
    isOn: (slug) => games.get(slug as GameSlug).enabled,
    minStakeOf: siteConfig.minStakeOf,
    countryOf: countries.countryOf,
    seriesClosedFor: createSeriesSwitch({ db, siteConfig, statedCountryOf: kyc.statedCountryOf }),
  });
  const dice = createDice({ games, rounds });
  const mines = createMines({ games, rounds });
  const monkeyRun = createMonkeyRun({ games, rounds });
  const blackjack = createBlackjack({ games, rounds });
  const limbo = createLimbo({ games, rounds });
  const keno = createKeno({ games, rounds });
  const plinko = createPlinko({ games, rounds });
  const roulette = createRoulette({ games, rounds, currencies });
  const oldSeeds = createOldSeeds({
    db,
    fairness,
    log: log.named('bets'),
    afterBets: config.SEED_PAIR_BETS,
    idleMs: config.SEED_PAIR_IDLE_MINUTES * 60_000,
  });
  const abandoned = createAbandoned({
    db,
    rounds,
    giveUps: GIVE_UPS,
    log: log.named('bets'),
    afterMs: config.ROUND_ABANDONED_HOURS * 3_600_000,
  });
  const speedRoulette = createSpeedRoulette({
    db,
    database,
    config,
    games,
    rounds,
    metrics,
    log: log.named('bets'),
  });
  const feed = createFeed({ db, bets, speedRoulette, config, databaseClock });
  const betQueue = createBetQueue({ db, abandoned, retryShared: speedRoulette.retry });
  const proof = createProof({ db, fairness });
  const skins = createSkins({
    db,
    config,
    metrics,
    clock: databaseClock,
    log: log.named('payments'),
    currencies,
    webhooks,
    credits,
    depositGate,
    countryOf: countries.countryOf,
  });
  const deposits = createDeposits({
    db,
    config,
    metrics,
    log: log.named('payments'),
    currencies,
    siteConfig,
    providers,
    webhooks,
    credits,
    depositGate,
    countryOf: countries.countryOf,
  });
  const withdrawals = createWithdrawals({
    db,
    config,
    clock: databaseClock,
    log: log.named('payments'),
    currencies,
    siteConfig,
    gate,
    webhooks,
    providers,
    rollover,
    proveMfa: mfa.prove,
    stepUp: mfa.stepUp.within,
    countryOf: countries.countryOf,
    statedCountryOf: kyc.statedCountryOf,
  });
  const withdrawalBlocks = createBlocks({ db });
  const debug = createDebug({
    db,
    config,
    auth,
    sessions,
    passwords,
    currencies,
    deposits,
    notifications,
    broker,
  });
  const queueDebug = createQueueDebug({ broker });
  const core = createCore({ db, config, databaseClock });
  const watermark = watchWatermark({ db, config, metrics, log: log.named('db') });
  core.report('watermark', watermark.health, { isForReady: true });
  const limiter = createRateLimiter(
    {
      auth: config.RATE_LIMIT_AUTH,
      money: config.RATE_LIMIT_MONEY,
      read: config.RATE_LIMIT_READ,
      public: config.RATE_LIMIT_PUBLIC,
      upload: config.RATE_LIMIT_UPLOAD,
      apikey: config.RATE_LIMIT_APIKEY,
    },
    createHitStore(db),
  );
  await Promise.all(
    [currencies, core, siteConfig, blocked, logLevels, games].map((service) => service.start()),
  );

  return {
    config,
    log,
    metrics,
    db,
    replica,
    database,
    databaseClock,
    broker,
    files,
    mail,
    audit,
    notifications,
    apiKeys,
    logLevels,
    siteConfig,
    countries,
    registrationInfos,
    access,
    userNotes,
    userAdmin,
    currencies,
    fairness,
    sessions,
    auth,
    identity,
    account,
    mfa,
    wallet,
    accounting,
    partitions,
    userLimits,
    users,
    gate,
    webhooks,
    kyc,
    providers,
    deposits,
    rollover,
    credits,
    withdrawals,
    withdrawalBlocks,
    games,
    houseGameAdministration,
    returns,
    returnAlerts,
    bets,
    relay,
    userStats,
    limitWarnings,
    dice,
    mines,
    monkeyRun,
    blackjack,
    limbo,
    keno,
    plinko,
    roulette,
    speedRoulette,
    skins,
    abandoned,
    oldSeeds,
    feed,
    betQueue,
    proof,
    debug,
    queueDebug,
    core,
    limiter,
    captcha: createCaptcha(config),
    /** Lets bets in flight signInCompletion, then lets go of the database. */
    async close() {
      limiter.close();
      await sessions.flush();
      await broker.close();
      await currencies.close();
      await settlement.close();
      await speedRoulette.close();
      await Promise.all([logLevels.close(), siteConfig.close(), blocked.close(), games.close()]);
      await databaseClock.close();
      await mail.close();
      await replica?.close();
      await counterPool.end();
      await pool.end();
    },
  };
}
