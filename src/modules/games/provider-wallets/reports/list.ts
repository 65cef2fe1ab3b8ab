import type { Selectable } from 'kysely';
import type { z } from 'zod';
import { type Page, pageOf } from '../../../../http/schemas.ts';
import { iso } from '../../../../platform/clock.ts';
import type { ProviderFindings } from '../../../../platform/database.ts';
import type { Db, DbOrTx } from '../../../../platform/db.ts';
import { type Sight, shortUsers } from '../../../base/users/service.ts';
import { findingErrors } from './errors.ts';
import type { FindingQuery, ProviderFinding } from './schemas.ts';

export type Finding = z.input<typeof ProviderFinding>;
export type FindingRow = Selectable<ProviderFindings> & { slug: string };
type Query = z.output<typeof FindingQuery>;

/** Findings are counted and paged up to here. */
const COUNTED = 10_000;

export async function listFindings(db: Db, query: Query, sight: Sight): Promise<Page<Finding>> {
  const matching = matchingFindings(db, query);
  const { total } = await db
    .selectFrom(matching.select('f.id').limit(COUNTED).as('counted'))
    .select(({ fn }) => fn.countAll<bigint>().as('total'))
    .executeTakeFirstOrThrow();
  return pageOf(query, Number(total), async (offset) => {
    const rows = await matching
      .selectAll('f')
      .select('p.slug')
      .orderBy('f.id', query.sortOrder)
      .limit(Math.min(query.take, Number(total) - offset))
      .offset(offset)
      .execute();
    return showFindings(db, rows, sight);
  });
}

const findings = (db: DbOrTx) =>
  db.selectFrom('provider_findings as f').innerJoin('game_providers as p', 'p.id', 'f.provider_id');

const matchingFindings = (db: Db, { provider, kind, status, userId }: Query) =>
  findings(db)
    .$if(provider !== undefined, (q) => q.where('p.slug', '=', provider!))
    .$if(kind !== undefined, (q) => q.where('f.kind', '=', kind!))
    .$if(status !== undefined, (q) => q.where('f.status', '=', status!))
    .$if(userId !== undefined, (q) => q.where('f.user_id', '=', userId!));

/** Throws 404 FINDING_NOT_FOUND. */
export async function getFinding(db: DbOrTx, id: string): Promise<FindingRow> {
  const known = /^\d{1,18}$/.test(id)
    ? await findings(db).selectAll('f').select('p.slug').where('f.id', '=', BigInt(id)).executeTakeFirst()
    : undefined;
  if (!known) throw findingErrors.FINDING_NOT_FOUND({ id });
  return known;
}

export async function showFinding(db: DbOrTx, row: FindingRow, sight: Sight): Promise<Finding> {
  const [shown] = await showFindings(db, [row], sight);
  return shown!;
}

async function showFindings(db: DbOrTx, rows: readonly FindingRow[], sight: Sight): Promise<Finding[]> {
  const people = await shortUsers(
    db,
    rows.flatMap((row) => [row.user_id, row.decided_by]),
    sight,
  );
  const personOf = (id: number | null) => (id === null ? null : (people.get(id) ?? null));
  return rows.map((row) => ({
    id: String(row.id),
    provider: row.slug,
    kind: row.kind,
    subject: row.subject,
    user: personOf(row.user_id),
    facts: row.facts as Finding['facts'],
    status: row.status as Finding['status'],
    reason: row.reason,
    createdAt: iso(row.created_at),
    decidedAt: row.decided_at && iso(row.decided_at),
    decidedBy: personOf(row.decided_by),
  }));
}
