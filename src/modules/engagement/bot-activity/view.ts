import { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import { object, Timestamp } from '../../../http/schemas.ts';
import { iso } from '../../../platform/clock.ts';
import type { Db } from '../../../platform/database/db.ts';
import { ShortPrivateUser } from '../../base/users/schemas.ts';
import { shortUsers, sightOf } from '../../base/users/service.ts';
import type { ActivityRow } from './queries.ts';
import { BEHAVIORS, DAYS, TYPES, timeOf } from './rules.ts';

export const ActivityType = z.enum(TYPES).meta({
  description: 'Types of games that the activity can contain: HOUSE_GAME, SLOTS, or MIXED for both.',
});
export const Behavior = z.enum(BEHAVIORS).meta({
  description:
    'CALM: one hour, about one bet a minute, up to 2 US dollars. NORMAL: two hours, one bet every 20 seconds, up to 10 dollars. ' +
    'AGGRESSIVE: four hours, one bet every 8 seconds, up to 50 dollars.',
});
export const Day = z.enum(DAYS);
export const Time = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'needs a time such as "20:30"')
  .meta({ example: '20:30' });

export const BotActivity = object('BotActivity', {
  id: z.string(),
  userId: z.number().int(),
  user: ShortPrivateUser,
  type: ActivityType,
  behavior: Behavior,
  playDays: z.array(Day),
  isActive: z.boolean(),
  games: z.array(z.string()),
  startTime: z.string(),
  lastRunAt: Timestamp.nullable(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
export type BotActivity = z.input<typeof BotActivity>;

export async function toBotActivities(
  db: Db,
  by: StaffCall,
  rows: readonly ActivityRow[],
): Promise<BotActivity[]> {
  const userIds = rows.map((row) => row.user_id);
  const users = await shortUsers(db, userIds, sightOf(by.user));
  return rows.map((row) => ({
    id: row.id,
    userId: row.user_id,
    user: users.get(row.user_id)!,
    type: row.type,
    behavior: row.behavior,
    playDays: row.play_days,
    isActive: row.is_active,
    games: row.games,
    startTime: timeOf(row.start_minute),
    lastRunAt: row.last_run_at && iso(row.last_run_at),
    createdAt: iso(row.created_at),
    updatedAt: iso(row.updated_at),
  }));
}
