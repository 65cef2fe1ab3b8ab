import type { Tx } from '../../../platform/db.ts';
import { emitEvent, MOST_EVENTS } from '../../base/events/service.ts';
import { eraseText, lockWriters, storeMute } from './queries.ts';

/** Locks what a player writes. Before the row of the user, which each message refers to. */
export const lockMessages = (tx: Tx, userId: number): Promise<void> => lockWriters(tx, [userId]);

/** Takes what a player has written out of the chat for good; sockets that show the latest of it are told. Locked by `lockMessages`. */
export async function eraseMessages(tx: Tx, userId: number): Promise<void> {
  const gone = await eraseText(tx, userId, MOST_EVENTS);
  await emitEvent(
    tx,
    ...gone.map(({ id, roomId }) => ({
      event: 'chat.deleted' as const,
      data: { roomId, messageId: String(id) },
    })),
  );
  await storeMute(tx, userId, null);
}
