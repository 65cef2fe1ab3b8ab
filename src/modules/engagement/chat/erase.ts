import type { Tx } from '../../../platform/db.ts';
import { emitEvent, MOST_EVENTS } from '../../base/events/service.ts';
import { eraseText, storeMute } from './queries.ts';

/** Takes what a player has written out of the chat for good; sockets that show the latest of it are told. The player must be locked. */
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
