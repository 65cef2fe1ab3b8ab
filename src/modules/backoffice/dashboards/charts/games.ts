import { z } from 'zod';
import { object } from '../../../../http/schemas.ts';
import type { Tx } from '../../../../platform/database/db.ts';
import type { GameLabel, GameLabels } from '../../../games/casino/labels.ts';
import type { GivenSum } from '../../../money/rewards/rules.ts';
import type { Period, Steps } from '../periods/rules.ts';
import { countPlayers, countPlayersByGame, type Players } from '../players/count.ts';
import {
  type GamePlay,
  type ProviderPlay,
  readGiven,
  readPlayByGame,
  readPlayByProvider,
} from '../queries.ts';
import { seriesOf } from '../request.ts';
import {
  abcpu,
  addPlay,
  arpu,
  atpu,
  averageBet,
  dollars,
  type GameFigures,
  type GameOrder,
  type Games,
  ggrOf,
  inOrder,
  margin,
  NO_PLAY,
  type Play,
  piesOf,
  revenueOf,
  totalOf,
} from '../rules.ts';
import { comparable, series } from '../schemas.ts';

/** `games` is undefined if there is no filter by game. */
type Charted = { period: Period; steps: Steps; games: Games };
type Listed = Charted & {
  page: number;
  take: number;
  orderBy: GameOrder;
  orderDirection: 'asc' | 'desc';
};

const BEST = 10;

/** Returns the results of readGameSeries, readGameTypes and readGameRows, all read from one snapshot. */
export async function readGameStats(
  tx: Tx,
  labels: GameLabels,
  listed: Listed,
): Promise<z.input<typeof GameStats>> {
  const { steps, games } = listed;
  const readGames = async () => {
    const byGame = await readPlayByGame(tx, whole(listed.period), games);
    return { byGame, rows: await readRows(tx, { labels, listed, byGame }) };
  };
  // The queries overlap: PostgreSQL runs one query while the rows of another are processed.
  const [played, { byGame, rows }] = await Promise.all([readPlayed(tx, { steps, games }), readGames()]);
  const { ngr: _, ...types } = typesOf(labels, played, byGame);
  return { ...playedSeries(labels, played), ...types, ...rows };
}

export const readGameSeries = async (
  tx: Tx,
  labels: GameLabels,
  charted: Charted,
): Promise<z.input<typeof GameSeries>> => playedSeries(labels, await readPlayed(tx, charted));

/** Returns series and totals without single games. */
export async function readGameSummary(
  tx: Tx,
  labels: GameLabels,
  charted: Charted,
): Promise<z.input<typeof GameSummary>> {
  const played = await readPlayed(tx, charted);
  return { ...playedSeries(labels, played), ...totalsOf(played) };
}

export async function readGameTypes(
  tx: Tx,
  labels: GameLabels,
  { period, games }: Charted,
): Promise<z.input<typeof GameTypes>> {
  const steps = whole(period);
  const played = await readPlayed(tx, { steps, games });
  return typesOf(labels, played, await readPlayByGame(tx, steps, games));
}

/**
 * Returns the games with the highest and lowest GGR, and a page of all games that were played. Players are counted only for the returned
 * games.
 */
export async function readGameRows(
  tx: Tx,
  labels: GameLabels,
  listed: Listed,
): Promise<z.input<typeof GameRows>> {
  const byGame = await readPlayByGame(tx, whole(listed.period), listed.games);
  return readRows(tx, { labels, listed, byGame });
}

const whole = ({ from, until }: Period): Steps => ({ starts: [from], until });

// ---------------------------------------------------------------- totals

/** Play, players and rewards by step. */
type Played = { steps: Steps; plays: ProviderPlay[]; players: Players; given: GivenSum[][] };

async function readPlayed(tx: Tx, { steps, games }: Pick<Charted, 'steps' | 'games'>): Promise<Played> {
  return {
    steps,
    plays: await readPlayByProvider(tx, steps, games),
    players: await countPlayers(tx, steps, games),
    // Rewards do not belong to a game, so they reduce NGR only if there is no filter by game.
    given: games === undefined ? await readGiven(tx, steps) : steps.starts.map(() => []),
  };
}

