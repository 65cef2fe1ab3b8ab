import type { z } from 'zod';
import type { Db } from '../../../platform/db.ts';
import { formatUnits } from '../../../platform/money.ts';
import { sharedByKey } from '../../../platform/shared-read.ts';
import { type Sight, shortUsers } from '../../base/users/service.ts';
import { chartFrom, comparedFrom, type DashboardDeps, inSnapshot } from './asked.ts';
import { readGameRows, readGameSeries, readGameStats, readGameTypes } from './charts/games.ts';
import { readMain } from './charts/main.ts';
import { readPaymentStats } from './charts/payments.ts';
import { readRegistrationStats } from './charts/registrations.ts';
import { readGames } from './compared/games.ts';
import { readLiabilities } from './compared/liabilities.ts';
import { readOverview } from './compared/overview.ts';
import { readPaymentRows } from './compared/payments.ts';
import { readRevenue } from './compared/revenue.ts';
import { type Rankings, readTopUsers } from './compared/top-users.ts';
import { readUsers } from './compared/users.ts';
import { packDays } from './packed/pack.ts';
import { OPTIONS } from './periods/rules.ts';
import type { DashboardQuery, GameQuery, MainQuery, RankingQuery, RevenueQuery } from './schemas.ts';

export type Dashboards = ReturnType<typeof createDashboards>;

type Deps = DashboardDeps & { db: Db; sharedMs: number };
type Asked = z.output<typeof DashboardQuery>;
type AskedGames = z.output<typeof GameQuery>;

/** Different questions whose answers are kept at once. */
const MOST_SHARED = 500;

/**
 * Figures of the whole platform, from sums that were made before: no bet is read. All of them leave test users and staff out, but for what is
 * owed. Who asks the same within a minute shares an answer. Throws 400 VALIDATION_FAILED, 404 CURRENCY_NOT_FOUND.
 */
export function createDashboards(deps: Deps) {
  const share = sharedByKey(deps.sharedMs, MOST_SHARED);
  return {
    ...createCompared(deps, share),
    ...createCharts(deps, share),
    /** Packs who did something on days that are over. */
    pack: (closing?: AbortSignal) => packDays(deps.db, closing),
    options: () =>
      Object.entries(OPTIONS).map(([timeRange, timeGroups]) => ({ timeRange, timeGroups: [...timeGroups] })),
  };
}

type Share = ReturnType<typeof sharedByKey>;

/** A period beside the one before. */
function createCompared(deps: Deps, share: Share) {
  const { reads } = deps;
  const asked = <Q extends Asked, T>(name: string, query: Q, read: Parameters<typeof inSnapshot<T>>[1]) =>
    share(JSON.stringify([name, query]), () => inSnapshot(reads, read));
  const top = (query: z.output<typeof RankingQuery>) => {
    const compared = { ...comparedFrom(deps, query), take: query.take };
    return asked('top-users', query, (tx) => readTopUsers(tx, compared));
  };
  return {
    overview(query: Asked) {
      const compared = comparedFrom(deps, query);
      return asked('overview', query, (tx) => readOverview(tx, deps, compared));
    },
    revenue(query: z.output<typeof RevenueQuery>) {
      const compared = { ...comparedFrom(deps, query), timeGroup: query.timeGroup };
      return asked('revenue', query, (tx) => readRevenue(tx, deps, compared));
    },
    payments(query: Asked) {
      const compared = comparedFrom(deps, query);
      return asked('payments', query, (tx) => readPaymentRows(tx, compared));
    },
    users(query: Asked) {
      const compared = comparedFrom(deps, query);
      return asked('users', query, (tx) => readUsers(tx, deps, compared));
    },
    games(query: z.output<typeof RankingQuery>) {
      const compared = { ...comparedFrom(deps, query), take: query.take };
      return asked('games', query, (tx) => readGames(tx, deps, compared));
    },
    liabilities(query: Asked) {
      const compared = comparedFrom(deps, query);
      return asked('liabilities', query, (tx) => readLiabilities(tx, deps, compared));
    },

    /** Everybody shares who they are; their names are shown as the caller may see them. */
    async topUsers(query: z.output<typeof RankingQuery>, sight: Sight) {
      const { current, previous } = await top(query);
      const ids = [current, previous].flatMap((rankings) =>
        Object.values(rankings)
          .flat()
          .map(({ userId }) => userId),
      );
      const users = await shortUsers(reads, ids, sight);
      return { current: shownRankings(current, users), previous: shownRankings(previous, users) };
    },
  };
}

/** Rankings with the names of who stands in them. */
function shownRankings(rankings: Rankings, users: Awaited<ReturnType<typeof shortUsers>>) {
  const rows = (of: keyof Rankings) =>
    rankings[of].map(({ userId, usdAmount }) => ({
      userId,
      user: users.get(userId)!,
      usdAmount: formatUnits(usdAmount),
    }));
  return {
    wagered: rows('wagered'),
    won: rows('won'),
    lost: rows('lost'),
    deposited: rows('deposited'),
  };
}

/** Series over presets and other periods. Presets move with the day: answers are shared by what they stand for. */
function createCharts(deps: Deps, share: Share) {
  const { reads, clock, labels } = deps;
  const charted = <T>(
    name: string,
    query: z.output<typeof MainQuery>,
    read: (chart: ReturnType<typeof chartFrom>) => Parameters<typeof inSnapshot<T>>[1],
  ) => {
    const chart = chartFrom(query, clock);
    const { timeRange: _, startDate: __, endDate: ___, ...rest } = query as Partial<AskedGames>;
    return share(JSON.stringify([name, chart.period, rest]), () => inSnapshot(reads, read(chart)));
  };
  const gamesOf = (query: AskedGames) => {
    const { gameCategory: category, providerSlugs, gameSlug: slug, gameName: name } = query;
    return labels.matching({ category, providerSlugs, slug, name });
  };
  return {
    main: (query: z.output<typeof MainQuery>) =>
      charted('main', query, (chart) => (tx) => readMain(tx, deps, chart)),
    gameStats: (query: AskedGames) =>
      charted(
        'game-stats',
        query,
        (chart) => (tx) => readGameStats(tx, labels, { ...query, ...chart, games: gamesOf(query) }),
      ),
    gameSeries: (query: AskedGames) =>
      charted(
        'game-series',
        query,
        (chart) => (tx) => readGameSeries(tx, labels, { ...chart, games: gamesOf(query) }),
      ),
    gameRows: (query: AskedGames) =>
      charted(
        'game-rows',
        query,
        (chart) => (tx) => readGameRows(tx, labels, { ...query, ...chart, games: gamesOf(query) }),
      ),
    gameTypes: (query: AskedGames) =>
      charted(
        'game-types',
        query,
        (chart) => (tx) => readGameTypes(tx, labels, { ...chart, games: gamesOf(query) }),
      ),
    paymentStats: (query: AskedGames) =>
      charted(
        'payment-stats',
        query,
        ({ steps }) =>
          (tx) =>
            readPaymentStats(tx, steps),
      ),
    registrationStats: (query: AskedGames) =>
      charted(
        'registration-stats',
        query,
        ({ steps }) =>
          (tx) =>
            readRegistrationStats(tx, steps),
      ),
  };
}
