import { sql } from 'kysely';
import { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import { operation } from '../../../http/operation.ts';
import { hasNoDuplicates, text } from '../../../http/schemas.ts';
import { type Tx, transaction } from '../../../platform/database/db.ts';
import { commonErrors, invalidField } from '../../../platform/errors.ts';
import { newId } from '../../../platform/ids.ts';
import { lockManaged } from '../../base/access/service.ts';
import { recordAudit } from '../../base/audit/service.ts';
import { UserId, userErrors } from '../../base/users/schemas.ts';
import { type ActivityRow, botActivityErrors, notifyProcesses } from './queries.ts';
import { GAME_TYPES, minuteOf, timeOf } from './rules.ts';
import type { BotActivityDeps } from './service.ts';
import { ActivityType, Behavior, BotActivity, Day, Time, toBotActivities } from './view.ts';

const PlayDays = z
  .array(Day)
  .min(1)
  .max(7)
  .refine(hasNoDuplicates, 'contains a day twice')
  .meta({ description: 'Days (UTC) on which the activity starts.' });
const StartTime = Time.meta({ description: 'Start time (UTC) on these days.', example: '20:30' });
const Games = z
  .array(text(100))
  .min(1)
  .max(50)
  .refine(hasNoDuplicates, 'contains a game twice')
  .meta({ description: 'Slugs of games that match the type.' });

const NewBotActivity = z.strictObject({
  userId: UserId,
  type: ActivityType,
  behavior: Behavior,
  playDays: PlayDays,
  isActive: z.boolean(),
  games: Games,
  startTime: StartTime,
});

const BotActivityChange = z.strictObject({
  userId: UserId,
  type: ActivityType.optional(),
  behavior: Behavior.optional(),
  playDays: PlayDays.optional(),
  isActive: z.boolean().optional(),
  games: Games.optional(),
  startTime: StartTime.optional(),
});
type BotActivityChange = z.output<typeof BotActivityChange>;

const shared = {
  path: '/admin/bot-activity/manage',
  tag: 'BotActivity',
  access: { permission: 'bot.write' },
  gate: 'none',
  response: BotActivity,
} as const;

export const setBotActivity = operation({
  ...shared,
  method: 'POST',
  summary: 'Set the activity of a bot',
  description:
    'Replaces the previous activity. The live feed marks its rows as simulated (`isSimulated`). The rows are created only while ' +
    'someone watches the feed, and have no other effect.',
  body: NewBotActivity,
  errors: [
    userErrors.USER_NOT_FOUND,
    commonErrors.OWN_ACCOUNT,
    botActivityErrors.BOT_ACTIVITY_DISABLED,
    botActivityErrors.BOT_ACCOUNT_NEEDED,
  ],
  handler: (deps: BotActivityDeps, { by, body: { userId, ...request } }) =>
    store(deps, by, async (tx) => {
      const { user } = await lockManaged(tx, by, { id: userId });
      assertMayBeActive(deps, request);
      if (!user.is_bot) throw botActivityErrors.BOT_ACCOUNT_NEEDED({ userId });
      const before = await findActivity(tx, userId);
      return { userId, before, terms: termsOf(request) as ActivityTerms };
    }),
});

export const changeBotActivity = operation({
  ...shared,
  method: 'PATCH',
  summary: 'Update the activity of a bot',
  description: 'Omitted fields keep their values.',
  body: BotActivityChange,
  errors: [
    userErrors.USER_NOT_FOUND,
    commonErrors.OWN_ACCOUNT,
    botActivityErrors.BOT_ACTIVITY_NOT_FOUND,
    botActivityErrors.BOT_ACTIVITY_DISABLED,
    botActivityErrors.BOT_ACCOUNT_NEEDED,
  ],
  handler: (deps: BotActivityDeps, { by, body: { userId, ...request } }) =>
    store(deps, by, async (tx) => {
      const { user } = await lockManaged(tx, by, { id: userId });
      const before = await findActivity(tx, userId);
      if (!before) throw botActivityErrors.BOT_ACTIVITY_NOT_FOUND({ userId });
      assertMayBeActive(deps, request);
      if (request.isActive && !user.is_bot) throw botActivityErrors.BOT_ACCOUNT_NEEDED({ userId });
      return { userId, before, terms: { ...storedTerms(before), ...termsOf(request) } };
    }),
});

/** The columns that staff can set. */
type ActivityTerms = Pick<
  ActivityRow,
  'type' | 'behavior' | 'play_days' | 'start_minute' | 'games' | 'is_active'
>;
type Order = { userId: number; before: ActivityRow | undefined; terms: ActivityTerms };

/**
 * Stores the activity that `prepare` returns, while the lock that `prepare` took is still held. All processes reload their activities. This
 * process reloads them before it responds.
 */
async function store(
  deps: BotActivityDeps,
  by: StaffCall,
  prepare: (tx: Tx) => Promise<Order>,
): Promise<BotActivity> {
  const { db, botActivity } = deps;
  const row = await transaction(db, async (tx) => {
    const { userId, before, terms } = await prepare(tx);
    assertGames(deps, terms);
    const after = await upsertActivity(tx, userId, terms);
    await notifyProcesses(tx);
    await recordAudit(tx, by, { ...(before && { before: toAudit(before) }), after: toAudit(after) });
    return after;
  });
  if (botActivity.isOn) await botActivity.reload();
  return (await toBotActivities(db, by, [row]))[0]!;
}

function assertMayBeActive(
  { botActivity }: BotActivityDeps,
  { isActive }: { isActive?: boolean | undefined },
): void {
  if (isActive && !botActivity.isOn) throw botActivityErrors.BOT_ACTIVITY_DISABLED();
}

function assertGames({ catalogue }: BotActivityDeps, { type, games }: ActivityTerms): void {
  const { bySlug } = catalogue.state.now();
  for (const [n, slug] of games.entries()) {
    const game = bySlug.get(slug);
    if (!game || !GAME_TYPES[type].includes(game.type))
      throw invalidField(`games.${n}`, `needs to be a game of the type ${type}`);
  }
}

/** Returns the activity of a user. The activity can change only while its user is locked. */
async function findActivity(tx: Tx, userId: number): Promise<ActivityRow | undefined> {
  const activities = tx.selectFrom('bot_activities').selectAll();
  return (await activities.where('user_id', '=', userId).executeTakeFirst()) as ActivityRow | undefined;
}

async function upsertActivity(tx: Tx, userId: number, terms: ActivityTerms): Promise<ActivityRow> {
  const row = await tx
    .insertInto('bot_activities')
    .values({ id: newId(), user_id: userId, ...terms })
    .onConflict((oc) => oc.column('user_id').doUpdateSet({ ...terms, updated_at: sql<Date>`now()` }))
    .returningAll()
    .executeTakeFirstOrThrow();
  return row as ActivityRow;
}

/** Converts the fields that are present in the request to columns. */
function termsOf({
  playDays,
  isActive,
  startTime,
  ...same
}: Omit<BotActivityChange, 'userId'>): Partial<ActivityTerms> {
  return {
    ...(same as Partial<ActivityTerms>),
    ...(playDays !== undefined && { play_days: playDays }),
    ...(isActive !== undefined && { is_active: isActive }),
    ...(startTime !== undefined && { start_minute: minuteOf(startTime) }),
  };
}

const storedTerms = ({
  type,
  behavior,
  play_days,
  start_minute,
  games,
  is_active,
}: ActivityRow): ActivityTerms => ({
  type,
  behavior,
  play_days,
  start_minute,
  games,
  is_active,
});

const toAudit = (row: ActivityRow) => ({
  userId: row.user_id,
  type: row.type,
  behavior: row.behavior,
  playDays: row.play_days,
  games: row.games,
  startTime: timeOf(row.start_minute),
  isActive: row.is_active,
});
