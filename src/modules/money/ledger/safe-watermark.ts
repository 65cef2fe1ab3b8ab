import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/db.ts';
import { isBehindOwn, watermarkOf } from './watermark.ts';

/** Returns an id below which no bet is missing: every later snapshot contains all rows that will ever exist below it. */
type SafeWatermark = () => Promise<bigint>;

/**
 * A position to wait for. All ids reserved before the mark are lower than `below`. The transactions that reserved them have transaction ids
 * lower than `xid`.
 */
type Mark = { below: bigint; xid: string; setAt: number; lookedCloserAt: number };

const PAUSE_MS = 4;
/** A mark that has waited this long is checked by querying the locks, at most once per period of this length. */
const CLOSER_MS = 100;

/**
 * Determines up to which id a reader of bets may read. Ids are reserved in blocks whose transactions commit in a different order. A reader
 * that continues after the largest id it has read would miss late commits.
 *
 * The watermark relies on one rule: a transaction that reserves ids already has a transaction id, because it has locked or changed the
 * player's row before. The bet path follows this rule: `players.lock` and, for a lone bet, `players.advance` precede `ledger.ids`. `post`
 * follows it too, and requests a transaction id if it locks no players.
 *
 * The check first reads the sequence, then requests a transaction id. The new transaction id is greater than those of all transactions that
 * had reserved ids by then. Once no transaction of this database with a smaller transaction id is running, the ids are complete. The xmax of
 * a snapshot cannot be used instead. It is one more than the id of the latest ended transaction, so a running transaction may have a greater
 * id.
 *
 * A snapshot shows cheaply whether any earlier transaction is running on the whole server. Only if one runs longer than bets usually do are
 * the locks queried to find out which database it belongs to (watermark.ts). Transactions of other databases have reserved none of these
 * ids.
 *
 * No call waits long: a mark that is not reached within `patienceMs` is checked again by the next call. An unbroken stream of bets, in which
 * some transaction is always running, does not delay the watermark. A long transaction that writes in this database does.
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
    // While long transactions of other databases run, the locks are queried for every mark immediately.
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

/** Returns undefined if no ids were reserved since `complete`. A call without new ids costs one round trip and no transaction id. */
async function setMark(db: Db, complete: bigint): Promise<Mark | undefined> {
  const below = await reservedBelow(db);
  if (below <= complete) return undefined;
  const { rows } = await sql<{ xid: string }>`select pg_current_xact_id()::text as xid`.execute(db);
  return { below, xid: rows[0]!.xid, setAt: performance.now(), lookedCloserAt: 0 };
}

/** Returns an id that is higher than all reserved ids. */
export async function reservedBelow(db: Db): Promise<bigint> {
  // Until the first id is reserved, `last_value` is the id that will be reserved first.
  const { rows } = await sql<{ below: bigint }>`
    select case when is_called then last_value + 1024 else last_value end as below from ledger_ids`.execute(
    db,
  );
  return rows[0]!.below;
}

/** Returns true if no transaction with a smaller id runs in any database of the server. */
async function isBeforeAll(db: Db, { xid }: Mark): Promise<boolean> {
  const { rows } = await sql<{ reached: boolean }>`
    select pg_snapshot_xmin(pg_current_snapshot()) > ${xid}::text::xid8 as reached`.execute(db);
  return rows[0]!.reached;
}

/** Callers that arrive within this time share one query. */
const SHARED_MS = 450;

type HasWork = (wereIdsTaken: boolean) => Promise<boolean>;
export type IdsTaken = ReturnType<typeof createIdsTaken>;

/**
 * Allows jobs that follow ledger ids (bets, postings, events) to skip their query while there can be no new rows, because every new row
 * reserves an id. Two statements a second serve all jobs. They compare safe watermarks, so a late commit may be noticed late but is never
 * missed.
 */
export function createIdsTaken(db: Db, { sharedMs = SHARED_MS } = {}) {
  const safeWatermark = createSafeWatermark(db);
  let askedAt = Number.NEGATIVE_INFINITY;
  let asked = Promise.resolve(0n);
  const complete = (): Promise<bigint> => {
    if (performance.now() - askedAt < sharedMs) return asked;
    askedAt = performance.now();
    asked = safeWatermark();
    // The error is handled by the callers that await this.
    asked.catch(() => undefined);
    return asked;
  };

  return {
    /**
     * Returns a function that returns true if one job has work. That function calls `hasWork` if ids were reserved since `hasWork` last
     * returned false. After `leastMs` it calls `hasWork` in any case, because work may have other causes. The argument of `hasWork` is true
     * if ids were reserved.
     */
    since(hasWork: HasWork, leastMs: number): () => Promise<boolean> {
      let known = -1n;
      let lookedAt = Number.NEGATIVE_INFINITY;
      return async () => {
        const now = await complete();
        if (now === known && performance.now() - lookedAt < leastMs) return false;
        if (await hasWork(now !== known)) return true;
        known = now;
        lookedAt = performance.now();
        return false;
      };
    },
  };
}
