import { z } from 'zod';
import { operation } from '../../../../http/operation.ts';
import { Decimal, Id, object, Time, Timestamp } from '../../../../http/schemas.ts';
import { type Clock, iso } from '../../../../platform/clock.ts';
import type { Db } from '../../../../platform/database/db.ts';
import { invalidField } from '../../../../platform/errors.ts';
import { formatUnits } from '../../../../platform/money.ts';
import { houseGameErrors } from '../settings.ts';
import { bandFigures, readSnapshot, rounded } from './service.ts';
import type { Period, Sums } from './sums/rules.ts';

const Query = z.strictObject({ startDate: Time.optional(), endDate: Time.optional() });

/** Returns (RTPs) are in percent. */
const GameRtpReport = object('GameRtpReport', {
  slug: z.string(),
  startDate: Timestamp,
  endDate: Timestamp,
  rounds: z.number().int(),
  turnoverUsd: Decimal,
  payoutUsd: Decimal,
  actualRtp: z.number().nullable(),
  configuredRtp: z.number().nullable(),
  deviation: z.number().nullable(),
  bandLow: z.number().nullable(),
  bandHigh: z.number().nullable(),
  withinBand: z.boolean().nullable(),
});

/** Creates the report, whose figures are exact even if the consumer lags. `reads` is a replica, whose data may be slightly old. */
export const getRtpReport = operation({
  method: 'GET',
  path: '/admin/casino/games/{slug}/rtp',
  tag: 'Admin Casino',
  access: { permission: 'casino.read' },
  summary: "Compare a game's return with the expected 95 % range",
  description:
    'Includes the bets that were settled in the period, which is extended to whole hours. `startDate` and `endDate` of the ' +
    'response are the limits of these hours. The default is the last 30 days. The band and `withinBand` exclude bets whose ' +
    'highest win is limited by `maxProfit`. Provider games have no band, because the variance of their payouts is unknown.',
  params: z.object({ slug: Id }),
  query: Query,
  response: GameRtpReport,
  errors: [houseGameErrors.GAME_NOT_FOUND],
  handler: async (
    { reads, databaseClock }: { reads: Db; databaseClock: Clock },
    { params: { slug }, query },
  ) => {
    const game = await reads
      .selectFrom('games')
      .select(['id', 'type', 'settings', 'facts', 'staff_rtp'])
      .where('slug', '=', slug)
      .executeTakeFirst();
    if (!game) throw houseGameErrors.GAME_NOT_FOUND({ game: slug });
    const { from, until } = periodOf(query, databaseClock.now());
    const sums = await readSnapshot(reads, { gameId: game.id, from, until });
    return {
      slug,
      startDate: iso(from),
      endDate: iso(until),
      ...figuresOf(sums, configuredRtp(game)),
    };
  },
});

type Configured = { type: string; settings: unknown; facts: unknown; staff_rtp: string | null };

/** Returns the configured RTP: a house game's setting, or for a provider game the value set by staff, otherwise the provider's value. */
function configuredRtp({ type, settings, facts, staff_rtp }: Configured): number | null {
  if (type === 'HOUSE_GAME') return (settings as { rtp?: number }).rtp ?? null;
  return staff_rtp === null ? ((facts as { rtp?: number | null }).rtp ?? null) : Number(staff_rtp);
}

const HOUR_MS = 3_600_000;
const DEFAULT_MS = 30 * 24 * HOUR_MS;

function periodOf({ startDate, endDate }: z.output<typeof Query>, now: number): Period {
  const until = Math.ceil((endDate ? Date.parse(endDate) : now) / HOUR_MS) * HOUR_MS;
  const from = startDate ? Math.floor(Date.parse(startDate) / HOUR_MS) * HOUR_MS : until - DEFAULT_MS;
  if (from >= until) throw invalidField('startDate', 'needs to be before endDate');
  return { from: new Date(from), until: new Date(until) };
}

/** Returns the figures of the report. They include all bets, but the band excludes bets that are summed separately (`sumsOf`). */
function figuresOf(sums: Sums, configuredRtp: number | null) {
  const turnover = sums.staked + sums.apartStaked;
  const payout = sums.paid + sums.apartPaid;
  const actualRtp = turnover === 0n ? null : (100 * Number(payout)) / Number(turnover);
  return {
    rounds: Number(sums.bets + sums.apartBets),
    turnoverUsd: formatUnits(turnover),
    payoutUsd: formatUnits(payout),
    actualRtp: rounded(actualRtp),
    configuredRtp,
    deviation: actualRtp === null || configuredRtp === null ? null : rounded(actualRtp - configuredRtp),
    ...bandFigures(sums),
  };
}
