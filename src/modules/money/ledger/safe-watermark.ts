import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Db } from '../../../platform/db.ts';
import { isBehindOwn, watermarkOf } from './watermark.ts';

/** Answers an id below which no bet is missing: every snapshot taken from now on sees all that there will ever be. */
export type SafeWatermark = () => Promise<bigint>;

/** All ids that were reserved when the mark was set lie below `below`, and the transactions that reserved them have ids before `xid`. */
type Mark = { below: bigint; xid: string; setAt: number; lookedCloserAt: number };

const PAUSE_MS = 4;
/** After this time a mark that still waits for some transaction of the server is examined by the locks, at most once in this time. */
const CLOSER_MS = 100;

/**
 * How far a reader of bets by id may go. Ids come in blocks and their transactions commit in another order, so a reader that continues
 * after the largest id it has seen misses what commits late.
 *
 * It relies on one thing: a transaction that takes ids has a transaction id already. Whoever takes some for a player has locked or changed
 * the player's row before: that is so in the bet path (`players.lock` and, for a lone bet, `players.advance` go out ahead of `ledger.ids`)
 * and in `post`, which asks for a transaction id where it locks nobody.
 *
 * First the sequence is read, then a transaction id is taken: it is greater than those of all transactions that had ids by then. When no
 * transaction of this database with a smaller id is running, the ids are complete. (The xmax of a snapshot would not do: it is one more
 * than the latest transaction that has ended, and a running transaction may have a greater id.)
 *
 * A snapshot tells cheaply whether any earlier transaction runs on the whole server. Only when one runs longer than bets take, the locks
 * tell which database it belongs to (watermark.ts): transactions of other databases have none of these ids.
 *
 * No call waits long: a mark that is not reached within `patienceMs` is checked again by the next call, so that an unbroken stream of
 * bets, in which some transaction always runs, does not hold it up. A long transaction that writes in this database does.
 */
export function createSafeWatermark(db: Db, { patienceMs = 0 }: { patienceMs?: number } = {}): SafeWatermark {
  const watermark = watermarkOf(db);
  let complete = 0n;
  let mark: Mark | undefined;
  const isReached = async (of: Mark): Promise<boolean> => {
    if (await isBeforeAll(db, of)) {
      watermark.hasStrangers = false;
      return true;
    }
    const now = performance.now();
    if (!watermark.hasStrangers && now - Math.max(of.setAt, of.lookedCloserAt) < CLOSER_MS) return false;
    of.lookedCloserAt = now;
    if (await isBehindOwn(db, of.xid)) return false;
    // While transactions of other databases run, every mark is examined by the locks from the start.
    watermark.hasStrangers = true;
    return true;
  };
  const look = async () => {
    const looked = mark;
    if (looked === undefined) return;
    if (!(await isReached(looked))) return watermark.waits(looked);
    watermark.moved(looked);
    complete = looked.below > complete ? looked.below : complete;
    if (mark === looked) mark = undefined;
  };
  return async () => {
    await look();
    mark ??= await setMark(db, complete);
    await look();
    for (const until = performance.now() + patienceMs; mark && performance.now() < until; await look())
      await sleep(PAUSE_MS);
    return complete;
  };
}

/** No mark where no ids were reserved since: while nothing happens a call costs one round trip and no transaction id. */
async function setMark(db: Db, complete: bigint): Promise<Mark | undefined> {
  const below = await reservedBelow(db);
  if (below <= complete) return undefined;
  const { rows } = await sql<{ xid: string }>`select pg_current_xact_id()::text as xid`.execute(db);
  return { below, xid: rows[0]!.xid, setAt: performance.now(), lookedCloserAt: 0 };
}

/** An id above all that were ever reserved. */
export async function reservedBelow(db: Db): Promise<bigint> {
  // Before its first call the sequence shows the value that the first call will return.
  const { rows } = await sql<{ below: bigint }>`
    select case when is_called then last_value + 1024 else last_value end as below from ledger_ids`.execute(
    db,
  );
  return rows[0]!.below;
}

/** Whether no transaction with a smaller id runs, in any database of the server. */
async function isBeforeAll(db: Db, { xid }: Mark): Promise<boolean> {
  const { rows } = await sql<{ reached: boolean }>`
    select pg_snapshot_xmin(pg_current_snapshot()) > ${xid}::text::xid8 as reached`.execute(db);
  return rows[0]!.reached;
}
