import { sql } from 'kysely';
import type { StaffCall } from '../../../../http/access.ts';
import type { Db, Tx } from '../../../../platform/db.ts';
import { lockForDecision } from '../../../base/access/connected.ts';
import { freshActor } from '../../../base/access/service.ts';
import { recordAudit } from '../../../base/audit/service.ts';
import { runIdempotently } from '../../../base/idempotency/service.ts';
import { sightOf } from '../../../base/users/service.ts';
import { findingErrors } from './errors.ts';
import { type Finding, type FindingRow, getFinding, showFinding } from './list.ts';

/** A decision of staff about one finding, with its idempotency key. `decided`: what becomes of it. */
export type Decision = {
  by: StaffCall;
  id: string;
  operation: string;
  key: string | undefined;
  status: 'APPLIED' | 'CLOSED';
  reason?: string;
};

/**
 * Decides about an open finding once, under the locks of the member of staff, of the player whom it is about and of its row. Nobody
 * decides about their own account. Throws 404 FINDING_NOT_FOUND, 409 FINDING_DECIDED, and as lockForDecision does.
 */
export async function decideFinding(
  db: Db,
  { by, id, operation, key, status, reason }: Decision,
  work: (tx: Tx, row: FindingRow) => Promise<object | undefined>,
): Promise<Finding> {
  const userId = await ownerOf(db, await getFinding(db, id));
  const alsoLocks = userId === undefined ? [] : [userId];
  const repeatable = { userId: by.user.id, key, operation, input: { id, reason }, alsoLocks };
  return runIdempotently(db, repeatable, async (tx) => {
    if (userId !== undefined) await lockForDecision(tx, by, userId);
    else await freshActor(tx, by);
    await tx.selectFrom('provider_findings').select('id').where('id', '=', BigInt(id)).forUpdate().execute();
    const before = await getFinding(tx, id);
    if (before.status !== 'OPEN') throw findingErrors.FINDING_DECIDED({ status: before.status });
    const done = await work(tx, before);
    await tx
      .updateTable('provider_findings')
      .set({ status, reason: reason ?? null, decided_by: by.user.id, decided_at: sql<Date>`now()` })
      .where('id', '=', before.id)
      .execute();
    const { slug: provider, kind, subject } = before;
    const after = { id, provider, kind, subject, userId: before.user_id, status, ...done };
    const shown = await showFinding(tx, await getFinding(tx, id), sightOf(by.user));
    await recordAudit(tx, by, { before: { id, status: before.status }, after, reason });
    return shown;
  });
}

/** A report may name players who do not exist. */
async function ownerOf(db: Db, { user_id }: FindingRow): Promise<number | undefined> {
  if (user_id === null) return undefined;
  const user = await db.selectFrom('users').select('id').where('id', '=', user_id).executeTakeFirst();
  return user?.id;
}
