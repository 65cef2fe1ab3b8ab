import type { RawBuilder } from 'kysely';
import type { Db } from './db.ts';

/** Runs a statement that changes a limited number of rows until it finds none. Each run is its own transaction. */
export async function untilNone(db: Db, statement: RawBuilder<unknown>): Promise<void> {
  while ((await statement.execute(db)).numAffectedRows);
}
