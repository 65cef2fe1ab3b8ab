import { z } from 'zod';
import { operation } from '../../../../http/operation.ts';
import { Decimal, object } from '../../../../http/schemas.ts';
import type { Tx } from '../../../../platform/database/db.ts';
import { formatUnits } from '../../../../platform/money.ts';
import { ShortGameIdentity } from '../../../games/bets/schemas.ts';
import type { GameLabel } from '../../../games/casino/labels.ts';
import { previousOf, withPrevious } from '../periods/rules.ts';
import { readPlayByGame } from '../queries.ts';
import { type Compared, comparedFrom, type DashboardDeps, readCompared } from '../request.ts';
import { type GameFigures, ggrOf, inOrder, percentOf } from '../rules.ts';
import { compared, comparison, count, RankingQuery } from '../schemas.ts';

const DashboardGameRow = object('DashboardGameRow', {
  game: ShortGameIdentity,
  betCount: count,
  turnoverUsd: Decimal,
  ggrUsd: Decimal,
  actualRtp: z.number().nullable(),
  configuredRtp: z.number().nullable(),
  bandLow: z.number().nullable(),
  bandHigh: z.number().nullable(),
  withinBand: z.boolean().nullable(),
});
const DashboardGames = object('DashboardGames', {
  top: z.array(DashboardGameRow),
  worst: z.array(DashboardGameRow),
});
const GamesResponse = compared(DashboardGames);

export const getGames = operation({
  ...comparison,
  path: '/admin/dashboard/games',
  summary: 'Compare the best and worst games with the previous period',
  query: RankingQuery,
  response: GamesResponse,
  handler: (deps: DashboardDeps, { query }) => {
    const request = { ...comparedFrom(deps, query), take: query.take };
    return readCompared(deps, 'games', query, (tx) => readGames(tx, deps, request));
  },
});

type Ranked = GameFigures & { label: GameLabel };

async function readGames(
  tx: Tx,
  { gameLabels: labels, returns }: Pick<DashboardDeps, 'gameLabels' | 'returns'>,
  { period, take }: Compared & { take: number },
): Promise<z.input<typeof GamesResponse>> {
  const all = await readPlayByGame(tx, withPrevious(period));

  const rankingOf = async (step: number, { from, until } = period) => {
    const games = all.flatMap(({ step: of, gameId, play }): Ranked[] => {
      const label = labels.find(gameId);
      return of === step && label ? [{ id: gameId, name: label.name, play, players: 0n, label }] : [];
    });
    const top = inOrder(games, { by: 'ggr', direction: 'desc' }).slice(0, take);
    const worst = inOrder(games, { by: 'ggr', direction: 'asc' }).slice(0, take);
    const ids = [...new Set([...top, ...worst].map(({ id }) => id))];
    const bands = await returns.bandsOf(tx, ids, { from: new Date(from), until: new Date(until) });
    const shown = ({ id, play, label }: Ranked) => ({
      game: label.identity,
      betCount: Number(play.bets),
      turnoverUsd: formatUnits(play.staked),
      ggrUsd: formatUnits(ggrOf(play)),
      actualRtp: play.staked === 0n ? null : percentOf(play.paid, play.staked),
      configuredRtp: label.configuredRtp,
      ...(bands.get(id) ?? NO_BAND),
    });
    return { top: top.map(shown), worst: worst.map(shown) };
  };
  return { previous: await rankingOf(0, previousOf(period)), current: await rankingOf(1) };
}

const NO_BAND = { bandLow: null, bandHigh: null, withinBand: null };
