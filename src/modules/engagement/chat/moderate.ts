import { sql } from 'kysely';
import { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import { operation } from '../../../http/operation.ts';
import { SuccessResponse, Time } from '../../../http/schemas.ts';
import { iso } from '../../../platform/clock.ts';
import { type Tx, transaction } from '../../../platform/database/db.ts';
import { commonErrors, invalidField } from '../../../platform/errors.ts';
import { freshActor, lockManaged } from '../../base/access/service.ts';
import { recordAudit } from '../../base/audit/service.ts';
import { emitEvent } from '../../base/events/service.ts';
import { UserId, userErrors } from '../../base/users/schemas.ts';
import { transactionTime } from '../../compliance/gate/service.ts';
import { type ChatDeps, lockWriters, storeMute } from './queries.ts';
import { chatErrors, chatEvents, NamedRoom } from './schemas.ts';
import { sendAsStaff, staffMessageErrors } from './staff-message.ts';
import { roomExists } from './write.ts';

const YEAR_SECONDS = 31_536_000;

/** The arguments of each action. */
const ACTIONS = {
  MUTE_USER: z
    .strictObject({
      userId: UserId,
      seconds: z.number().int().min(1).max(YEAR_SECONDS).optional(),
      untilAt: Time.optional(),
    })
    .refine(({ seconds, untilAt }) => (seconds === undefined) !== (untilAt === undefined), {
      error: 'needs either seconds or untilAt',
      path: ['seconds'],
    }),
  UNMUTE_USER: z.strictObject({ userId: UserId }),
  DELETE_MESSAGE: z.strictObject({
    messageId: z.string().regex(/^[1-9]\d{0,17}$/, 'needs the id of a message'),
  }),
  CLEAR_ROOM: z.strictObject({ roomId: NamedRoom }),
  SET_SLOW_MODE: z.strictObject({ roomId: NamedRoom, seconds: z.number().int().min(0).max(3600) }),
  SEND_MESSAGE: z.strictObject({ roomId: NamedRoom, text: z.string() }),
} as const;
type Action = keyof typeof ACTIONS;
type Args<A extends Action> = z.output<(typeof ACTIONS)[A]>;

const AdminAction = z.strictObject({
  action: z.string().min(1).max(50).meta({
    description: 'MUTE_USER, UNMUTE_USER, DELETE_MESSAGE, CLEAR_ROOM, SET_SLOW_MODE or SEND_MESSAGE.',
    example: 'MUTE_USER',
  }),
  args: z.record(z.string(), z.unknown()).meta({
    description:
      'The parameters of each action: MUTE_USER {userId, seconds or untilAt}, UNMUTE_USER {userId}, DELETE_MESSAGE {messageId}, ' +
      'CLEAR_ROOM {roomId}, SET_SLOW_MODE {roomId, seconds}, SEND_MESSAGE {roomId, text}.',
    example: { userId: 1, seconds: 600 },
  }),
});

/** Writes the state, the event and the audit log entry in one transaction. */
export const moderate = operation({
  method: 'POST',
  path: '/admin/chat/admin-action',
  tag: 'Admin Chat',
  access: { permission: 'chat.moderate' },
  gate: 'none',
  idempotent: true,
  summary: 'Moderate the chat',
  description:
    'Mutes or unmutes a player, deletes a message, clears a room, sets its slow mode or sends a message that clients mark as written by ' +
    'staff. Takes effect immediately. Sockets receive the change within a second. Repeating an action changes nothing: a message is ' +
    'sent once per `Idempotency-Key`, which the other actions do not need. The limits of players apply to messages of staff, except ' +
    'slow mode. To ban a player from the chat permanently, set `canUseChat: false`.',
  body: AdminAction,
  response: SuccessResponse,
  errors: [
    chatErrors.CHAT_ACTION_UNKNOWN,
    userErrors.USER_NOT_FOUND,
    chatErrors.CHAT_MESSAGE_NOT_FOUND,
    chatErrors.CHAT_ROOM_NOT_FOUND,
    commonErrors.OWN_ACCOUNT,
    ...staffMessageErrors,
  ],
  handler: async (deps: ChatDeps, { by, body: { action, args }, idempotencyKey: key }) => {
    if (!isAction(action)) throw chatErrors.CHAT_ACTION_UNKNOWN();
    const parsed = parseArgs(action, args);
    if ('roomId' in parsed && !roomExists(deps, parsed.roomId)) throw chatErrors.CHAT_ROOM_NOT_FOUND();
    const act = ACTS[action] as Act<Action>;
    await transaction(deps.db, (tx) => act(tx, by, parsed, { deps, key }));
    return { success: true };
  },
});

const isAction = (name: string): name is Action => Object.hasOwn(ACTIONS, name);

function parseArgs(action: Action, args: unknown): Args<Action> {
  const parsed = ACTIONS[action].safeParse(args);
  if (parsed.success) return parsed.data;
  const fields = parsed.error.issues.map((issue) => {
    const isUnknown = issue.code === 'unrecognized_keys';
    const path = isUnknown ? [...issue.path, issue.keys[0]!] : issue.path;
    return {
      path: ['args', ...path].join('.'),
      message: isUnknown ? 'is not a field of this action' : issue.message,
    };
  });
  throw commonErrors.VALIDATION_FAILED({ fields });
}

type Sending = { deps: ChatDeps; key: string | undefined };
type Act<A extends Action> = (tx: Tx, by: StaffCall, args: Args<A>, sending: Sending) => Promise<void>;

const ACTS: { readonly [A in Action]: Act<A> } = {
  async MUTE_USER(tx, by, { userId, seconds, untilAt }) {
    const now = await transactionTime(tx);
    const until = untilAt === undefined ? addSeconds(now, seconds!) : new Date(untilAt);
    if (until <= now || until > addSeconds(now, YEAR_SECONDS))
      throw invalidField('args.untilAt', 'needs to be a time within a year from now');
    await setMute(tx, by, userId, until);
  },

  UNMUTE_USER: (tx, by, { userId }) => setMute(tx, by, userId, null),

  async DELETE_MESSAGE(tx, by, { messageId }) {
    const id = BigInt(messageId);
    const messages = tx.selectFrom('chat_messages').selectAll();
    const message = await messages.where('id', '=', id).forUpdate().executeTakeFirst();
    await freshActor(tx, by);
    if (!message) throw chatErrors.CHAT_MESSAGE_NOT_FOUND();
    const { room_id: roomId, user_id: userId } = message;
    const isDeleted = message.deleted_at !== null;
    if (!isDeleted) {
      const deletion = { deleted_at: sql<Date>`now()`, deleted_by: by.user.id };
      await tx.updateTable('chat_messages').set(deletion).where('id', '=', id).execute();
      await emitEvent(tx, { event: chatEvents['chat.deleted'], data: { roomId, messageId } });
    }
    const target = { messageId, roomId, userId };
    await recordAudit(tx, by, { before: { ...target, isDeleted }, after: { ...target, isDeleted: true } });
  },

  async CLEAR_ROOM(tx, by, { roomId }) {
    const { clearedTo } = await lockRoom(tx, roomId);
    await freshActor(tx, by);
    // Hides every message with an id below the id of this event, including messages that are committed later.
    const [id] = await emitEvent(tx, { event: chatEvents['chat.cleared'], data: { roomId } });
    await tx.updateTable('chat_rooms').set({ cleared_to: id! }).where('id', '=', roomId).execute();
    await recordAudit(tx, by, {
      before: { roomId, clearedTo: String(clearedTo) },
      after: { roomId, clearedTo: String(id!) },
    });
  },

  async SET_SLOW_MODE(tx, by, { roomId, seconds }) {
    const { slowModeSeconds } = await lockRoom(tx, roomId);
    await freshActor(tx, by);
    if (seconds !== slowModeSeconds) {
      const change = { slow_mode_seconds: seconds };
      await tx.updateTable('chat_rooms').set(change).where('id', '=', roomId).execute();
      await emitEvent(tx, { event: chatEvents['chat.slow-mode'], data: { roomId, seconds } });
    }
    const before = { roomId, slowModeSeconds };
    await recordAudit(tx, by, { before, after: { roomId, slowModeSeconds: seconds } });
  },

  SEND_MESSAGE: (tx, by, message, { deps, key }) => sendAsStaff(tx, deps, by, { ...message, key }),
};

const addSeconds = (time: Date, seconds: number) => new Date(time.getTime() + seconds * 1000);

/**
 * Locks the writer first, so that a concurrent message is either committed before the mute or rejected. If `until` is null, the mute ends.
 */
async function setMute(tx: Tx, by: StaffCall, userId: number, until: Date | null): Promise<void> {
  await lockWriters(tx, [userId]);
  await lockManaged(tx, by, { id: userId });
  const before = await readMute(tx, userId);
  if (before?.getTime() !== until?.getTime()) {
    await storeMute(tx, userId, until);
    await emitEvent(tx, { event: chatEvents['chat.muted'], userId, data: { until: until && iso(until) } });
  }
  const toAudit = (mutedUntil: Date | null) => ({ userId, mutedUntil: mutedUntil && iso(mutedUntil) });
  await recordAudit(tx, by, { before: toAudit(before), after: toAudit(until) });
}

/** Returns the time at which the player's mute ends, or null if the player is not muted. */
async function readMute(tx: Tx, userId: number): Promise<Date | null> {
  const row = await tx
    .selectFrom('chat_mutes')
    .select('muted_until')
    .where('user_id', '=', userId)
    .where('muted_until', '>', sql<Date>`now()`)
    .executeTakeFirst();
  return row?.muted_until ?? null;
}

/** Locks the settings of a room and creates them if missing. */
async function lockRoom(tx: Tx, roomId: string): Promise<{ clearedTo: bigint; slowModeSeconds: number }> {
  await tx
    .insertInto('chat_rooms')
    .values({ id: roomId })
    .onConflict((oc) => oc.doNothing())
    .execute();
  return tx
    .selectFrom('chat_rooms')
    .select(['cleared_to as clearedTo', 'slow_mode_seconds as slowModeSeconds'])
    .where('id', '=', roomId)
    .forUpdate()
    .executeTakeFirstOrThrow();
}
