import type { SiteConfig } from '../../base/site-config/service.ts';
import { chatErrors } from './errors.ts';
import type { createQueue } from './queue.ts';
import { readText } from './text/rules.ts';
import type { Acknowledged } from './write.ts';

type RoomDeps = { siteConfig: Pick<SiteConfig, 'get'> };
/** Whose socket it came from, and what the message says. */
export type Sent = { userId: number; ip: string; room: string; text: string; key: string };

/**
 * Writes a message once per key. Refused in this order: 403 CHAT_DISABLED, 404 CHAT_ROOM_NOT_FOUND, 400 CHAT_TEXT_EMPTY, CHAT_TEXT_TOO_LONG,
 * CHAT_LINK, 409 IDEMPOTENCY_KEY_REUSED; then whoever may not write, and what comes too soon (rules.ts). A refusal does not use the key up.
 */
export async function send(
  deps: RoomDeps & { queue: ReturnType<typeof createQueue> },
  { room, text: typed, ...from }: Sent,
): Promise<Acknowledged> {
  if (!deps.siteConfig.get('COMMON').isChatEnabled) throw chatErrors.CHAT_DISABLED();
  const roomId = roomIdOf(room);
  if (roomId === undefined || !hasRoom(deps, roomId)) throw chatErrors.CHAT_ROOM_NOT_FOUND();
  const read = readText(typed);
  if ('refusal' in read) throw read.refusal();
  return deps.queue.add({ ...from, roomId, text: read.text });
}

/** The id of a room by its name, `chat:<id>`. */
export const roomIdOf = (room: string): string | undefined => /^chat:(.+)$/.exec(room)?.[1];

export const hasRoom = ({ siteConfig }: RoomDeps, roomId: string): boolean =>
  siteConfig.get('COMMON').chat.rooms.some(({ id }) => id === roomId);
