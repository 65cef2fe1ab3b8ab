import type { RawBuilder } from 'kysely';
import type { Db } from './db.ts';

/** Runs a statement that changes a bounded number of rows, each time committed by itself, until it finds none. */
export async function untilNone(db: Db, statement: RawBuilder<unknown>): Promise<void> {
  while ((await statement.execute(db)).numAffectedRows);
}
