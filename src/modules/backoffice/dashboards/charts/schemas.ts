import { z } from 'zod';
import { object } from '../../../../http/schemas.ts';
import { series } from '../schemas.ts';

const PieSlice = object('PieSlice', {
  key: z.string().meta({ description: 'The type of the games.' }),
  value: z.number(),
  percent: z.number(),
});
const pie = z.array(PieSlice);

const GameAnalyticsRow = object('GameAnalyticsRow', {
  slug: z.string(),
  name: z.string(),
  category: z.string(),
  providerSlug: z.string().nullable(),
  activePlayers: z.number(),
  betCount: z.number(),
  turnover: z.number(),
  ggr: z.number(),
  margin: z.number(),
});
const analytics = z.array(GameAnalyticsRow);

const gameSeries = {
  activePlayersTimeSeries: series,
  turnoverTimeSeries: series,
  arpuTimeSeries: series,
  atpuTimeSeries: series,
  ggrTimeSeries: series,
  ngrTimeSeries: series,
};
const gamePies = { gameTypeMarginPie: pie, gameTypeTurnoverPie: pie };
const gameRows = {
  topGameAnalytics: analytics,
  worstGameAnalytics: analytics,
  gameSlugAnalytics: analytics,
};
const gameTotals = {
  activePlayers: z.number(),
  turnover: z.number(),
  atpu: z.number(),
  ggr: z.number(),
  arpu: z.number(),
  margin: z.number(),
  betCount: z.number(),
  abcpu: z.number(),
  averageBetSum: z.number(),
};

export const GameSeries = z.object(gameSeries);
export const GameRows = z.object(gameRows);
export const GameTypes = z.object({ ...gamePies, ...gameTotals, ngr: z.number() });
export const GameStats = z.object({ ...gameSeries, ...gamePies, ...gameRows, ...gameTotals });
