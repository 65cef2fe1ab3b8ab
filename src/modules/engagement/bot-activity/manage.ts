import { sql } from 'kysely';
import type { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import { type Db, type Tx, transaction } from '../../../platform/db.ts';
import { invalidField } from '../../../platform/errors.ts';
import { lockManaged } from '../../base/access/service.ts';
import { recordAudit } from '../../base/audit/service.ts';
import { lockPlayers, setBanned } from '../../base/players/service.ts';
import { announceUserChange } from '../../base/users/service.ts';
import type { Catalogue } from '../../games/casino/service.ts';
import { balancesOf } from '../../money/ledger/balances.ts';
import { botActivityErrors } from './errors.ts';
import { type ActivityRow, type ActivityTerms, findActivityOf, putActivity, useOf } from './queries.ts';
import { type ActivityType, GAME_TYPES, minuteOf, timeOf } from './rules.ts';
import type { BotActivityChange, BotToggle, NewBotActivity } from './schemas.ts';
import { CHANGED } from './state.ts';

export type ManageDeps = {
  db: Db;
  /** Whether activities may be active here. */
  isOn: boolean;
  catalogue: Pick<Catalogue, 'state'>;
};

type Change = z.output<typeof BotActivityChange>;

/**
 * Says how a bot seems to play, in place of what was said before. Throws 409 BOT_ACTIVITY_DISABLED for an active one where none may be, 409
 * BOT_ACCOUNT_NEEDED, 400 VALIDATION_FAILED for a game that is none of its type, and as lockManaged does.
 */
export const put = (
  deps: ManageDeps,
  by: StaffCall,
  { userId, ...request }: z.output<typeof NewBotActivity>,
): Promise<ActivityRow> =>
  transaction(deps.db, async (tx) => {
    const { user } = await lockManaged(tx, by, { id: userId });
    assertMayBeActive(deps, request);
    if (!user.is_bot) throw botActivityErrors.BOT_ACCOUNT_NEEDED({ userId });
    const before = await findActivityOf(tx, userId);
    return store(tx, deps, by, { userId, before, terms: termsOf(request) as ActivityTerms });
  });

/** The named fields alone. Throws 404 BOT_ACTIVITY_NOT_FOUND, and as `put` does. */
export const change = (
  deps: ManageDeps,
  by: StaffCall,
  { userId, ...request }: Change,
): Promise<ActivityRow> =>
  transaction(deps.db, async (tx) => {
    const { user } = await lockManaged(tx, by, { id: userId });
    const before = await findActivityOf(tx, userId);
    if (!before) throw botActivityErrors.BOT_ACTIVITY_NOT_FOUND({ userId });
    assertMayBeActive(deps, request);
    if (request.isActive && !user.is_bot) throw botActivityErrors.BOT_ACCOUNT_NEEDED({ userId });
    return store(tx, deps, by, { userId, before, terms: { ...settable(before), ...termsOf(request) } });
  });

/**
 * Makes an account that of a bot, or its owner's again: they sign in as before, and what it seemed to play is active no more. Throws 409
 * BOT_ACCOUNT_IN_USE, and as lockManaged does.
 */
export const toggle = (db: Db, by: StaffCall, { userId, isBot }: z.output<typeof BotToggle>): Promise<void> =>
  transaction(db, async (tx) => {
    await lockPlayers(tx, [userId]);
    const { user } = await lockManaged(tx, by, { id: userId });
    if (user.is_bot === isBot) return;
    const use = isBot ? await anyUseOf(tx, userId) : undefined;
    if (use !== undefined) throw botActivityErrors.BOT_ACCOUNT_IN_USE({ use });
    await tx
      .updateTable('users')
      .set({ is_bot: isBot, updated_at: sql<Date>`now()` })
      .where('id', '=', userId)
      .execute();
    // Whoever asks whether money may go in or play may start is told what they are told of a banned account.
    await setBanned(tx, userId, isBot || user.banned_at !== null);
    if (!isBot)
      await tx
        .updateTable('bot_activities')
        .set({ is_active: false, updated_at: sql<Date>`now()` })
        .where('user_id', '=', userId)
        .execute();
    await announceUserChange(tx, userId);
    await announce(tx);
    await recordAudit(tx, by, { before: { userId, isBot: user.is_bot }, after: { userId, isBot } });
  });

const anyUseOf = async (tx: Tx, userId: number): Promise<string | undefined> =>
  (await useOf(tx, userId)) ?? ((await balancesOf(tx, userId)).length > 0 ? 'MONEY' : undefined);

type Order = { userId: number; before: ActivityRow | undefined; terms: ActivityTerms };

async function store(
  tx: Tx,
  deps: ManageDeps,
  by: StaffCall,
  { userId, before, terms }: Order,
): Promise<ActivityRow> {
  assertGames(deps, terms.type, terms.games);
  const after = await putActivity(tx, userId, terms);
  await announce(tx);
  await recordAudit(tx, by, { ...(before && { before: auditOf(before) }), after: auditOf(after) });
  return after;
}

/** Every process reads what is active again. */
const announce = (tx: Tx) => sql`select pg_notify(${CHANGED}, '')`.execute(tx);

function assertMayBeActive({ isOn }: ManageDeps, { isActive }: { isActive?: boolean | undefined }): void {
  if (isActive && !isOn) throw botActivityErrors.BOT_ACTIVITY_DISABLED();
}

function assertGames({ catalogue }: ManageDeps, type: ActivityType, games: readonly string[]): void {
  const { bySlug } = catalogue.state.now();
  for (const [n, slug] of games.entries()) {
    const game = bySlug.get(slug);
    if (!game || !GAME_TYPES[type].includes(game.type))
      throw invalidField(`games.${n}`, `needs to be a game of the type ${type}`);
  }
}

/** The named fields as they are stored. */
function termsOf({ playDays, isActive, startTime, ...same }: Omit<Change, 'userId'>): Partial<ActivityTerms> {
  return {
    ...(same as Partial<ActivityTerms>),
    ...(playDays !== undefined && { play_days: playDays }),
    ...(isActive !== undefined && { is_active: isActive }),
    ...(startTime !== undefined && { start_minute: minuteOf(startTime) }),
  };
}

const settable = ({
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

const auditOf = ({
  user_id: userId,
  start_minute,
  play_days: playDays,
  is_active: isActive,
  ...row
}: ActivityRow) => ({
  userId,
  type: row.type,
  behavior: row.behavior,
  playDays,
  games: row.games,
  startTime: timeOf(start_minute),
  isActive,
});