function playedSeries(
  labels: GameLabels,
  { steps, plays, players, given }: Played,
): Omit<z.input<typeof GameSeries>, 'previous'> {
  const byStep = Map.groupBy(plays, ({ step }) => step);
  const totals = steps.starts.map((_, step) => totalOf((byStep.get(step) ?? []).map(({ play }) => play)));
  const ngr = steps.starts.map(
    (_, step) => revenueOf(byStep.get(step) ?? [], given[step]!, labels.feePpmOf).ngr,
  );
  const series = (valueAt: (play: Play, players: bigint) => number) =>
    seriesOf(steps, (step) => valueAt(totals[step]!, players.bySteps[step]!));
  return {
    activePlayersTimeSeries: series((_, active) => Number(active)),
    turnoverTimeSeries: series(({ staked }) => dollars(staked)),
    arpuTimeSeries: series(arpu),
    atpuTimeSeries: series(atpu),
    ggrTimeSeries: series((play) => dollars(ggrOf(play))),
    ngrTimeSeries: seriesOf(steps, (step) => dollars(ngr[step]!)),
  };
}

/** Returns figures by game type, summed over all steps. */
function typesOf(
  labels: GameLabels,
  played: Played,
  byGame: readonly GamePlay[],
): Omit<z.input<typeof GameTypes>, 'previous'> {
  const types = new Map<string, Play>();
  for (const { gameId, play } of byGame) {
    const type = labels.find(gameId)?.type;
    if (type) types.set(type, addPlay(types.get(type) ?? NO_PLAY, play));
  }
  const { ngr } = revenueOf(played.plays, played.given.flat(), labels.feePpmOf);
  return { ...piesOf(types), ...totalsOf(played), ngr: dollars(ngr) };
}

/** Returns figures of all games, summed over all steps. */
function totalsOf({ plays, players }: Played) {
  const all = totalOf(plays.map(({ play }) => play));
  return {
    activePlayers: Number(players.total),
    turnover: dollars(all.staked),
    atpu: atpu(all, players.total),
    ggr: dollars(ggrOf(all)),
    arpu: arpu(all, players.total),
    margin: margin(all),
    betCount: Number(all.bets),
    abcpu: abcpu(all, players.total),
    averageBetSum: averageBet(all),
  };
}

// ---------------------------------------------------------------- single games

type Row = GameFigures & { label: GameLabel };

type Asked = { labels: GameLabels; listed: Listed; byGame: readonly GamePlay[] };

async function readRows(tx: Tx, { labels, listed, byGame }: Asked): Promise<z.input<typeof GameRows>> {
  const { period, page, take, orderBy, orderDirection: direction } = listed;
  const played = byGame.flatMap(({ gameId, play }): Row[] => {
    const label = labels.find(gameId);
    return label ? [{ id: gameId, name: label.name, play, players: 0n, label }] : [];
  });
  const withPlayers = async (rows: readonly Row[]): Promise<Row[]> => {
    const counts = await countPlayersByGame(tx, whole(period), [...new Set(rows.map(({ id }) => id))]);
    return rows.map((row) => ({ ...row, players: counts.get(row.id) ?? 0n }));
  };
  const isByPlayers = orderBy === 'activePlayers';
  const rows = isByPlayers ? await withPlayers(played) : played;
  const offset = (page - 1) * take;
  const own = inOrder(rows, { by: orderBy, direction }).slice(offset, offset + take);
  const best = inOrder(rows, { by: 'ggr', direction: 'desc' }).slice(0, BEST);
  const worst = inOrder(rows, { by: 'ggr', direction: 'asc' }).slice(0, BEST);
  const all = [...best, ...worst, ...own];
  const shown = (isByPlayers ? all : await withPlayers(all)).map(toRow);
  return {
    topGameAnalytics: shown.slice(0, best.length),
    worstGameAnalytics: shown.slice(best.length, best.length + worst.length),
    gameSlugAnalytics: shown.slice(best.length + worst.length),
  };
}

const toRow = ({ label, play, players }: Row) => ({
  slug: label.slug,
  name: label.name,
  category: label.category,
  providerSlug: label.providerSlug,
  activePlayers: Number(players),
  betCount: Number(play.bets),
  turnover: dollars(play.staked),
  ggr: dollars(ggrOf(play)),
  margin: margin(play),
});

const PieSlice = object('PieSlice', {
  key: z.string().meta({ description: 'The game type.' }),
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

const gameTypes = { ...gamePies, ...gameTotals, ngr: z.number() };
const gameSummary = { ...gameSeries, ...gameTotals };

export const GameSeries = comparable(gameSeries, gameSeries);
export const GameRows = z.object(gameRows);
export const GameTypes = comparable(gameTypes, gameTypes);
const GameSummary = z.object(gameSummary);
export const GameStats = comparable({ ...gameSeries, ...gamePies, ...gameRows, ...gameTotals }, gameSummary);
