import type { z } from 'zod';
import { iso } from '../../../platform/clock.ts';
import { formatUnits } from '../../../platform/money.ts';
import { prizesOf, type RunRow, type ScheduleRow, typeOf } from './queries.ts';
import type { Leaderboard, LeaderboardPublic, LeaderboardSchedule } from './schemas.ts';

export const formatScore = (score: string): string => formatUnits(BigInt(score));

type Config = Pick<
  ScheduleRow,
  | 'name'
  | 'description'
  | 'currency_id'
  | 'min_bet_usd'
  | 'prizes'
  | 'categories'
  | 'provider_ids'
  | 'game_slugs'
>;

const toConfig = <T extends string>(row: Config, type: T) => ({
  name: row.name,
  description: row.description,
  type,
  currencyId: row.currency_id,
  minBetUsd: formatUnits(row.min_bet_usd),
  prizes: row.prizes,
  eligible: { categories: row.categories, providerIds: row.provider_ids, gameSlugs: row.game_slugs },
});

export const toScheduleConfig = (row: ScheduleRow): z.input<typeof LeaderboardSchedule>['config'] =>
  toConfig(row, typeOf(row));

/** Returns a leaderboard as players see it. */
export function toPublic(run: RunRow): z.input<typeof LeaderboardPublic> {
  const { name, description, type, currencyId, minBetUsd, prizes, eligible } = toConfig(run, run.type);
  return {
    id: String(run.id),
    name,
    description,
    type,
    status: run.status,
    startDate: iso(run.start_date),
    endDate: iso(run.end_date),
    currency: currencyId,
    prizes,
    countsBetsBy: 'SETTLED_AT' as const,
    prizePoolUsd: formatUnits(prizesOf(run).reduce((sum, { usdAmount }) => sum + usdAmount, 0n)),
    minBetUsd,
    eligible,
    participants: run.participants,
  };
}

type StaffLeaderboard = z.input<typeof Leaderboard>;

/** Returns a leaderboard as staff see it. */
export const toRun = (run: RunRow): StaffLeaderboard => ({
  type: run.type,
  status: run.status,
  id: String(run.id),
  name: run.name,
  createdAt: iso(run.created_at),
  updatedAt: iso(run.updated_at),
  description: run.description,
  config: toConfig(run, run.type) as StaffLeaderboard['config'],
  startDate: iso(run.start_date),
  endDate: iso(run.end_date),
  scheduleId: run.schedule_id,
});

/** The fields of a leaderboard that the audit log records. */
export const toRunAudit = (run: RunRow) => {
  const { id, type, status, config } = toRun(run);
  return { id, type, status, config, startDate: iso(run.start_date), endDate: iso(run.end_date) };
};
