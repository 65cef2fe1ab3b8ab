import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import { PageNumber, page, pageOf, SortOrder, take, text } from '../../../http/schemas.ts';
import { every } from '../../../platform/list/conditions.ts';
import { type ActivityRow, botActivityErrors } from './queries.ts';
import { minuteOf } from './rules.ts';
import type { BotActivityDeps } from './service.ts';
import { ActivityType, Behavior, BotActivity, Day, Time, toBotActivities } from './view.ts';

const Query = z.strictObject({
  sortBy: z.enum(['createdAt', 'updatedAt', 'lastRunAt', 'startTime', 'userId']).default('createdAt'),
  sortOrder: SortOrder.default('desc'),
  type: ActivityType.optional(),
  behavior: Behavior.optional(),
  playDays: z
    .array(Day)
    .max(7)
    .optional()
    .meta({ description: 'Returns only activities that start on at least one of these days.' }),
  isActive: z.boolean(),
  username: text(64).optional().meta({ description: 'The complete username, ignoring case.' }),
  fromTime: Time.optional().meta({
    description: 'Earliest start time. If it is later than `toTime`, the range spans midnight.',
  }),
  toTime: Time.optional(),
  page: PageNumber,
  take: take(100),
});
type Query = z.output<typeof Query>;

const shared = { method: 'GET', tag: 'BotActivity', access: { permission: 'bot.read' } } as const;

export const listBotActivities = operation({
  ...shared,
  path: '/admin/bot-activity/all',
  summary: 'List bot activities',
  query: Query,
  response: page(BotActivity),
  handler: async ({ reads }: BotActivityDeps, { by, query }) => {
    const conditions = every(conditionsOf(query));
    const { rows: counted } = await sql<{ total: number }>`
      select count(*)::int as total from bot_activities a where ${conditions}`.execute(reads);
    return pageOf(query, counted[0]!.total, async (offset) => {
      // Activities that have never run are sorted as the oldest.
      const direction = query.sortOrder === 'asc' ? sql`asc nulls first` : sql`desc nulls last`;
      const { rows } = await sql<ActivityRow>`
        select a.* from bot_activities a where ${conditions}
        order by ${ORDERS[query.sortBy]} ${direction}, a.id ${direction} limit ${query.take} offset ${offset}`.execute(
        reads,
      );
      return toBotActivities(reads, by, rows);
    });
  },
});

const ORDERS = {
  createdAt: sql`a.created_at`,
  updatedAt: sql`a.updated_at`,
  lastRunAt: sql`a.last_run_at`,
  startTime: sql`a.start_minute`,
  userId: sql`a.user_id`,
} as const;

function conditionsOf({ isActive, type, behavior, playDays, username, fromTime, toTime }: Query) {
  const conditions: (RawBuilder<unknown> | false)[] = [
    sql`a.is_active = ${isActive}`,
    type !== undefined && sql`a.type = ${type}`,
    behavior !== undefined && sql`a.behavior = ${behavior}`,
    playDays !== undefined && playDays.length > 0 && sql`a.play_days && ${playDays}::text[]`,
    username !== undefined &&
      sql`a.user_id = any(array(select id from users where lower(username) = lower(${username})))`,
    (fromTime !== undefined || toTime !== undefined) && startsWithin(fromTime, toTime),
  ];
  return conditions.filter((condition) => condition !== false);
}

function startsWithin(fromTime = '00:00', toTime = '23:59'): RawBuilder<unknown> {
  const [from, to] = [minuteOf(fromTime), minuteOf(toTime)];
  return from <= to
    ? sql`a.start_minute between ${from} and ${to}`
    : sql`(a.start_minute >= ${from} or a.start_minute <= ${to})`;
}

export const getBotActivity = operation({
  ...shared,
  path: '/admin/bot-activity/one/{id}',
  summary: 'Get the activity of a bot',
  params: z.object({ id: z.uuid() }),
  response: BotActivity,
  errors: [botActivityErrors.BOT_ACTIVITY_NOT_FOUND],
  handler: async ({ db }: BotActivityDeps, { by, params: { id } }) => {
    const row = await db.selectFrom('bot_activities').selectAll().where('id', '=', id).executeTakeFirst();
    if (!row) throw botActivityErrors.BOT_ACTIVITY_NOT_FOUND();
    return (await toBotActivities(db, by, [row as ActivityRow]))[0]!;
  },
});
