import { sql } from 'kysely';
import type { Broker } from '../../../src/platform/broker/broker.ts';
import { type Db, type Tx, transaction } from '../../../src/platform/database/db.ts';

/** Creates the table for `consumeOnce`, which records each queue's effects. */
export const createEffects = (db: Db) =>
  sql`create table effects (id bigint generated always as identity, queue text not null, message_id text not null,
    unique (queue, message_id))`.execute(db);

/**
 * Starts an idempotent consumer, as an operator would write it. It stores its effect together with the message id, so the effect happens
 * only once.
 */
export const consumeOnce = (
  broker: Pick<Broker, 'subscribe'>,
  db: Db,
  { queue, pattern }: { queue: string; pattern: string },
  effect: (tx: Tx, messageId: string) => Promise<void> = async () => undefined,
): Promise<void> =>
  broker.subscribe(queue, [pattern], ({ id }) =>
    transaction(db, async (tx) => {
      const { numAffectedRows } =
        await sql`insert into effects (queue, message_id) values (${queue}, ${id}) on conflict do nothing`.execute(
          tx,
        );
      if (numAffectedRows === 1n) await effect(tx, id);
    }),
  );
