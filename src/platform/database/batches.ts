import type { RawBuilder } from 'kysely';
import type { Db } from './db.ts';

/** Repeats a statement that changes a limited number of rows until no rows are left to change. Each run is a separate transaction. */
export async function untilNone(db: Db, statement: RawBuilder<unknown>): Promise<void> {
  while ((await statement.execute(db)).numAffectedRows);
}
