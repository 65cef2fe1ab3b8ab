import { type Selectable, sql } from 'kysely';
import { z } from 'zod';
import type { StaffCall } from '../../../../../http/access.ts';
import { Id, object, Timestamp, text } from '../../../../../http/schemas.ts';
import { iso } from '../../../../../platform/clock.ts';
import type { Db, DbOrTx, Tx } from '../../../../../platform/database/db.ts';
import type { ProviderFindings } from '../../../../../platform/database/tables.ts';
import { commonErrors, errors } from '../../../../../platform/errors.ts';
import { lockForDecision } from '../../../../base/access/connected.ts';
import { accessErrors } from '../../../../base/access/errors.ts';
import { freshActor } from '../../../../base/access/service.ts';
import { recordAudit } from '../../../../base/audit/service.ts';
import { runIdempotently } from '../../../../base/idempotency/service.ts';
import { ShortPrivateUser } from '../../../../base/users/schemas.ts';
import { type Sight, shortUsers, sightOf } from '../../../../base/users/service.ts';

export const findingErrors = errors({
  FINDING_NOT_FOUND: [404, 'The finding does not exist.'],
  FINDING_DECIDED: [409, 'The finding has already been decided.'],
  FINDING_NOT_APPLICABLE: [409, 'The transaction cannot be booked as the provider reports it.'],
  FINDING_HOLDS_MONEY: [409, "The finding holds a player's money. Apply it to release the money."],
  FINDING_MAY_BE_FREE: [
    409,
    'The report does not say whether this bet was free. Ask the provider, then close the finding.',
  ],
});

export const FindingStatus = z.enum(['OPEN', 'APPLIED', 'CLOSED']);
export const FindingKind = text(40).meta({ example: 'MISSING_HERE' });

export const ProviderFinding = object('ProviderFinding', {
  id: z.string(),
  provider: z.string().meta({ description: "The provider's slug." }),
  kind: FindingKind,
  subject: z.string().meta({ description: 'The transaction, round or list that the finding is about.' }),
  user: ShortPrivateUser.nullable(),
  facts: z.record(z.string(), z.unknown()),
  status: FindingStatus,
  reason: z.string().nullable().meta({ description: 'The reason why staff closed the finding.' }),
  createdAt: Timestamp,
  decidedAt: Timestamp.nullable(),
  decidedBy: ShortPrivateUser.nullable(),
});

export const FINDINGS = { tag: 'Admin Casino', path: '/admin/casino/findings' };

/** The common part of the operations that decide a finding. */
export const decision = {
  method: 'POST',
  tag: FINDINGS.tag,
  params: z.object({ id: Id }),
  status: 200,
  response: ProviderFinding,
} as const;

export const decisionErrors = [
  findingErrors.FINDING_NOT_FOUND,
  findingErrors.FINDING_DECIDED,
  commonErrors.OWN_ACCOUNT,
  accessErrors.ACCOUNT_CONNECTED,
];

export type Finding = z.input<typeof ProviderFinding>;
export type FindingRow = Selectable<ProviderFindings> & { slug: string };

/** A staff decision about a finding. `key`: the idempotency key of the decision. */
type Decision = {
  by: StaffCall;
  id: string;
  operation: string;
  key: string | undefined;
  status: 'APPLIED' | 'CLOSED';
  reason?: string;
};

/**
 * Decides an open finding once, and returns it. Locks the staff member, the player concerned and the finding. `work` returns data for the
 * audit log. Throws 404 FINDING_NOT_FOUND, 409 FINDING_DECIDED, and the errors of `lockForDecision`, because staff cannot decide about
 * their own account.
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
    const [finding] = await viewFindings(tx, [await getFinding(tx, id)], sightOf(by.user));
    await recordAudit(tx, by, { before: { id, status: before.status }, after, reason });
    return finding!;
  });
}

/** Returns the player of a finding, or undefined if the player in the report does not exist. */
async function ownerOf(db: Db, { user_id }: FindingRow): Promise<number | undefined> {
  if (user_id === null) return undefined;
  const user = await db.selectFrom('users').select('id').where('id', '=', user_id).executeTakeFirst();
  return user?.id;
}

export const selectFindings = (db: DbOrTx) =>
  db.selectFrom('provider_findings as f').innerJoin('game_providers as p', 'p.id', 'f.provider_id');

async function getFinding(db: DbOrTx, id: string): Promise<FindingRow> {
  const row = /^\d{1,18}$/.test(id)
    ? await selectFindings(db)
        .selectAll('f')
        .select('p.slug')
        .where('f.id', '=', BigInt(id))
        .executeTakeFirst()
    : undefined;
  if (!row) throw findingErrors.FINDING_NOT_FOUND({ id });
  return row;
}

export async function viewFindings(
  db: DbOrTx,
  rows: readonly FindingRow[],
  sight: Sight,
): Promise<Finding[]> {
  const users = await shortUsers(
    db,
    rows.flatMap((row) => [row.user_id, row.decided_by]),
    sight,
  );
  const userOf = (id: number | null) => (id === null ? null : (users.get(id) ?? null));
  return rows.map((row) => ({
    id: String(row.id),
    provider: row.partner ?? row.slug,
    kind: row.kind,
    subject: row.subject,
    user: userOf(row.user_id),
    facts: row.facts as Finding['facts'],
    status: row.status as Finding['status'],
    reason: row.reason,
    createdAt: iso(row.created_at),
    decidedAt: row.decided_at && iso(row.decided_at),
    decidedBy: userOf(row.decided_by),
  }));
}
