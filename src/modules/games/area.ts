import type { Foundation } from '../../app/foundation.ts';
import { areaOf, defineModule } from '../../http/module.ts';
import { bind } from '../../http/operation.ts';
import { limitRepeats } from '../../platform/observability/log-repeats.ts';
import { seedSecret } from '../../platform/secrets/encryption.ts';
import type { Accounts } from '../accounts/area.ts';
import type { Base } from '../base/area.ts';
import type { Compliance } from '../compliance/area.ts';
import type { Money } from '../money/area.ts';
import type { Scenery } from './bets/live.ts';
import { bets } from './bets/module.ts';
import { createBets } from './bets/service.ts';
import { createAbandoned } from './betting/abandoned.ts';
import type { BetGrants } from './betting/lane.ts';
import { betting } from './betting/module.ts';
import { createBetting } from './betting/play.ts';
import { createRounds } from './betting/rounds.ts';
import { createSeries } from './betting/series.ts';
import { createSettlement } from './betting/settlement.ts';
import { acceptList, createHydration } from './casino/import.ts';
import { createLabels } from './casino/labels.ts';
import { casino } from './casino/module.ts';
import { readPercent } from './casino/rules.ts';
import {
  type Catalogue,
  type Commission,
  createBettable,
  createCatalogue,
  createCommission,
  type PromosForSomeGames,
} from './casino/service.ts';
import type { PlayStats } from './casino/state.ts';
import { fairness } from './fairness/module.ts';
import { createFairness, createSeedEncryption, type Fairness } from './fairness/service.ts';
import { debugOperations, GIVE_UPS, houseGames } from './house-games/module.ts';
import { createReturnAlerts } from './house-games/returns/alerts/service.ts';
import { createReturns } from './house-games/returns/service.ts';
import type { GameSlug } from './house-games/schemas.ts';
import { createHouseGames, type HouseGames } from './house-games/settings.ts';
import { speedRoulette } from './house-games/speed-roulette/module.ts';
import { createSpeedRoulette } from './house-games/speed-roulette/service.ts';
import { createGameProviders, type GameProviders } from './seamless-wallet/providers/dialects/registry.ts';
import { createFreeRounds } from './seamless-wallet/providers/free-rounds.ts';
import { providerGames } from './seamless-wallet/providers/module.ts';
import { createProviderWallets } from './seamless-wallet/providers/wallet.ts';
import { sportsbook, sportsbookDebug } from './seamless-wallet/sportsbook/module.ts';
import { createSportsbook } from './seamless-wallet/sportsbook/service.ts';

/** A game that no grant covers. */
const UNKNOWN_GAME = { slug: '', providerId: -1, categories: [] };

type Before = Foundation & Base & Compliance & Accounts & Money;

/** Functions provided by later areas: statistics of games, promotions limited to games, and scenery of live bets. */
type Handed = PlayStats & { promosForSomeGames: PromosForSomeGames; scenery: Scenery };

export type Games = ReturnType<typeof createGames>;

