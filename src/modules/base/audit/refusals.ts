import { sql } from 'kysely';
import type { StaffCall } from '../../../http/access.ts';
import { iso } from '../../../platform/clock.ts';
import { type Db, transaction } from '../../../platform/db.ts';
import { redactText } from '../../../platform/redact.ts';

/** Calls of one statement; the next takes what arrives meanwhile. */
const MOST_AT_ONCE = 1000;
/** Hours of users that one transaction enters into the chain. */
const BATCH = 200;

type Refused = { call: StaffCall; status: number };
type Waiting = Refused & { done: () => void; failed: (error: unknown) => void };

/**
 * Counts refused calls of people who are not staff: one statement at a time and process, with one row for each user in it, however many
 * calls there were. It takes no lock that staff or another user needs.
 */
export function createRefusals(db: Db) {
  const waiting: Waiting[] = [];
  let isWriting = false;
  const work = async () => {
    isWriting = true;
    while (waiting.length > 0) {
      const batch = waiting.splice(0, MOST_AT_ONCE);
      await count(db, batch).then(
        () => {
          for (const { done } of batch) done();
        },
        (error: unknown) => {
          for (const { failed } of batch) failed(error);
        },
      );
    }
    isWriting = false;
  };
  return (call: StaffCall, status: number): Promise<void> =>
    new Promise((done, failed) => {
      waiting.push({ call, status, done, failed });
      if (!isWriting) void work();
    });
}

async function count(db: Db, batch: readonly Refused[]): Promise<void> {
  const byUser = [...Map.groupBy(batch, ({ call }) => call.user.id)];
  // In one order, so that no two processes wait for each other.
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
 * Enters the hours that are over into the chain, one row each, and forgets them in the same transaction: each is entered once. A
 * minute later than their end, when what was counted in them has been committed.
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

type Hour = {
  hour: Date;
  user_id: number;
  calls: bigint;
  first_at: Date;
  last_at: Date;
  method: string;
  path: string;
  service: string;
  permission: string;
  status_code: number;
  ip: string;
  request_id: string;
};

const entryOf = ({ hour: _, calls, first_at, last_at, ...last }: Hour) => ({
  ...last,
  // The trigger gives the row its number, time and hash.
  id: 0n,
  created_at: new Date(0),
  hash: Buffer.alloc(0),
  reason: 'Refused calls of one hour, by somebody who is not staff: this is the last of them.',
  after: JSON.stringify({ refusedCalls: Number(calls), firstAt: iso(first_at), lastAt: iso(last_at) }),
});
