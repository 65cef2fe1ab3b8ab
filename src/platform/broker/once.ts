import { sql } from 'kysely';
import { type Db, type Tx, transaction } from '../db.ts';
import type { Broker, Message, SubscribeOptions } from './broker.ts';

/** Longer than any message is on its way; a dead letter was not taken in and is not remembered. */
const KEPT_DAYS = 30;

/**
 * Subscribes with an effect in the database that happens once, however often the message comes: what was taken in is remembered in the
 * transaction of the effect. A throw rolls both back, and the message comes again.
 */
export function subscribeOnce(
  { broker, db }: { broker: Broker; db: Db },
  { queue, patterns, ...options }: { queue: string; patterns: readonly string[] } & SubscribeOptions,
  handle: (tx: Tx, message: Message) => Promise<void>,
): Promise<void> {
  const takeIn = (message: Message) =>
    transaction(db, async (tx) => {
      if (await isNew(tx, queue, message.id)) await handle(tx, message);
    });
  return broker.subscribe(queue, patterns, takeIn, options);
}

/** A second delivery at the same moment waits here for the end of the first. */
async function isNew(tx: Tx, queue: string, id: string): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('consumed_messages')
    .values({ queue, message_id: id })
    .onConflict((c) => c.doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

export async function purgeConsumed(db: Db): Promise<void> {
  await sql`delete from consumed_messages where consumed_at < now() - ${KEPT_DAYS}::int * interval '1 day'`.execute(
    db,
  );
}
