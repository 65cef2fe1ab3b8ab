import type { Area, Foundation } from '../../foundation.ts';
import type { Accounts } from '../accounts/area.ts';
import type { Base } from '../base/area.ts';
import type { Compliance } from '../compliance/area.ts';
import type { Money } from '../money/area.ts';
import { FREE_ROUNDS } from '../money/bonus/grants/free-rounds.ts';
import { marksJob } from '../money/ledger/marked-list.ts';
import { watchConsumers } from './bets/consumers.ts';
import type { Scenery } from './bets/live.ts';
import { betRoutes } from './bets/routes.ts';
import { createBets, openRounds } from './bets/service.ts';
import { betBackofficeRoutes, betStaffRoutes } from './bets/staff.routes.ts';
import { createAbandoned } from './betting/abandoned.ts';
import { createBetQueue } from './betting/bet-queue.ts';
import { createBetting } from './betting/play.ts';
import { createRounds } from './betting/rounds.ts';
import { createSeries } from './betting/series.ts';
import { createSettlement } from './betting/settlement.ts';
import { betQueueStaffRoutes } from './betting/staff.routes.ts';
import type { BetGrants } from './betting/transaction.ts';
import { createAdministration } from './casino/administer.ts';
import { createBettable } from './casino/bettable.ts';
import { readPercent } from './casino/commission/rules.ts';
import { createCommission } from './casino/commission/service.ts';
import { commissionStaffRoutes } from './casino/commission/staff.routes.ts';
import { acceptList, createHydration } from './casino/hydrate/service.ts';
import { casinoJobs } from './casino/jobs.ts';
import { createLabels } from './casino/labels.ts';
import { createPictures } from './casino/pictures.ts';
import type { PlayStats } from './casino/played.ts';
import { casinoRoutes } from './casino/routes.ts';
import { type Catalogue, createCatalogue } from './casino/service.ts';
import { casinoStaffRoutes } from './casino/staff.routes.ts';
import { createStaffLists, type PromosForSomeGames } from './casino/staff-lists.ts';
import { fairnessRoutes } from './fairness/routes.ts';
import { createSeedEncryption } from './fairness/seeds.ts';
import { createFairness, type Fairness } from './fairness/service.ts';
import { createHouseGameAdministration } from './house-games/administer.ts';
import { blackjackDebugRoutes, blackjackRoutes } from './house-games/blackjack/routes.ts';
import { createBlackjack } from './house-games/blackjack/service.ts';
import { GIVE_UPS } from './house-games/give-ups.ts';
import { houseGameJobs } from './house-games/jobs.ts';
import { minesRoutes } from './house-games/mines/routes.ts';
import { createMines } from './house-games/mines/service.ts';
import { monkeyRunRoutes } from './house-games/monkey-run/routes.ts';
import { createMonkeyRun } from './house-games/monkey-run/service.ts';
import { createOldSeeds } from './house-games/old-seeds.ts';
import { createProof } from './house-games/proof.ts';
import { createReturnAlerts } from './house-games/returns/alerts/service.ts';
import { createReturns } from './house-games/returns/service.ts';
import { proofRoutes, singleStepRoutes } from './house-games/routes.ts';
import type { GameSlug } from './house-games/schemas.ts';
import { createSingleStepGames } from './house-games/service.ts';
import { createHouseGames, type HouseGames } from './house-games/settings.ts';
import { speedRouletteJobs } from './house-games/speed-roulette/jobs.ts';
import { speedRouletteRoutes } from './house-games/speed-roulette/routes.ts';
import { createSpeedRoulette } from './house-games/speed-roulette/service.ts';
import { houseGameStaffRoutes } from './house-games/staff.routes.ts';
import { createGameProviders, type GameProviders } from './provider-wallets/dialects/registry.ts';
import { createFreeRounds } from './provider-wallets/free-rounds/service.ts';
import { launchRoutes } from './provider-wallets/launch/routes.ts';
import { createLaunch } from './provider-wallets/launch/service.ts';
import { providerReportJobs } from './provider-wallets/reports/jobs.ts';
import { createProviderReports, watchFindings } from './provider-wallets/reports/service.ts';
import { providerFindingStaffRoutes } from './provider-wallets/reports/staff.routes.ts';
import { providerWalletRoutes } from './provider-wallets/routes.ts';
import { createProviderWallets } from './provider-wallets/service.ts';
import { sportsbookJobs } from './sportsbook/jobs.ts';
import { sportsbookDebugRoutes, sportsbookRoutes } from './sportsbook/routes.ts';
import { createSportsbook } from './sportsbook/service.ts';

/** Of which no grant knows anything. */
const UNKNOWN_GAME = { slug: '', providerId: -1, categories: [] };

type Before = Foundation & Base & Compliance & Accounts & Money;

/** What statistics know of bets and players, and promotions of games; the scenery of live bets. */
type Handed = PlayStats & { promosForSomeGames: PromosForSomeGames; scenery: Scenery };

