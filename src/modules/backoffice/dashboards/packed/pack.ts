import { type Db, transaction } from '../../../../platform/database/db.ts';
import { sqlState } from '../../../../platform/database/errors.ts';
import { packDay, readDaysToPack, type Source } from './queries.ts';

const SOURCES: readonly Source[] = ['play', 'deposit'];
const LOCK_NOT_AVAILABLE = '55P03';

/** Packs all past days, latest first. A locked day is skipped until the next run. */
export async function packDays(db: Db, closing?: AbortSignal): Promise<void> {
  for (const source of SOURCES)
    for (const day of await readDaysToPack(db, source)) {
      if (closing?.aborted) return;
      await transaction(db, (tx) => packDay(tx, source, day)).catch((error) => {
        if (sqlState(error) !== LOCK_NOT_AVAILABLE) throw error;
      });
    }
}
