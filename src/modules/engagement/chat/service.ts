import type { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import { createConcurrencyLimit, createConcurrencyLimitByKey } from '../../../platform/concurrency-limit.ts';
import type { Config } from '../../../platform/config.ts';
import type { Tx } from '../../../platform/db.ts';
import { chatErrors } from './errors.ts';
import { list } from './list.ts';
import { moderate } from './moderate.ts';
import { purgeMessages } from './queries.ts';
import type { AdminAction, StaffQuery } from './schemas.ts';
import {
  type Acknowledged,
  addTipLine,
  hasRoom,
  type PublicTip,
  roomIdOf,
  type SendDeps,
  type Sent,
  send,
} from './send.ts';
import { histories, shown } from './show.ts';

export type Chat = ReturnType<typeof createChat>;

type Deps = SendDeps & { config: Pick<Config, 'DATABASE_POOL_SIZE'> };

const KEEP_DAYS = 30;
/** Messages of one player that wait for the one before. */
const WAITING = 3;
/** Messages of all players that wait for a connection. */
const QUEUE = 5000;
/** Messages that one statement purges, and statements of one turn. */
const BITE = 5000;
const BITES = 100;

/** Rooms in which players write. */
export function createChat(deps: Deps) {
  const { db, config } = deps;
  const inTurn = createTurns(config);
  return {
    /** Whether there is such a room, by its name. */
    hasRoom(room: string): boolean {
      const id = roomIdOf(room);
      return id !== undefined && hasRoom(deps, id);
    },
    /** Throws as `send` does, 429 CHAT_TOO_FAST also while several messages of the player wait. */
    send: (sent: Sent): Promise<Acknowledged> => inTurn(sent.userId, () => send(deps, sent)),
    addTipLine: (tx: Tx, tip: PublicTip) => addTipLine(tx, deps, tip),

    shown: (ids: readonly bigint[]) => shown(db, ids),
    histories: (roomIds: readonly string[], upTo: bigint) => histories(db, roomIds, upTo),

    moderate: (by: StaffCall, action: z.output<typeof AdminAction>) => moderate(deps, by, action),
    list: (by: StaffCall, query: z.output<typeof StaffQuery>) => list(db, by, query),

    /** Removes what is older than the chat is kept. */
    async purge(): Promise<void> {
      for (let bite = 0; bite < BITES; bite++) if ((await purgeMessages(db, KEEP_DAYS, BITE)) < BITE) return;
    },
  };
}

/** Of one player one message at a time, and of all so few that the connections of the process are left to others. */
function createTurns({ DATABASE_POOL_SIZE }: Deps['config']) {
  const refusal = () => chatErrors.CHAT_TOO_FAST({ retryAfterSeconds: 1 });
  const ofPlayer = createConcurrencyLimitByKey({ concurrency: 1, queue: WAITING, refusal });
  const concurrency = Math.max(1, Math.floor(DATABASE_POOL_SIZE / 4));
  const ofAll = createConcurrencyLimit({ concurrency, queue: QUEUE });
  return async <T>(userId: number, work: () => Promise<T>): Promise<T> => {
    await ofPlayer.enter(userId);
    try {
      return await ofAll(work);
    } finally {
      ofPlayer.leave(userId);
    }
  };
}