export type Games = ReturnType<typeof createGames>;

/** Bets, what makes them fair, and the games of the house. */
export function createGames(before: Before, { promosForSomeGames, scenery, ...stats }: Handed) {
  const { db, reads, config, databaseClock } = before;
  const fairness = createFairness({ db, encryption: createSeedEncryption(config.SEED_SECRET), openRounds });
  const catalogue = createCatalogue({
    db,
    databaseClock,
    log: before.log.named('bets'),
    brand: config.BRAND_NAME,
    stats,
    countryOf: before.countries.countryOf,
  });
  const bets = createBets({
    db,
    grants: before.grants,
    reads,
    beside: catalogue.beside,
    lastPlayed: stats.lastPlayed,
    scenery,
    highRollerUsd: config.LIVE_BETS_HIGH_ROLLER_USD,
    luckyMultiplier: config.LIVE_BETS_LUCKY_MULTIPLIER,
  });
  const games = createHouseGames({ db, databaseClock, log: before.log.named('bets') });
  const grants: BetGrants = {
    factsOf: (gameId) => catalogue.state.now().byId.get(gameId) ?? UNKNOWN_GAME,
    settle: before.grants.settleAll,
    noteProgress: before.grants.noteProgress,
  };
  const table = { ...createTable(before, { fairness, games, grants }), games, betGrants: grants };
  const gameProviders = createGameProviders({ config, log: before.log.named('bets'), clock: databaseClock });
  const casino = createCasino(before, { catalogue, gameProviders, promosForSomeGames });
  return {
    ...casino,
    ...createProviderGames(before, { ...table, ...casino, catalogue, gameProviders }),
    gameProviders,
    gameLabels: createLabels({ known: catalogue.state.now, fees: feesIn(config) }),
    fairness,
    catalogue,
    bets,
    houseGameAdministration: createHouseGameAdministration({ db, games }),
    proof: createProof({ db, fairness }),
    ...createSingleStepGames({ ...table, currencies: before.currencies }),
    mines: createMines(table),
    monkeyRun: createMonkeyRun(table),
    blackjack: createBlackjack(table),
    ...createUpkeep(before, { ...table, fairness }),
    ...table,
  };
}

/** What suppliers get of what their games bring, in millionths. */
const feesIn = (config: Foundation['config']): ReadonlyMap<string, bigint> =>
  new Map(
    [
      ...config.GAME_PROVIDERS.map(({ slug, feePercent }) => [slug, feePercent] as const),
      [config.SPORTSBOOK_SEGMENT, config.SPORTSBOOK_FEE_PERCENT] as const,
    ].map(([slug, percent]) => [slug, BigInt(readPercent(percent)!)]),
  );

type CasinoParts = {
  catalogue: Catalogue;
  gameProviders: GameProviders;
  promosForSomeGames: PromosForSomeGames;
};

/** What changes the catalogue: staff, and the lists of suppliers. */
function createCasino(
  { db, log, config, files, databaseClock: clock }: Before,
  { catalogue, gameProviders, promosForSomeGames }: CasinoParts,
) {
  const { now: known, reload } = catalogue.state;
  const played = catalogue.played.now;
  const lists = createStaffLists({ known, played, brand: config.BRAND_NAME, clock, promosForSomeGames });
  return {
    staffLists: lists,
    administration: createAdministration({ db, reload, lists }),
    pictures: createPictures({ db, files, maxPixels: config.UPLOAD_LIMIT_PIXELS, reload, lists }),
    commission: createCommission({ db, known, reload }),
    hydration: createHydration({ db, suppliers: () => gameProviders.all, reload, log: log.named('bets') }),
  };
}

/** Where bets are taken: rounds, and the settlement that all games share. */
function createTable(
  before: Before,
  { fairness, games, grants }: { fairness: Fairness; games: HouseGames; grants: BetGrants },
) {
  const { db, database, config, metrics, gate, kyc, siteConfig, currencies, countries } = before;
  const settlement = createSettlement({
    database,
    fairness,
    outlook: gate.outlook,
    grants,
    log: before.log.named('bets'),
    metrics,
    lanes: config.BET_LANES,
    batch: config.BET_BATCH,
    queue: config.BET_QUEUE,
    queuePerPlayer: config.BET_QUEUE_PER_PLAYER,
    deadlineMs: config.BET_DEADLINE_MS,
  });
  const { countryOf } = countries;
  const betting = createBetting({
    currencies,
    settlement,
    isOn: (slug) => games.get(slug as GameSlug).enabled,
    minStakeOf: siteConfig.minStakeOf,
    countryOf,
  });
  const series = createSeries({ db, siteConfig, statedCountryOf: kyc.statedCountryOf, countryOf });
  return { settlement, betting, rounds: createRounds({ db, betting }), series };
}

