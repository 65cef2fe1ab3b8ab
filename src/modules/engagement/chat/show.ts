import { iso } from '../../../platform/clock.ts';
import type { DbOrTx } from '../../../platform/db.ts';
import { formatUnits } from '../../../platform/money.ts';
import { toShortPublicUser } from '../../base/users/service.ts';
import { type MessageRow, readNewest, readRooms, readShown } from './queries.ts';
import type { ChatHistory, ChatMessage } from './schemas.ts';

/** Messages of a room that are told to who enters it. */
const NEWEST = 50;

/** Messages as everybody sees them now, by id; those that are deleted or cleared away are missing. */
export async function shown(db: DbOrTx, ids: readonly bigint[]): Promise<Map<bigint, ChatMessage>> {
  if (ids.length === 0) return new Map();
  return new Map((await readShown(db, ids)).map((row) => [row.id, toMessage(row)]));
}

/** Rooms by id, with their newest messages up to an id. */
export async function histories(
  db: DbOrTx,
  roomIds: readonly string[],
  upTo: bigint,
): Promise<Map<string, ChatHistory>> {
  if (roomIds.length === 0) return new Map();
  const [rooms, rows] = await Promise.all([
    readRooms(db, roomIds),
    readNewest(db, { roomIds, upTo, most: NEWEST }),
  ]);
  const messages = Map.groupBy(rows.map(toMessage), ({ roomId }) => roomId);
  return new Map(rooms.map((room) => [room.roomId, { ...room, messages: messages.get(room.roomId) ?? [] }]));
}

const toMessage = ({ id, roomId, text, createdAt, user, tip }: MessageRow): ChatMessage => ({
  id: String(id),
  roomId,
  user: toShortPublicUser(user, undefined),
  text,
  tip: tip && {
    recipient: toShortPublicUser(tip.recipient, undefined),
    currencyId: tip.currencyId,
    amount: formatUnits(BigInt(tip.amount)),
    usdAmount: formatUnits(BigInt(tip.usdAmount)),
  },
  createdAt: iso(createdAt),
});
