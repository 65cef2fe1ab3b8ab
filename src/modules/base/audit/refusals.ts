import { type Selectable, sql } from 'kysely';
import type { StaffCall } from '../../../http/access.ts';
import { iso } from '../../../platform/clock.ts';
import { type Db, transaction } from '../../../platform/database/db.ts';
import type { RefusedCalls } from '../../../platform/database/tables.ts';
import { redactText } from '../../../platform/observability/redact.ts';
import { createBatchWriter } from './write-together.ts';

/** Maximum number of calls that one statement counts. */
const MOST_AT_ONCE = 1000;
/** Maximum number of rows (one for each user and hour) that one transaction adds to the chain. */
const BATCH = 200;

type Refused = { call: StaffCall; status: number };

/**
 * Counts rejected calls of users who are not staff, in one row for each user and hour. Takes no lock that staff or another user needs.
 */
export const createRefusals = (db: Db) =>
  createBatchWriter<Refused>(MOST_AT_ONCE, (batch) => count(db, batch));

async function count(db: Db, batch: readonly Refused[]): Promise<void> {
  const byUser = [...Map.groupBy(batch, ({ call }) => call.user.id)];
  // A fixed order prevents deadlocks between processes.
  const rows = byUser.sort(([a], [b]) => a - b).map(([userId, refused]) => rowOf(userId, refused));
  await db
    .insertInto('refused_calls')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['hour', 'user_id']).doUpdateSet(({ ref }) => ({
        calls: sql<bigint>`refused_calls.calls + excluded.calls`,
        last_at: ref('excluded.last_at'),
        method: ref('excluded.method'),
        path: ref('excluded.path'),
        service: ref('excluded.service'),
        permission: ref('excluded.permission'),
        status_code: ref('excluded.status_code'),
        ip: ref('excluded.ip'),
        request_id: ref('excluded.request_id'),
      })),
    )
    .execute();
}

function rowOf(userId: number, refused: readonly Refused[]) {
  const { call, status } = refused.at(-1)!;
  return {
    hour: sql<Date>`date_trunc('hour', now(), 'UTC')`,
    user_id: userId,
    calls: BigInt(refused.length),
    first_at: sql<Date>`now()`,
    last_at: sql<Date>`now()`,
    method: call.method,
    path: redactText(call.path),
    service: call.service,
    permission: call.permission,
    status_code: status,
    ip: call.ip,
    request_id: call.requestId,
  };
}

/**
 * Moves the counts of past hours into the chain, one row for each user and hour, exactly once. Waits a minute after the end of an hour,
 * when all its counts are committed.
 */
export async function enterRefusals(db: Db): Promise<void> {
  for (let entered = BATCH; entered === BATCH; )
    entered = await transaction(db, async (tx) => {
      const { rows } = await sql<Hour>`
        delete from refused_calls where (hour, user_id) in (
          select hour, user_id from refused_calls where hour < date_trunc('hour', now() - interval '1 minute', 'UTC')
          order by hour, user_id limit ${BATCH} for update skip locked
        )
        returning *`.execute(tx);
      const inOrder = rows.sort((a, b) => Number(a.hour) - Number(b.hour) || a.user_id - b.user_id);
      if (rows.length > 0) await tx.insertInto('admin_audit').values(inOrder.map(entryOf)).execute();
      return rows.length;
    });
}

type Hour = Selectable<RefusedCalls>;

const entryOf = ({ hour: _, calls, first_at, last_at, ...last }: Hour) => ({
  ...last,
  // The trigger sets the row's number, time and hash.
  id: 0n,
  created_at: new Date(0),
  hash: Buffer.alloc(0),
  reason: 'Rejected calls of one hour by a user who is not staff; this row shows the last one.',
  after: JSON.stringify({ refusedCalls: Number(calls), firstAt: iso(first_at), lastAt: iso(last_at) }),
});
