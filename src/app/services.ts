import { createAccounts } from '../modules/accounts/area.ts';
import { sendVerificationLink } from '../modules/accounts/auth/email/links.ts';
import { createBackoffice } from '../modules/backoffice/area.ts';
import { riskNotesOf } from '../modules/backoffice/user-notes/service.ts';
import { type Base, createBase, type NeededByBase } from '../modules/base/area.ts';
import { createCompliance } from '../modules/compliance/area.ts';
import { readExclusion } from '../modules/compliance/limits/exclusions.ts';
import { createEngagement } from '../modules/engagement/area.ts';
import { warnOfDeposits } from '../modules/engagement/limit-warnings/consumer.ts';
import { queueWelcomeBonus } from '../modules/engagement/promo/service.ts';
import { wageredOf } from '../modules/engagement/user-stats/totals.ts';
import { createGames, type NeededByGames } from '../modules/games/area.ts';
import { correctionsOf, playSince } from '../modules/games/bets/versions.ts';
import { createMoney } from '../modules/money/area.ts';
import type { Referred } from '../modules/money/payments/credit.ts';
import { depositedOf } from '../modules/money/payments/stats.ts';
import { createKycNeeds } from '../modules/money/payments/withdrawals/applicant.ts';
import { createOperations } from '../modules/operations/area.ts';
import { AREAS, type Offered } from './areas.ts';
import { type Foundation, type FoundationOptions, openFoundation } from './foundation.ts';

export type Services = Foundation & Offered & { close(): Promise<void> };

/**
 * Creates and connects the services of one process. They are created nowhere else. A service that an area needs from a later area is passed
 * as a function.
 */
export async function createServices(options: FoundationOptions): Promise<Services> {
  const foundation = await openFoundation(options);
  const ground: Foundation & Base = {
    ...foundation,
    ...createBase({ ...foundation, ...neededByBase(() => services) }),
  };
  const requiredFor = createKycNeeds(ground);
  const lawful = {
    ...ground,
    ...createCompliance({
      ...ground,
      playSince,
      depositedOf,
      requiredFor,
      onApproved: (tx, userId, tier) => services.affiliates.onApproved(tx, userId, tier),
      endGrants: (tx, userId) => services.grants.endAll(tx, userId, 'EXCLUDED'),
    }),
  };
  const open = {
    ...lawful,
    ...createAccounts({
      ...lawful,
      createSeeds: (tx, userId, clientSeed) => services.fairness.createSeeds(tx, userId, clientSeed),
      queueWelcomeBonus,
      attribute: (tx, user) => services.affiliates.attribute(tx, user),
    }),
  };
  const referred = referredBy(() => services.affiliates.payments);
  const ofPayments = { wageredOf, correctionsOf, warnOfDeposits, queueWelcomeBonus, referred };
  const funded = { ...open, ...createMoney({ ...open, ...ofPayments }) };
  const played = {
    ...funded,
    ...createGames({ ...funded, ...neededByGames(() => services) }),
  };
  const followed = {
    ...played,
    ...createEngagement({
      ...played,
      riskNotesOf: (userId, sight) => riskNotesOf(played.db, userId, sight),
    }),
  };
  const staffed = { ...followed, ...createBackoffice(followed) };
  const offered: Foundation & Offered = { ...staffed, ...createOperations(staffed) };
  const services: Services = {
    ...offered,
    /** Waits for bets in progress, then closes the database connections. */
    async close() {
      await foundation.quieten();
      for (const area of AREAS.toReversed()) await area.close(offered);
      await foundation.release();
    },
  };
  await startAreas(services);
  return services;
}

/**
 * Starts all areas. If an area fails to start, all connections are closed. With an open connection, the embedded server would appear to be
 * in use by another process.
 */
async function startAreas(services: Services): Promise<void> {
  try {
    await Promise.all(AREAS.map((area) => area.start(services)));
  } catch (error) {
    await services.close().catch(() => undefined);
    throw error;
  }
}

/** Functions of later areas that the base area needs. */
const neededByBase = (services: () => Services): NeededByBase => ({
  register: (tx, user, isByHouse) => services().signUps.register(tx, user, { type: 'EMAIL', isByHouse }),
  hashPassword: (password, person) => services().signUps.hashPassword(password, person),
  sendVerification: (tx, user) => sendVerificationLink(services(), tx, user),
  balances: (userId) => services().wallet.totals(userId),
  exclusionOf: (userId) => readExclusion(services().db, userId),
  currencies: { list: () => services().currencies.list(), find: (id) => services().currencies.find(id) },
});

/** Functions of the statistics, promotions and bot activity services that the games area needs. */
const neededByGames = (services: () => Services): NeededByGames => ({
  popularity: () => services().userStats.games.popularity(),
  lastPlayed: (gameIds) => services().userStats.games.lastPlayed(gameIds),
  playedBy: (userId) => services().userStats.games.playedBy(userId),
  promosForSomeGames: () => services().promo.forSomeGames(),
  givesFreeSpins: (game) => services().promo.givesFreeSpins(game),
  scenery: {
    latest: () => services().botActivity.scenery.latest(),
    within: (range) => services().botActivity.scenery.within(range),
  },
});

/** Reports payments to the affiliates service. It is passed as a function because that service is created only later. */
const referredBy = (payments: () => Referred): Referred => ({
  deposited: (tx, deposit) => payments().deposited(tx, deposit),
  depositReversed: (tx, deposit) => payments().depositReversed(tx, deposit),
  withdrawn: (tx, withdrawal) => payments().withdrawn(tx, withdrawal),
});
