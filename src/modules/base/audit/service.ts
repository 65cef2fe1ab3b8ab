import { randomUUID } from 'node:crypto';
import type { Insertable } from 'kysely';
import type { StaffCall } from '../../../http/access.ts';
import type { AdminAudit } from '../../../platform/database.ts';
import type { Db, DbOrTx, Tx } from '../../../platform/db.ts';
import { redact, redactText } from '../../../platform/redact.ts';
import { createAuditList } from './list.ts';
import { createRefusals, enterRefusals } from './refusals.ts';
import { createBatchWriter } from './write-together.ts';

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

type Unasked = { method: string; path: string; service: string; permission: string; status: number };

/** Writes the row of a command on the server, for this user. */
export const recordCommand = (
  tx: Tx,
  { command, userId, change }: { command: string; userId: number; change: Change },
): Promise<void> =>
  recordUnasked(tx, userId, change, {
    method: 'COMMAND',
    path: command,
    service: 'command',
    permission: 'superadmin',
    status: 200,
  });

/** Writes a row of something that the platform itself has noticed about a user's account, and refused. */
export const recordIncident = (
  tx: Tx,
  { what, userId, change }: { what: string; userId: number; change: Change },
): Promise<void> =>
  recordUnasked(tx, userId, change, {
    method: 'INCIDENT',
    path: what,
    service: 'platform',
    permission: 'none',
    status: 403,
  });

/** A row that no request of staff stands behind. */
async function recordUnasked(tx: Tx, userId: number, change: Change, row: Unasked): Promise<void> {
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

/** `reads` is for the list, which may be a little old. */
export function createAudit({ db, reads }: { db: Db; reads: Db }) {
  const writeRow = createBatchWriter<Row>(MOST_AT_ONCE, (rows) => insert(db, rows));
  const countRefusal = createRefusals(db);
  return {
    list: createAuditList(reads),
    /** Records a call that changed nothing: a read, or a refusal. Refusals of people who are not staff are counted. */
    write: (call: StaffCall, status: number): Promise<void> =>
      status >= 400 && !call.user.isStaff ? countRefusal({ call, status }) : writeRow(rowOf(call, status)),
    /** Adds the counts of past hours to the chain. */
    enterRefusals: () => enterRefusals(db),
  };
}

type Row = Insertable<AdminAudit>;

/** Rows of one statement: each holds the lock of the chain, which the changes of staff need too. */
const MOST_AT_ONCE = 100;

async function insert(db: DbOrTx, rows: readonly Row[]): Promise<void> {
  await db.insertInto('admin_audit').values(rows).execute();
}

function rowOf(call: StaffCall, status: number, { before, after, reason }: Change = {}): Row {
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

/** The audit has the only copy of a text that was replaced or deleted: a note is stored whole. */
const LONGEST_KEPT = 5000;

const asJson = (value: unknown, longest?: number) =>
  value === undefined ? null : JSON.stringify(redact(value, longest));
