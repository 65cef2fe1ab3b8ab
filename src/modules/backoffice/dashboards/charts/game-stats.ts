import type { z } from 'zod';
import { operation } from '../../../../http/operation.ts';
import { type DashboardDeps, readChart, withBefore } from '../request.ts';
import { chart, GameQuery } from '../schemas.ts';
import {
  GameRows,
  GameSeries,
  GameStats,
  GameTypes,
  readGameRows,
  readGameSeries,
  readGameStats,
  readGameSummary,
  readGameTypes,
} from './games.ts';

export const getGameStats = operation({
  ...chart,
  path: '/admin/dashboard-v2/game/stats',
  summary: 'Get game charts, totals and rankings for a time range',
  query: GameQuery,
  response: GameStats,
  handler: (deps: DashboardDeps, { query }) =>
    readChart(deps, 'game-stats', query, async (tx, { before, ...now }) => {
      const games = gamesOf(deps, query);
      const stats = await readGameStats(tx, deps.gameLabels, { ...query, ...now, games });
      if (!before) return stats;
      return { ...stats, previous: await readGameSummary(tx, deps.gameLabels, { ...before, games }) };
    }),
});

export const getGameSeries = operation({
  ...chart,
  path: '/admin/dashboard-v2/query/bets-by-type',
  summary: 'Get time series of the games that match the filters',
  query: GameQuery,
  response: GameSeries,
  handler: (deps: DashboardDeps, { query }) =>
    readChart(deps, 'game-series', query, (tx, chart) =>
      withBefore(chart, (charted) =>
        readGameSeries(tx, deps.gameLabels, { ...charted, games: gamesOf(deps, query) }),
      ),
    ),
});

export const listGames = operation({
  ...chart,
  path: '/admin/dashboard-v2/query/games-by-slug',
  summary: 'List the games that were played, including the most and least profitable ones',
  query: GameQuery,
  response: GameRows,
  handler: (deps: DashboardDeps, { query }) =>
    readChart(deps, 'game-rows', query, (tx, period) =>
      readGameRows(tx, deps.gameLabels, { ...query, ...period, games: gamesOf(deps, query) }),
    ),
});

export const getGameTypes = operation({
  ...chart,
  path: '/admin/dashboard-v2/query/games-by-type',
  summary: "Get game totals and each game type's share",
  query: GameQuery,
  response: GameTypes,
  handler: (deps: DashboardDeps, { query }) =>
    readChart(deps, 'game-types', query, (tx, chart) =>
      withBefore(chart, (charted) =>
        readGameTypes(tx, deps.gameLabels, { ...charted, games: gamesOf(deps, query) }),
      ),
    ),
});

const gamesOf = (
  { gameLabels }: DashboardDeps,
  { gameCategory: category, providerSlugs, gameSlug: slug, gameName: name }: z.output<typeof GameQuery>,
) => gameLabels.matching({ category, providerSlugs, slug, name });
