import type { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import { iso } from '../../../platform/clock.ts';
import { type Tx, transaction } from '../../../platform/db.ts';
import { commonErrors, invalidField } from '../../../platform/errors.ts';
import { freshActor, lockManaged } from '../../base/access/service.ts';
import { recordAudit } from '../../base/audit/service.ts';
import { emitEvent } from '../../base/events/service.ts';
import { transactionTime } from '../../compliance/gate/service.ts';
import { chatErrors } from './errors.ts';
import * as queries from './queries.ts';
import { ACTIONS, type Action, type AdminAction, type Args } from './schemas.ts';
import { hasRoom } from './send.ts';
import type { WriteDeps } from './write.ts';

type ModerateDeps = Pick<WriteDeps, 'db' | 'siteConfig'>;
type Act<A extends Action> = (tx: Tx, by: StaffCall, args: Args<A>) => Promise<void>;

/**
 * What staff does in the chat: state, event and audit row in one transaction. A repetition changes nothing and is no error. Throws 400
 * CHAT_ACTION_UNKNOWN, VALIDATION_FAILED, 404 USER_NOT_FOUND, CHAT_MESSAGE_NOT_FOUND, CHAT_ROOM_NOT_FOUND, and as lockManaged does.
 */
export function moderate(
  deps: ModerateDeps,
  by: StaffCall,
  { action, args }: z.output<typeof AdminAction>,
): Promise<void> {
  if (!isAction(action)) throw chatErrors.CHAT_ACTION_UNKNOWN();
  const read = readArgs(action, args);
  if ('roomId' in read && !hasRoom(deps, read.roomId)) throw chatErrors.CHAT_ROOM_NOT_FOUND();
  const act = ACTS[action] as Act<Action>;
  return transaction(deps.db, (tx) => act(tx, by, read));
}

const isAction = (name: string): name is Action => Object.hasOwn(ACTIONS, name);

function readArgs(action: Action, args: unknown): Args<Action> {
  const read = ACTIONS[action].safeParse(args);
  if (read.success) return read.data;
  const fields = read.error.issues.map((issue) => {
    const isUnknown = issue.code === 'unrecognized_keys';
    const path = isUnknown ? [...issue.path, issue.keys[0]!] : issue.path;
    return {
      path: ['args', ...path].join('.'),
      message: isUnknown ? 'is not a field of this action' : issue.message,
    };
  });
  throw commonErrors.VALIDATION_FAILED({ fields });
}

const ACTS: { readonly [A in Action]: Act<A> } = {
  async MUTE_USER(tx, by, { userId, seconds, untilAt }) {
    const now = await transactionTime(tx);
    const until = untilAt === undefined ? later(now, seconds!) : new Date(untilAt);
    if (until <= now || until > later(now, A_YEAR))
      throw invalidField('args.untilAt', 'needs to be a time within a year from now');
    await setMute(tx, by, userId, until);
  },

  UNMUTE_USER: (tx, by, { userId }) => setMute(tx, by, userId, null),

  async DELETE_MESSAGE(tx, by, { messageId }) {
    const message = await queries.lockMessage(tx, BigInt(messageId));
    await freshActor(tx, by);
    if (!message) throw chatErrors.CHAT_MESSAGE_NOT_FOUND();
    const about = { messageId, roomId: message.room_id, userId: message.user_id };
    const isDeleted = message.deleted_at !== null;
    if (!isDeleted) {
      await queries.markDeleted(tx, message.id, by.user.id);
      await emitEvent(tx, { event: 'chat.deleted', data: { roomId: message.room_id, messageId } });
    }
    await recordAudit(tx, by, { before: { ...about, isDeleted }, after: { ...about, isDeleted: true } });
  },

  async CLEAR_ROOM(tx, by, { roomId }) {
    const { clearedTo } = await queries.lockRoom(tx, roomId);
    await freshActor(tx, by);
    // Whatever was given an id before this event is gone, also what commits later.
    const [id] = await emitEvent(tx, { event: 'chat.cleared', data: { roomId } });
    await queries.clearTo(tx, roomId, id!);
    await recordAudit(tx, by, {
      before: { roomId, clearedTo: String(clearedTo) },
      after: { roomId, clearedTo: String(id!) },
    });
  },

  async SET_SLOW_MODE(tx, by, { roomId, seconds }) {
    const { slowModeSeconds } = await queries.lockRoom(tx, roomId);
    await freshActor(tx, by);
    if (seconds !== slowModeSeconds) {
      await queries.setSlowMode(tx, roomId, seconds);
      await emitEvent(tx, { event: 'chat.slow-mode', data: { roomId, seconds } });
    }
    const before = { roomId, slowModeSeconds };
    await recordAudit(tx, by, { before, after: { roomId, slowModeSeconds: seconds } });
  },
};

const A_YEAR = 31_536_000;
const later = (moment: Date, seconds: number) => new Date(moment.getTime() + seconds * 1000);

/** Under the lock of their messages: what they write commits before it, or is refused. */
async function setMute(tx: Tx, by: StaffCall, userId: number, until: Date | null): Promise<void> {
  await queries.lockWriters(tx, [userId]);
  await lockManaged(tx, by, { id: userId });
  const before = await queries.readMute(tx, userId);
  if (before?.getTime() !== until?.getTime()) {
    await queries.storeMute(tx, userId, until);
    await emitEvent(tx, { event: 'chat.muted', userId, data: { until: until && iso(until) } });
  }
  const shown = (mutedUntil: Date | null) => ({ userId, mutedUntil: mutedUntil && iso(mutedUntil) });
  await recordAudit(tx, by, { before: shown(before), after: shown(until) });
}
