import { sql } from 'kysely';
import type { Db } from '../../../platform/database/db.ts';

/** A position at which the hash chain is broken. */
export type Break = {
  kind: 'changed' | 'missing' | 'inserted' | 'head';
  /** The affected row, or the first of several missing rows. */
  id: bigint;
  problem: string;
};
export type Head = { id: bigint; hash: string };
export type Verdict = { head: Head; rows: number; breaks: Break[] };

type Link = { id: bigint; hash: Buffer; isSound: boolean };

/** The hash that is used as the predecessor of the first row. */
const BEGINNING = `sha256('croupier audit')`;

/**
 * Recomputes the hash of every audit row from the previous row. Reads in batches by number while the platform keeps writing. Rows added
 * after the start are verified in the next run. `kept` is the head of the chain (last row number and hash) that an earlier run printed. The
 * row with that number must still have that hash. This detects that the last rows were deleted and the head was changed to match.
 */
export async function verifyAudit(
  db: Db,
  { kept, batch = 5000 }: { kept?: Head | undefined; batch?: number } = {},
): Promise<Verdict> {
  const breaks: Break[] = [];
  const { head, stray } = await readHead(db);
  for (const id of stray)
    breaks.push({ kind: 'inserted', id, problem: 'is outside the range of issued numbers' });
  const first = await sql<{ hash: Buffer }>`select ${sql.raw(BEGINNING)} as hash`.execute(db);
  let last: Link = { id: 0n, hash: first.rows[0]!.hash, isSound: true };
  let rows = 0;
  while (last.id < head.id) {
    const links = await readLinks(db, last, head.id, batch);
    for (const link of links) {
      breaks.push(...breaksBetween(last, link));
      if (kept?.id === link.id) breaks.push(...breakOfKept(kept, link));
      last = link;
    }
    rows += links.length;
    if (links.length === 0) break;
  }
  if (last.id < head.id) breaks.push(missing(last.id + 1n, head.id));
  else if (last.hash.toString('hex') !== head.hash)
    breaks.push({
      kind: 'head',
      id: head.id,
      problem: 'the head does not contain the hash of the newest row',
    });
  if (kept && kept.id > head.id) breaks.push(missing(head.id + 1n, kept.id));
  return { head, rows, breaks };
}

/** Reads, in one snapshot, the head of the chain and the rows with numbers outside its range. */
async function readHead(db: Db): Promise<{ head: Head; stray: bigint[] }> {
  const { rows } = await sql<{ id: bigint; hash: string; stray: string[] }>`
    select id, encode(hash, 'hex') as hash, array(
      (select a.id::text from admin_audit a where a.id > h.id order by a.id limit 100)
      union all (select a.id::text from admin_audit a where a.id < 1 order by a.id limit 100)) as stray
    from admin_audit_head h`.execute(db);
  const found = rows[0];
  if (!found)
    throw new Error('The head of the audit log is missing, so the platform cannot write to the log either.');
  return { head: { id: found.id, hash: found.hash }, stray: found.stray.map(BigInt) };
}

async function readLinks(db: Db, after: Link, until: bigint, limit: number): Promise<Link[]> {
  const { rows } = await sql<Link>`
    select id, hash, hash = audit_hash(lag(hash, 1, ${after.hash}::bytea) over (order by id), whole) as "isSound"
    from (
      select a as whole, a.id, a.hash from admin_audit a
      where a.id > ${after.id} and a.id <= ${until} order by a.id limit ${limit}
    ) batch
    order by id`.execute(db);
  return rows;
}

/** The hash before a gap is unknown, so the first row after a gap is not reported if its hash does not match. */
function breaksBetween(last: Link, link: Link): Break[] {
  if (link.id !== last.id + 1n) return [missing(last.id + 1n, link.id - 1n)];
  if (link.isSound) return [];
  const problem = `does not follow from ${last.id}: one of the two was changed or inserted`;
  return [{ kind: 'changed', id: link.id, problem }];
}

function breakOfKept(kept: Head, link: Link): Break[] {
  if (link.hash.toString('hex') === kept.hash) return [];
  return [{ kind: 'changed', id: link.id, problem: 'does not have the hash of the saved head' }];
}

const missing = (from: bigint, to: bigint): Break => ({
  kind: 'missing',
  id: from,
  problem: from === to ? 'is missing' : `to ${to} are missing`,
});
