import { type Db, type Tx, transaction } from '../../platform/db.ts';
import { createHorizon } from '../ledger/horizon.ts';
import { addBets, hasNews, lockCursor, moveCursor } from './queries.ts';

const BATCH = 5000;
/** A rebuild takes many turns: the worker gets room to end between two of them. */
const TURN_MS = 2000;

/** Takes settled bets into the sums of their players, each exactly once, in the order of their ids. */
export function createConsumer(db: Db) {
  const horizon = createHorizon(db);

  /** Takes in the next `batch` bets at most; answers how many. 0 says that there is nothing yet that may be taken. */
  const consume = async (batch = BATCH): Promise<number> => {
    if (!(await hasNews(db))) return 0;
    const below = await horizon();
    return transaction(db, (tx) => takeIn(tx, { below, batch }));
  };

  return {
    consume,
    /** Batch after batch until nothing is left, or for the time of a turn. */
    async catchUp(): Promise<void> {
      const until = performance.now() + TURN_MS;
      while ((await consume()) === BATCH && performance.now() < until);
    },
  };
}

/** Sums and cursor move together: whatever ends the process, a bet is in both or in neither. */
export async function takeIn(tx: Tx, range: { below: bigint; batch: number }): Promise<number> {
  const cursor = await lockCursor(tx);
  const { taken, last } = await addBets(tx, cursor, range);
  if (taken > 0) await moveCursor(tx, { ...cursor, position: last });
  return taken;
}
