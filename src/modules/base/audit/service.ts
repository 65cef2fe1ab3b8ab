import { randomUUID } from 'node:crypto';
import type { Insertable } from 'kysely';
import type { StaffCall } from '../../../http/access.ts';
import type { Db, DbOrTx, Tx } from '../../../platform/database/db.ts';
import type { AdminAudit } from '../../../platform/database/tables.ts';
import { redact, redactText } from '../../../platform/observability/redact.ts';
import { createRefusals, enterRefusals } from './refusals.ts';
import { createBatchWriter } from './write-together.ts';

/** A change and its reason. `before` and `after` contain the fields that differ, without secrets. */
export type Change = { before?: object; after?: object; reason?: string | undefined };

export type Audit = ReturnType<typeof createAudit>;

/**
 * Writes the audit row of a change in the transaction of the change, so that both are stored or neither is. Call it last: its lock
 * serializes the rows of all staff until the transaction ends.
 */
export async function recordAudit(tx: Tx, call: StaffCall, change: Change = {}): Promise<void> {
  await insert(tx, [rowOf(call, call.status, change)]);
  call.isRecorded = true;
}

type PlatformAction = { method: string; path: string; service: string; permission: string; status: number };

/** Writes the audit row of a command on the server that changes this user. */
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

/** Writes the audit row of an incident with a user's account that the platform has detected and rejected. */
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

/** Writes an audit row without a staff request. */
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
  const writeRow = createBatchWriter<Row>(BATCH, (rows) => insert(db, rows));
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

/** Maximum number of rows in one statement. It holds the lock of the chain, which staff changes need too. */
const BATCH = 100;

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

/** The audit log has the only copy of a replaced or deleted text, so it stores notes in full. */
const MAX_TEXT = 5000;

const asJson = (value: unknown, longest?: number) =>
  value === undefined ? null : JSON.stringify(redact(value, longest));