/** Games of providers: the wallet that they call, launches, and their books beside ours. */
function createProviderGames(
  before: Before,
  { settlement, betGrants, catalogue, commission, gameProviders }: Provided,
) {
  const { db, config, metrics, currencies, gate, countries, databaseClock } = before;
  const log = before.log.named('bets');
  const bettable = createBettable(catalogue.state.now, commission.edgePpmOf);
  const freeRounds = createFreeRounds({ db, grants: before.grants, providers: () => gameProviders.all });
  const table = { db, settlement, betGrants, currencies, games: bettable, freeRounds, log };
  return {
    freeRounds,
    providerWallets: createProviderWallets({ ...table, config, getProvider: gameProviders.get, metrics }),
    providerReports: createProviderReports({ ...table, acceptList, providers: () => gameProviders.all }),
    sportsbook: createSportsbook({ ...before, settlement, games: bettable }),
    launchGame: createLaunch({
      db,
      config,
      gate,
      clock: databaseClock,
      countryOf: countries.countryOf,
      findProvider: gameProviders.find,
      log,
    }),
  };
}

type Provided = Pick<ReturnType<typeof createTable>, 'settlement'> & { betGrants: BetGrants } & Pick<
    ReturnType<typeof createCasino>,
    'commission'
  > & {
    catalogue: Catalogue;
    gameProviders: GameProviders;
  };

type Table = ReturnType<typeof createTable> & { games: HouseGames; fairness: Fairness; betGrants: BetGrants };

/** What goes on without a player: the round that all share, rounds left alone, old seeds, what the games return. */
function createUpkeep(before: Before, { games, betting, rounds, fairness, betGrants: grants }: Table) {
  const { db, reads, database, config, metrics, databaseClock, mail } = before;
  const log = before.log.named('bets');
  const speedRoulette = createSpeedRoulette({ db, database, config, games, betting, grants, metrics, log });
  const abandoned = createAbandoned({
    db,
    rounds,
    giveUps: GIVE_UPS,
    log,
    afterMs: config.ROUND_ABANDONED_HOURS * 3_600_000,
  });
  const returns = createReturns({
    db,
    reads,
    clock: databaseClock,
    onConsumed: (consumer, bets) => metrics.consumerBets.inc({ consumer }, bets),
  });
  return {
    speedRoulette,
    abandoned,
    betQueue: createBetQueue({ db, abandoned, retryShared: speedRoulette.retry }),
    oldSeeds: createOldSeeds({
      db,
      fairness,
      log,
      afterBets: config.SEED_PAIR_BETS,
      idleMs: config.SEED_PAIR_IDLE_MINUTES * 60_000,
    }),
    returns,
    returnAlerts: createReturnAlerts({ db, config, metrics, clock: databaseClock, log, mail, returns }),
  };
}

const debugRoutes = ({
  blackjack,
  sportsbook,
  config,
}: Pick<Before & Games, 'blackjack' | 'sportsbook' | 'config'>) => [
  ...blackjackDebugRoutes(blackjack),
  ...sportsbookDebugRoutes(sportsbook, config.SPORTSBOOK_SEGMENT),
];

export const games: Area<Before & Games> = {
  routes: (s) => [
    ...betRoutes(s.bets),
    ...betStaffRoutes(s.bets),
    ...casinoRoutes(s.catalogue),
    ...casinoStaffRoutes(s),
    ...commissionStaffRoutes(s.commission),
    ...launchRoutes(s.launchGame),
    ...providerWalletRoutes(s.providerWallets),
    ...providerFindingStaffRoutes(s.providerReports),
    ...singleStepRoutes(s),
    ...minesRoutes(s.mines),
    ...monkeyRunRoutes(s.monkeyRun),
    ...blackjackRoutes(s.blackjack),
    ...speedRouletteRoutes(s.speedRoulette),
    ...fairnessRoutes(s.fairness),
    ...proofRoutes(s.proof),
    ...betQueueStaffRoutes(s.betQueue),
    ...houseGameStaffRoutes(s.houseGameAdministration, s.returns),
    ...sportsbookRoutes(s.sportsbook),
    ...(s.config.isDevelopment ? debugRoutes(s) : []),
  ],
  backofficeRoutes: (s) => betBackofficeRoutes(s.bets),
  jobs: (s) => [
    ...houseGameJobs(s),
    ...casinoJobs(s.hydration),
    ...sportsbookJobs(s.sportsbook),
    ...providerReportJobs(s),
    marksJob('bets.marks', s.bets, s.idsTaken),
    ...speedRouletteJobs(s.speedRoulette),
  ],
  tasks: (s) => ({ [FREE_ROUNDS]: s.freeRounds.run }),
  consumers: (s) => [s.returns],
  watch(s) {
    watchConsumers(s.db, s.metrics);
    watchFindings(s.db, s.metrics);
  },
  async start(s) {
    await s.gameProviders.sync(s.db);
    await Promise.all([s.games.start(), s.catalogue.start(), s.sportsbook.game.start()]);
  },
  /** Bets in flight are finished first. */
  async close(s) {
    await s.settlement.close();
    await s.speedRoulette.close();
    await s.games.close();
    await s.catalogue.close();
  },
};
