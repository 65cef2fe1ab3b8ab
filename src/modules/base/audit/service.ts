import { randomUUID } from 'node:crypto';
import { type Insertable, type Selectable, sql } from 'kysely';
import type { StaffCall } from '../../../http/access.ts';
import { iso } from '../../../platform/clock.ts';
import { type Db, type DbOrTx, type Tx, transaction } from '../../../platform/database/db.ts';
import { isUnavailable } from '../../../platform/database/errors.ts';
import type { AdminAudit, RefusedCalls } from '../../../platform/database/tables.ts';
import { redact, redactText } from '../../../platform/observability/redact.ts';

/** A change and its reason. `before` and `after` contain the fields that differ, without secrets. */
type Change = { before?: object; after?: object; reason?: string | undefined };

export type Audit = ReturnType<typeof createAudit>;

/**
 * Writes the audit row of a change in the transaction of the change, so that either both or neither are stored. This must be the last call
 * in the transaction, because its lock blocks the audit rows of all other staff until the transaction ends.
 */
export async function recordAudit(tx: Tx, call: StaffCall, change: Change = {}): Promise<void> {
  await insert(tx, [rowOf(call, call.status, change)]);
  call.isRecorded = true;
}

type PlatformAction = { method: string; path: string; service: string; permission: string; status: number };

/** Writes the audit row for a command that was run on the server and changes this user. */
export const recordCommand = (
  tx: Tx,
  { command, userId, change }: { command: string; userId: number; change: Change },
): Promise<void> =>
  recordPlatformAction(tx, userId, change, {
    method: 'COMMAND',
    path: command,
    service: 'command',
    permission: 'superadmin',
    status: 200,
  });

/** Writes the audit row for an attack on a user's account that the platform detected and prevented. */
export const recordIncident = (
  tx: Tx,
  { what, userId, change }: { what: string; userId: number; change: Change },
): Promise<void> =>
  recordPlatformAction(tx, userId, change, {
    method: 'INCIDENT',
    path: what,
    service: 'platform',
    permission: 'none',
    status: 403,
  });

/** Writes an audit row that does not belong to a staff request. */
async function recordPlatformAction(
  tx: Tx,
  userId: number,
  change: Change,
  row: PlatformAction,
): Promise<void> {
  const user = {
    id: userId,
    sessionId: '',
    isStaff: true,
    isSuperAdmin: true,
    isActivated: true,
    isMfaMissing: false,
  };
  const call: StaffCall = {
    ...row,
    user: { ...user, permissions: new Set() },
    body: undefined,
    ip: '',
    requestId: randomUUID(),
    isRecorded: false,
  };
  await recordAudit(tx, call, change);
}

export function createAudit({ db }: { db: Db }) {
  const writeRow = createBatchWriter<Row>(MAX_ROWS, (rows) => insert(db, rows));
  const countRefusal = createRefusals(db);
  return {
    /** Records a read or a rejected call. Rejected calls of users who are not staff are only counted. */
    write: (call: StaffCall, status: number, after?: object): Promise<void> =>
      status >= 400 && !call.user.isStaff
        ? countRefusal({ call, status })
        : writeRow(rowOf(call, status, after && { after })),
    enterRefusals: () => enterRefusals(db),
  };
}

type Row = Insertable<AdminAudit>;

/** The maximum number of rows in one statement. Each statement holds the lock on the hash chain, and staff changes need the same lock. */
const MAX_ROWS = 100;

async function insert(db: DbOrTx, rows: readonly Row[]): Promise<void> {
  await db.insertInto('admin_audit').values(rows).execute();
}

function rowOf(call: StaffCall, status: number, { before, after, reason }: Change = {}): Row {
  return {
    // The trigger sets the row's number, time and hash.
    id: 0n,
    created_at: new Date(0),
    hash: Buffer.alloc(0),
    user_id: call.user.id,
    method: call.method,
    path: redactText(call.path),
    service: call.service,
    permission: call.permission,
    status_code: status,
    reason: reason === undefined ? null : redactText(reason, 1000),
    request_body: asJson(call.body),
    before: asJson(before, MAX_TEXT),
    after: asJson(after, MAX_TEXT),
    ip: call.ip,
    request_id: call.requestId,
  };
}

/** The audit log contains the only copy of a replaced or deleted text, so notes must be stored in full. */
const MAX_TEXT = 5000;

const asJson = (value: unknown, longest?: number) =>
  value === undefined ? null : JSON.stringify(redact(value, longest));

/** The maximum number of calls that one statement counts. */
const MOST_AT_ONCE = 1000;
/** The maximum number of rows (one for each user and hour) that one transaction adds to the hash chain. */
const ROWS_PER_BATCH = 200;

type Refused = { call: StaffCall; status: number };

/** Counts rejected calls of users who are not staff, in one row for each user and hour. Takes no lock that staff or other users need. */
const createRefusals = (db: Db) => createBatchWriter<Refused>(MOST_AT_ONCE, (batch) => count(db, batch));

async function count(db: Db, batch: readonly Refused[]): Promise<void> {
  const byUser = [...Map.groupBy(batch, ({ call }) => call.user.id)];
  // Rows are written in a fixed order to prevent deadlocks between processes.
  const rows = byUser.sort(([a], [b]) => a - b).map(([userId, refused]) => refusalRowOf(userId, refused));
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

function refusalRowOf(userId: number, refused: readonly Refused[]) {
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
 * Moves the counts of past hours into the hash chain, one row for each user and hour, exactly once. Waits until a minute after the end of
 * an hour, because all counts of the hour are committed by then.
 */
async function enterRefusals(db: Db): Promise<void> {
  for (let entered = ROWS_PER_BATCH; entered === ROWS_PER_BATCH; )
    entered = await transaction(db, async (tx) => {
      const { rows } = await sql<Hour>`
        delete from refused_calls where (hour, user_id) in (
          select hour, user_id from refused_calls where hour < date_trunc('hour', now() - interval '1 minute', 'UTC')
          order by hour, user_id limit ${ROWS_PER_BATCH} for update skip locked
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

type Waiting<T> = { item: T; done: () => void; failed: (error: unknown) => void };

/**
 * Writes items in batches, with at most one statement at a time in each process. Items that arrive while a statement is in flight share the
 * next one, up to `most` items. The writer never uses more than one connection.
 */
function createBatchWriter<T>(most: number, write: (items: readonly T[]) => Promise<void>) {
  const waiting: Waiting<T>[] = [];
  let isWriting = false;
  const work = async () => {
    isWriting = true;
    while (waiting.length > 0) await writeTogether(waiting.splice(0, most), write);
    isWriting = false;
  };
  return (item: T): Promise<void> =>
    new Promise((done, failed) => {
      waiting.push({ item, done, failed });
      if (!isWriting) void work();
    });
}

/**
 * Writes a batch. If that fails, writes its items one by one, so that an item that cannot be stored does not prevent the others from being
 * stored.
 */
async function writeTogether<T>(
  batch: readonly Waiting<T>[],
  write: (items: readonly T[]) => Promise<void>,
): Promise<void> {
  try {
    await write(batch.map(({ item }) => item));
    for (const { done } of batch) done();
  } catch (error) {
    if (batch.length === 1 || isUnavailable(error)) for (const { failed } of batch) failed(error);
    else for (const one of batch) await writeTogether([one], write);
  }
}
