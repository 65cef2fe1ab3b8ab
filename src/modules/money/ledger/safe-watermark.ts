import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Db } from '../../../platform/db.ts';
import { isBehindOwn, watermarkOf } from './watermark.ts';

/** Answers an id below which every bet that will ever be there is there, and seen by every snapshot taken from now on. */
export type SafeWatermark = () => Promise<bigint>;

/** What was reserved by then lies below `below`; whoever reserved it has a transaction id before `xid`. */
type Mark = { below: bigint; xid: string; setAt: number; lookedCloserAt: number };

const PAUSE_MS = 4;
/** So long a mark waits for whatever runs on the server, then it is looked at more closely, and not more often than that. */
const CLOSER_MS = 100;

/**
 * How far a reader of bets by id may go. Ids come in blocks and their transactions commit in another order, so whoever reads on
 * from the largest id seen so far misses what commits late.
 *
 * It rests on one thing: who takes ids for a player has locked or changed the player's row before, and with it has got a transaction
 * id. That is so in the bet path (`players.lock` and, for a lone bet, `players.advance` go out ahead of `ledger.ids`) and in
 * `post`. An entry of the platform alone locks nobody; it makes no bet.
 *
 * First the sequence is read, then a transaction id is taken: it comes after those of everybody who had ids by then. When no
 * transaction of this database before it runs any more, the ids are complete. (The xmax of a snapshot would not do in its place: it
 * follows what has ended, not what has begun, and may lie before the id of a transaction that runs.)
 *
 * A snapshot says at once whether any transaction before it runs, on the whole server. Only when one does for longer than bets take, the
 * locks tell whose it is (watermark.ts): transactions of other databases have no ids of ours.
 *
 * Nothing waits for long: a mark that is not reached within `patienceMs` is looked at again by the next call, so that an unbroken
 * stream of bets, in which some transaction always runs, holds nothing up. A long transaction that writes in this database does.
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
    // As long as others' transactions run, every mark is looked at closely from the start.
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

/** No mark where nobody has reserved ids since: one round trip, and no transaction id, for who asks while all is quiet. */
async function setMark(db: Db, complete: bigint): Promise<Mark | undefined> {
  const below = await reservedBelow(db);
  if (below <= complete) return undefined;
  const { rows } = await sql<{ xid: string }>`select pg_current_xact_id()::text as xid`.execute(db);
  return { below, xid: rows[0]!.xid, setAt: performance.now(), lookedCloserAt: 0 };
}

/** An id that nobody has been given yet: all that were lie below. */
export async function reservedBelow(db: Db): Promise<bigint> {
  // Before its first call the sequence shows the value that it will give then.
  const { rows } = await sql<{ below: bigint }>`
    select case when is_called then last_value + 1024 else last_value end as below from ledger_ids`.execute(
    db,
  );
  return rows[0]!.below;
}

/** Whether no transaction before it runs, in any database of the server. */
async function isBeforeAll(db: Db, { xid }: Mark): Promise<boolean> {
  const { rows } = await sql<{ reached: boolean }>`
    select pg_snapshot_xmin(pg_current_snapshot()) > ${xid}::text::xid8 as reached`.execute(db);
  return rows[0]!.reached;
}
