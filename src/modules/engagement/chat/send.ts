import { iso } from '../../../platform/clock.ts';
import { type Db, type Tx, transaction } from '../../../platform/db.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { emitEvent } from '../../base/events/service.ts';
import { lockPlayers } from '../../base/players/service.ts';
import type { UserRow } from '../../base/users/service.ts';
import { type EligibilityDeps, refusalToWrite } from './eligibility.ts';
import { chatErrors } from './errors.ts';
import { findByKey, insertMessage, type NewMessage, type StoredMessage } from './queries.ts';
import { readText } from './text/rules.ts';

export type SendDeps = EligibilityDeps & { db: Db };
/** Whose socket it came from, and what the message says. */
export type Sent = { userId: number; ip: string; room: string; text: string; key: string };
export type Acknowledged = { messageId: string; at: string };

/**
 * Writes a message once per key. Refused in this order: 403 CHAT_DISABLED, 404 CHAT_ROOM_NOT_FOUND, 400 CHAT_TEXT_EMPTY, CHAT_TEXT_TOO_LONG,
 * CHAT_LINK, 409 IDEMPOTENCY_KEY_REUSED; then whoever may not write, and what comes too soon (rules.ts). A refusal does not use the key up.
 */
export async function send(deps: SendDeps, sent: Sent): Promise<Acknowledged> {
  const { userId, ip, key } = sent;
  if (!deps.siteConfig.get('COMMON').isChatEnabled) throw chatErrors.CHAT_DISABLED();
  const roomId = roomIdOf(sent.room);
  if (roomId === undefined || !hasRoom(deps, roomId)) throw chatErrors.CHAT_ROOM_NOT_FOUND();
  const read = readText(sent.text);
  if ('refusal' in read) throw read.refusal();
  const { text } = read;
  return transaction(deps.db, async (tx) => {
    await lockPlayers(tx, [userId]);
    const known = await findByKey(tx, userId, key);
    if (known) return again(known, { roomId, text });
    const refusal = await refusalToWrite(tx, deps, { userId, ip, roomId, text });
    if (refusal) throw refusal;
    return write(tx, { roomId, userId, key, text, tipId: null });
  });
}

/** The id of a room by its name, `chat:<id>`. */
export const roomIdOf = (room: string): string | undefined => /^chat:(.+)$/.exec(room)?.[1];

export const hasRoom = ({ siteConfig }: Pick<SendDeps, 'siteConfig'>, roomId: string): boolean =>
  siteConfig.get('COMMON').chat.rooms.some(({ id }) => id === roomId);

/** Throws 409 IDEMPOTENCY_KEY_REUSED unless it is the same message. */
function again(known: StoredMessage, { roomId, text }: { roomId: string; text: string }): Acknowledged {
  if (known.roomId !== roomId || known.text !== text) throw commonErrors.IDEMPOTENCY_KEY_REUSED();
  return { messageId: String(known.id), at: iso(known.createdAt) };
}

async function write(tx: Tx, message: Omit<NewMessage, 'id'>): Promise<Acknowledged> {
  const [id] = await emitEvent(tx, { event: 'chat.message', data: { roomId: message.roomId } });
  const createdAt = await insertMessage(tx, { ...message, id: id! });
  return { messageId: String(id!), at: iso(createdAt) };
}

/** A tip that its sender has made public, with what they say to the recipient. */
export type PublicTip = { tipId: number; sender: Pick<UserRow, 'id'>; message: string | null; ip: string };

/**
 * Shows a tip in the first room, if its sender may write there now. Words that a message may not have are left out. Never in the way of the
 * tip itself. The sender must be locked.
 */
export async function addTipLine(
  tx: Tx,
  deps: EligibilityDeps,
  { tipId, sender, message, ip }: PublicTip,
): Promise<void> {
  const { isChatEnabled, chat } = deps.siteConfig.get('COMMON');
  if (!isChatEnabled) return;
  const read = readText(message ?? '');
  const line = { userId: sender.id, roomId: chat.rooms[0]!.id, text: 'text' in read ? read.text : '' };
  if (await refusalToWrite(tx, deps, { ...line, ip })) return;
  await write(tx, { ...line, key: null, tipId });
}
