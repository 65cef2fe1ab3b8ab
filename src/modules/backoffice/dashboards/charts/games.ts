import type { z } from 'zod';
import type { Tx } from '../../../../platform/db.ts';
import type { GameLabel, GameLabels } from '../../../games/casino/labels.ts';
import { readGiven } from '../money/queries.ts';
import { countPlayers, countPlayersByGame } from '../packed/count.ts';
import type { Period, Steps } from '../periods/rules.ts';
import { readPlayByGame, readPlayByProvider } from '../play/queries.ts';
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
import type { GameRows, GameSeries, GameStats, GameTypes } from '../schemas.ts';
import { seriesOf } from './series.ts';

/** A period in its steps, and the games of a filter; undefined: no filter, all of them. */
export type Charted = { period: Period; steps: Steps; games: Games };
export type Listed = Charted & {
  page: number;
  take: number;
  orderBy: GameOrder;
  orderDirection: 'asc' | 'desc';
};

const BEST = 10;

/** All that the following say, of one moment. */
export async function readGameStats(
  tx: Tx,
  labels: GameLabels,
  listed: Listed,
): Promise<z.input<typeof GameStats>> {
  const series = await readGameSeries(tx, labels, listed);
  const { ngr: _, ...types } = await readGameTypes(tx, labels, listed);
  return { ...series, ...types, ...(await readGameRows(tx, labels, listed)) };
}

export async function readGameSeries(
  tx: Tx,
  labels: GameLabels,
  { steps, games }: Charted,
): Promise<z.input<typeof GameSeries>> {
  const byStep = Map.groupBy(await readPlayByProvider(tx, steps, games), ({ step }) => step);
  const { bySteps: players } = await countPlayers(tx, steps, games);
  const given = await readGivenTo(tx, { steps, games });
  const plays = steps.starts.map((_, step) => totalOf((byStep.get(step) ?? []).map(({ play }) => play)));
  const ngr = steps.starts.map(
    (_, step) => revenueOf(byStep.get(step) ?? [], given[step]!, labels.feePpmOf).ngr,
  );
  const series = (valueAt: (play: Play, players: bigint) => number) =>
    seriesOf(steps, (step) => valueAt(plays[step]!, players[step]!));
  return {
    activePlayersTimeSeries: series((_, active) => Number(active)),
    turnoverTimeSeries: series(({ staked }) => dollars(staked)),
    arpuTimeSeries: series(arpu),
    atpuTimeSeries: series(atpu),
    ggrTimeSeries: series((play) => dollars(ggrOf(play))),
    ngrTimeSeries: seriesOf(steps, (step) => dollars(ngr[step]!)),
  };
}

/** What was given counts for no game: it lowers what all of them have brought. */
const readGivenTo = (tx: Tx, { steps, games }: Pick<Charted, 'steps' | 'games'>) =>
  games === undefined ? readGiven(tx, steps) : steps.starts.map(() => []);

const whole = ({ from, until }: Period): Steps => ({ starts: [from], until });

export async function readGameTypes(
  tx: Tx,
  labels: GameLabels,
  { period, games }: Charted,
): Promise<z.input<typeof GameTypes>> {
  const steps = whole(period);
  const byGame = await readPlayByGame(tx, steps, games);
  const { total: players } = await countPlayers(tx, steps, games);
  const [given] = await readGivenTo(tx, { steps, games });
  const byProvider = await readPlayByProvider(tx, steps, games);
  const types = new Map<string, Play>();
  for (const { gameId, play } of byGame) {
    const type = labels.find(gameId)?.type;
    if (type) types.set(type, addPlay(types.get(type) ?? NO_PLAY, play));
  }
  const all = totalOf(byProvider.map(({ play }) => play));
  const { ngr } = revenueOf(byProvider, given!, labels.feePpmOf);
  return {
    ...piesOf(types),
    activePlayers: Number(players),
    turnover: dollars(all.staked),
    atpu: atpu(all, players),
    ggr: dollars(ggrOf(all)),
    arpu: arpu(all, players),
    margin: margin(all),
    betCount: Number(all.bets),
    abcpu: abcpu(all, players),
    averageBetSum: averageBet(all),
    ngr: dollars(ngr),
  };
}

type Row = GameFigures & { label: GameLabel };

/** Games that were played: the best and the worst by GGR, and a page of all. Players are counted of those that are shown. */
export async function readGameRows(
  tx: Tx,
  labels: GameLabels,
  { period, games, page, take, orderBy, orderDirection: direction }: Listed,
): Promise<z.input<typeof GameRows>> {
  const steps = whole(period);
  const played = (await readPlayByGame(tx, steps, games)).flatMap(({ gameId, play }): Row[] => {
    const label = labels.find(gameId);
    return label ? [{ id: gameId, name: label.name, play, players: 0n, label }] : [];
  });
  const withPlayers = async (rows: readonly Row[]): Promise<Row[]> => {
    const counts = await countPlayersByGame(tx, steps, [...new Set(rows.map(({ id }) => id))]);
    return rows.map((row) => ({ ...row, players: counts.get(row.id) ?? 0n }));
  };
  const rows = orderBy === 'activePlayers' ? await withPlayers(played) : played;
  const offset = (page - 1) * take;
  const listed = inOrder(rows, { by: orderBy, direction }).slice(offset, offset + take);
  const best = inOrder(rows, { by: 'ggr', direction: 'desc' }).slice(0, BEST);
  const worst = inOrder(rows, { by: 'ggr', direction: 'asc' }).slice(0, BEST);
  const shown = (await withPlayers([...best, ...worst, ...listed])).map(toRow);
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
