import { randomUUID } from 'node:crypto';
import type { Insertable } from 'kysely';
import type { StaffCall } from '../../../http/access.ts';
import type { AdminAudit } from '../../../platform/database.ts';
import { isUnavailable } from '../../../platform/database-errors.ts';
import type { Db, DbOrTx, Tx } from '../../../platform/db.ts';
import { redact, redactText } from '../../../platform/redact.ts';
import { createAuditList } from './list.ts';
import { createRefusals, enterRefusals } from './refusals.ts';

/** What a change was, and why it was made. `before` and `after` hold what differs, without secrets. */
export type Change = { before?: object; after?: object; reason?: string | undefined };

export type Audit = ReturnType<typeof createAudit>;

/**
 * Writes the row of a call that changes something, in the transaction of the change: either both are there or neither is.
 * Call it last: its lock orders the rows of all staff until the transaction ends.
 */
export async function recordAudit(tx: Tx, call: StaffCall, change: Change = {}): Promise<void> {
  await insert(tx, [rowOf(call, call.status, change)]);
  call.isRecorded = true;
}

/** Writes the row of what was done by a command on the server, for this user. */
export async function recordCommand(
  tx: Tx,
  { command, userId, change }: { command: string; userId: number; change: Change },
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
    user: { ...user, permissions: new Set() },
    service: 'command',
    method: 'COMMAND',
    path: command,
    permission: 'superadmin',
    body: undefined,
    ip: '',
    requestId: randomUUID(),
    status: 200,
    isRecorded: false,
  };
  await recordAudit(tx, call, change);
}

/** `reads` is for the list, which may be a little old. */
export function createAudit({ db, reads = db }: { db: Db; reads?: Db }) {
  const write = createWriter(db);
  const refuse = createRefusals(db);
  return {
    list: createAuditList(reads),
    /** Writes down a call that changed nothing: a read, or a refusal. Refusals of people who are not staff are counted. */
    write: (call: StaffCall, status: number): Promise<void> =>
      status >= 400 && !call.user.isStaff ? refuse(call, status) : write(call, status),
    /** Enters what was counted in the hours that are over into the chain. */
    enterRefusals: () => enterRefusals(db),
  };
}

type Row = Insertable<AdminAudit>;
type Waiting = { row: Row; done: () => void; failed: (error: unknown) => void };

const MOST_AT_ONCE = 100;

/**
 * The rows of calls that change nothing, one statement at a time and process: what arrives while one is under way goes with
 * the next. However many staff read at once, they hold the lock of the chain once and one connection.
 */
function createWriter(db: Db) {
  const waiting: Waiting[] = [];
  let isWriting = false;
  const work = async () => {
    isWriting = true;
    while (waiting.length > 0) await writeTogether(db, waiting.splice(0, MOST_AT_ONCE));
    isWriting = false;
  };
  return (call: StaffCall, status: number): Promise<void> =>
    new Promise((done, failed) => {
      waiting.push({ row: rowOf(call, status, {}), done, failed });
      if (!isWriting) void work();
    });
}

/** One row that cannot be stored must not take the others with it. */
async function writeTogether(db: Db, batch: readonly Waiting[]): Promise<void> {
  try {
    await insert(
      db,
      batch.map(({ row }) => row),
    );
    for (const { done } of batch) done();
  } catch (error) {
    if (batch.length === 1 || isUnavailable(error)) for (const { failed } of batch) failed(error);
    else for (const one of batch) await writeTogether(db, [one]);
  }
}

async function insert(db: DbOrTx, rows: readonly Row[]): Promise<void> {
  await db.insertInto('admin_audit').values(rows).execute();
}

function rowOf(call: StaffCall, status: number, { before, after, reason }: Change): Row {
  return {
    // The trigger gives the row its number, time and hash.
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
    before: asJson(before, LONGEST_KEPT),
    after: asJson(after, LONGEST_KEPT),
    ip: call.ip,
    request_id: call.requestId,
  };
}

/** A text that a change has replaced or taken away is nowhere else: a note is kept whole. */
const LONGEST_KEPT = 5000;

const asJson = (value: unknown, longest?: number) =>
  value === undefined ? null : JSON.stringify(redact(value, longest));
