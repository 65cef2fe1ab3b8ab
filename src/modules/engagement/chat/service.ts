import type { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import type { Tx } from '../../../platform/db.ts';
import { list } from './list.ts';
import { moderate } from './moderate.ts';
import { purgeMessages } from './queries.ts';
import { createQueue } from './queue.ts';
import type { AdminAction, StaffQuery } from './schemas.ts';
import { hasRoom, roomIdOf, type Sent, send } from './send.ts';
import { histories, shown } from './show.ts';
import { type Acknowledged, addTipLine, type PublicTip, type WriteDeps, writeTogether } from './write.ts';

export type Chat = ReturnType<typeof createChat>;

const KEEP_DAYS = 30;
/** Messages that one statement purges, and statements of one turn. */
const BITE = 5000;
const BITES = 100;

/** Rooms in which players write. */
export function createChat(deps: WriteDeps) {
  const { db } = deps;
  const queue = createQueue((wishes) => writeTogether(deps, wishes));
  return {
    /** Whether there is such a room, by its name. */
    hasRoom(room: string): boolean {
      const id = roomIdOf(room);
      return id !== undefined && hasRoom(deps, id);
    },
    send: (sent: Sent): Promise<Acknowledged> => send({ ...deps, queue }, sent),
    addTipLine: (tx: Tx, tip: PublicTip) => addTipLine(tx, deps, tip),

    shown: (ids: readonly bigint[]) => shown(db, ids),
    histories: (roomIds: readonly string[], upTo: bigint) => histories(db, roomIds, upTo),

    moderate: (by: StaffCall, action: z.output<typeof AdminAction>) => moderate(deps, by, action),
    list: (by: StaffCall, query: z.output<typeof StaffQuery>) => list(db, by, query),

    /** Removes what is older than the chat is kept. */
    async purge(): Promise<void> {
      for (let bite = 0; bite < BITES; bite++) if ((await purgeMessages(db, KEEP_DAYS, BITE)) < BITE) return;
    },
    close: queue.close,
  };
}
