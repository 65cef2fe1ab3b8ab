import { type Area, type Foundation, type FoundationOptions, openFoundation } from './foundation.ts';
import { type Accounts, accounts, createAccounts } from './modules/accounts/area.ts';
import { type Backoffice, backoffice, createBackoffice } from './modules/backoffice/area.ts';
import { type Base, base, createBase } from './modules/base/area.ts';
import { type Compliance, compliance, createCompliance } from './modules/compliance/area.ts';
import { createEngagement, type Engagement, engagement } from './modules/engagement/area.ts';
import { warnOfDeposits } from './modules/engagement/limit-warnings/service.ts';
import { queueWelcomeBonus } from './modules/engagement/promo/service.ts';
import { wageredOf } from './modules/engagement/user-stats/service.ts';
import { createGames, type Games, games } from './modules/games/area.ts';
import { playSince } from './modules/games/bets/play.ts';
import { createMoney, type Money, money } from './modules/money/area.ts';
import type { Referred } from './modules/money/payments/credit.ts';
import { depositedOf } from './modules/money/payments/stats.ts';
import { createKycNeeds } from './modules/money/payments/withdrawals/applicant.ts';
import { createOperations, type Operations, operations } from './modules/operations/area.ts';

/** Everything that all areas offer, by name. */
type Offered = Base & Compliance & Accounts & Money & Games & Engagement & Backoffice & Operations;
export type Services = Foundation & Offered & { close(): Promise<void> };

/** From the ground up: each area knows those before it. */
export const AREAS: readonly Area<Foundation & Offered>[] = [
  base,
  compliance,
  accounts,
  money,
  games,
  engagement,
  backoffice,
  operations,
];

/** The only wiring: the services of one process. What an area needs of a later one is handed to it as a function. */
export async function createServices(options: FoundationOptions): Promise<Services> {
  const foundation = await openFoundation(options);
  const ground: Foundation & Base = {
    ...foundation,
    ...createBase(
      foundation,
      neededByBase(() => services),
    ),
  };
  const requiredFor = createKycNeeds(ground);
  const lawful = {
    ...ground,
    ...createCompliance(ground, {
      playSince,
      depositedOf,
      requiredFor,
      onApproved: (tx, userId, tier) => services.affiliates.onApproved(tx, userId, tier),
      endGrants: (tx, userId) => services.grants.endAll(tx, userId, 'EXCLUDED'),
    }),
  };
  const open = {
    ...lawful,
    ...createAccounts(lawful, {
      createSeeds: (tx, userId) => services.fairness.createSeeds(tx, userId),
      queueWelcomeBonus,
      attribute: (tx, user) => services.affiliates.attribute(tx, user),
    }),
  };
  const referred = referredBy(() => services.affiliates.payments);
  const ofPayments = { wageredOf, warnOfDeposits, queueWelcomeBonus, referred };
  const funded = { ...open, ...createMoney(open, ofPayments) };
  const played = {
    ...funded,
    ...createGames(
      funded,
      neededByGames(() => services),
    ),
  };
  const followed = {
    ...played,
    ...createEngagement(played, {
      riskNotesOf: (userId, sight) => services.userNotes.riskNotesOf(userId, sight),
    }),
  };
  const staffed = { ...followed, ...createBackoffice(followed) };
  const offered: Foundation & Offered = { ...staffed, ...createOperations(staffed) };
  const services: Services = {
    ...offered,
    /** Lets bets in flight finish, then lets go of the database. */
    async close() {
      await foundation.quieten();
      for (const area of AREAS.toReversed()) await area.close?.(offered);
      await foundation.release();
    },
  };
  await Promise.all(AREAS.map((area) => area.start?.(services)));
  return services;
}

/** What later areas do for the first one. */
const neededByBase = (services: () => Services): Parameters<typeof createBase>[1] => ({
  register: (tx, user, isByHouse) => services().signUps.register(tx, user, { type: 'EMAIL', isByHouse }),
  hashPassword: (password, person) => services().signUps.hashPassword(password, person),
  sendVerification: (tx, user) => services().emails.sendLink(tx, user),
  balances: (userId) => services().wallet.totals(userId),
  exclusionOf: (userId) => services().userLimits.exclusion(userId),
  currencies: { list: () => services().currencies.list(), find: (id) => services().currencies.find(id) },
});

/** What statistics, promotions and scenery do for the games. */
const neededByGames = (services: () => Services): Parameters<typeof createGames>[1] => ({
  popularity: () => services().userStats.games.popularity(),
  lastPlayed: (gameIds) => services().userStats.games.lastPlayed(gameIds),
  playedBy: (userId) => services().userStats.games.playedBy(userId),
  promosForSomeGames: () => services().promo.forSomeGames(),
  scenery: {
    latest: () => services().botActivity.scenery.latest(),
    within: (range) => services().botActivity.scenery.within(range),
  },
});

/** What payments mean to affiliates, who are there once all areas are. */
const referredBy = (payments: () => Referred): Referred => ({
  deposited: (tx, deposit) => payments().deposited(tx, deposit),
  depositReversed: (tx, deposit) => payments().depositReversed(tx, deposit),
  withdrawn: (tx, withdrawal) => payments().withdrawn(tx, withdrawal),
});
