import type { z } from 'zod';
import type { Tx } from '../../../../platform/db.ts';
import { formatUnits } from '../../../../platform/money.ts';
import type { GameLabel } from '../../../games/casino/labels.ts';
import type { Compared, DashboardDeps } from '../asked.ts';
import { previousOf, withPrevious } from '../periods/rules.ts';
import { readPlayByGame } from '../play/queries.ts';
import { type GameFigures, ggrOf, inOrder, percentOf } from '../rules.ts';
import type { Games } from '../schemas.ts';

type Ranked = GameFigures & { label: GameLabel };

/** The games that have brought most and least in a period and in the one before. */
export async function readGames(
  tx: Tx,
  { labels, bandsOf }: Pick<DashboardDeps, 'labels' | 'bandsOf'>,
  { period, take }: Compared & { take: number },
): Promise<z.input<typeof Games>> {
  const all = await readPlayByGame(tx, withPrevious(period));

  const rankingOf = async (step: number, { from, until } = period) => {
    const games = all.flatMap(({ step: of, gameId, play }): Ranked[] => {
      const label = labels.find(gameId);
      return of === step && label ? [{ id: gameId, name: label.name, play, players: 0n, label }] : [];
    });
    const top = inOrder(games, { by: 'ggr', direction: 'desc' }).slice(0, take);
    const worst = inOrder(games, { by: 'ggr', direction: 'asc' }).slice(0, take);
    const ids = [...new Set([...top, ...worst].map(({ id }) => id))];
    const bands = await bandsOf(tx, ids, { from: new Date(from), until: new Date(until) });
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