/** The services of this area: bets and their fairness, the catalogue, house games, provider games and the sportsbook. */
export function createGames(before: Before, { promosForSomeGames, scenery, ...stats }: Handed) {
  const { db, reads, config, databaseClock } = before;
  const fairness = createFairness({ db, encryption: createSeedEncryption(seedSecret(config)) });
  const catalogue = createCatalogue({
    db,
    databaseClock,
    log: before.log.named('bets'),
    brand: config.BRAND_NAME,
    stats,
    playerCountries: before.playerCountries,
  });
  const bets = createBets({
    db,
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
    lowRisk: () => before.siteConfig.get('COMMON').promo.lowRisk,
    settle: before.grants.settleAll,
    noteProgress: before.grants.noteProgress,
  };
  const table = { ...createTable(before, { fairness, games, grants }), games, betGrants: grants };
  const gameProviders = createGameProviders({ config, log: before.log.named('bets'), clock: databaseClock });
  const commission = createCommission(catalogue.state.now);
  return {
    ...createSeamlessWallets(before, { ...table, commission, catalogue, gameProviders }),
    promosForSomeGames,
    commission,
    hydration: createHydration({
      db,
      suppliers: () => gameProviders.all,
      reload: catalogue.state.reload,
      log: before.log.named('bets'),
    }),
    gameProviders,
    gameLabels: createLabels({ known: catalogue.state.now, fees: feesIn(config) }),
    fairness,
    catalogue,
    bets,
    ...createBackground(before, table),
    ...table,
  };
}

/** The revenue share of each game provider in millionths, by slug. */
const feesIn = (config: Foundation['config']): ReadonlyMap<string, bigint> =>
  new Map(
    [
      ...config.GAME_PROVIDERS.map(({ slug, feePercent }) => [slug, feePercent] as const),
      [config.SPORTSBOOK_SEGMENT, config.SPORTSBOOK_FEE_PERCENT] as const,
    ].map(([slug, percent]) => [slug, BigInt(readPercent(percent)!)]),
  );

/** Settlement, betting and rounds, which all house games share. */
function createTable(
  before: Before,
  { fairness, games, grants }: { fairness: Fairness; games: HouseGames; grants: BetGrants },
) {
  const { db, database, config, metrics, gate, siteConfig, currencies, playerCountries } = before;
  const settlement = createSettlement({
    database,
    fairness,
    outlook: gate.outlook,
    grants,
    log: limitRepeats(before.log.named('bets')),
    metrics,
    lanes: config.BET_LANES,
    batch: config.BET_BATCH,
    queue: config.BET_QUEUE,
    queuePerPlayer: config.BET_QUEUE_PER_PLAYER,
    deadlineMs: config.BET_DEADLINE_MS,
  });
  const betting = createBetting({
    currencies,
    settlement,
    isOn: (slug) => games.get(slug as GameSlug).enabled,
    minStakeOf: siteConfig.minStakeOf,
    countriesOf: playerCountries.ofBet,
  });
  const series = createSeries({ siteConfig, playerCountries });
  return { settlement, betting, rounds: createRounds({ db, betting }), series };
}

/** The wallet that game providers and the sportsbook call. */
function createSeamlessWallets(
  before: Before,
  { settlement, betGrants, catalogue, commission, gameProviders }: Provided,
) {
  const { db, config, metrics, currencies, partnerReports } = before;
  const providerLog = limitRepeats(before.log.named('bets'));
  const bettable = createBettable(catalogue.state.now, commission.edgePpmOf);
  const freeRounds = createFreeRounds({ db, grants: before.grants, providers: () => gameProviders.all });
  return {
    bettable,
    providerLog,
    freeRounds,
    acceptList,
    providerWallets: createProviderWallets({
      db,
      config,
      metrics,
      currencies,
      partnerReports,
      settlement,
      betGrants,
      bettable,
      freeRounds,
      getProvider: gameProviders.get,
      log: providerLog,
    }),
    sportsbook: createSportsbook({ db, config, bettable }),
  };
}

type Provided = Pick<ReturnType<typeof createTable>, 'settlement'> & {
  betGrants: BetGrants;
  commission: Commission;
  catalogue: Catalogue;
  gameProviders: GameProviders;
};

type Table = ReturnType<typeof createTable> & { games: HouseGames; betGrants: BetGrants };

/** Background work: shared rounds, abandoned rounds, and the monitoring of returns. */
function createBackground(before: Before, { games, rounds, betGrants: grants }: Table) {
  const { db, database, config, metrics, databaseClock, mail } = before;
  const log = before.log.named('bets');
  const speedRoulette = createSpeedRoulette({ db, database, config, games, grants, metrics, log });
  const abandoned = createAbandoned({
    db,
    rounds,
    giveUps: GIVE_UPS,
    log,
    afterMs: config.ROUND_ABANDONED_HOURS * 3_600_000,
  });
  const returns = createReturns({
    db,
    onConsumed: (consumer, bets) => metrics.consumerBets.inc({ consumer }, bets),
  });
  return {
    speedRoulette,
    abandoned,
    returns,
    returnAlerts: createReturnAlerts({ db, config, metrics, clock: databaseClock, log, mail, returns }),
  };
}

const debugRoutes = (s: Before & Games) => [
  ...bind(debugOperations, s),
  ...bind(sportsbookDebug(s.config.SPORTSBOOK_SEGMENT), s),
];

/** Parts that no module defines. */
const rest = defineModule<Before & Games>({
  name: 'games',
  operations: [],
  routes: (s) => (s.config.isDevelopment ? debugRoutes(s) : []),
  async start(s) {
    await s.gameProviders.sync(s.db);
    await Promise.all([s.games.start(), s.catalogue.start()]);
  },
  /** Finishes bets in flight first. */
  async close(s) {
    await s.settlement.close();
    await s.speedRoulette.close();
    await s.games.close();
    await s.catalogue.close();
  },
});

export const games = areaOf<Before & Games>([
  fairness,
  bets,
  betting,
  casino,
  houseGames,
  speedRoulette,
  providerGames,
  sportsbook,
  rest,
]);
