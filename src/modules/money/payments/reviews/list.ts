import { sql } from 'kysely';
import { z } from 'zod';
import { operation } from '../../../../http/operation.ts';
import { countedPage, estimatedPage, PageNumber, paginated, take } from '../../../../http/schemas.ts';
import type { DbOrTx } from '../../../../platform/database/db.ts';
import { unlessWhole } from '../../../../platform/database/snapshot.ts';
import { UserId } from '../../../base/users/schemas.ts';
import { type DepositRow, readDeposit } from '../deposits/queries.ts';
import type { DepositReviewDeps } from '../deps.ts';
import { DepositReview, viewsOf } from './view.ts';

/** The upper limit for totals and page offsets. */
const MOST_COUNTED = 10_000;

export const listDepositReviews = operation({
  method: 'GET',
  path: '/admin/payments/deposit/review',
  tag: 'Admin Payments',
  access: { permission: 'deposit.read' },
  summary: 'List deposits under review',
  description:
    'Returns deposits that wait for a staff decision, and credited deposits with a finding, oldest first. `actions` lists the ' +
    'actions that are currently possible. At most 10,000 rows are counted and paged.',
  query: z.strictObject({
    id: z.uuid().optional().meta({ description: 'Returns only this deposit, even if its review has ended.' }),
    userId: UserId.optional(),
    page: PageNumber,
    take: take(100),
  }),
  response: estimatedPage(DepositReview),
  handler: async ({ payments }: DepositReviewDeps, { by, query }) => {
    const { db } = payments;
    const { id, userId } = query;
    if (id !== undefined) {
      const row = await readDeposit(db, id);
      const views = row ? await viewsOf(db, payments, by, [row]) : [];
      return { ...paginated(views, query, views.length), totalIsExact: true };
    }
    const most = unlessWhole(MOST_COUNTED);
    const total = await countOpen(db, userId, most);
    return countedPage(query, { total, most }, async (offset) => {
      const limit = Math.min(query.take, total - offset);
      return viewsOf(db, payments, by, await readOpen(db, userId, { limit, offset }));
    });
  },
});

const OPEN = sql<boolean>`(status in ('UNDER_REVIEW', 'RETURNING') or has_finding)`;

async function countOpen(db: DbOrTx, userId: number | undefined, most: number): Promise<number> {
  const { total } = await db
    .selectFrom(
      db
        .selectFrom('deposits')
        .select('id')
        .where(OPEN)
        .$if(userId !== undefined, (q) => q.where('user_id', '=', userId!))
        .limit(most)
        .as('counted'),
    )
    .select(sql<number>`count(*)::int`.as('total'))
    .executeTakeFirstOrThrow();
  return total;
}

/** Returns open reviews and findings, oldest first. */
async function readOpen(
  db: DbOrTx,
  userId: number | undefined,
  { limit, offset }: { limit: number; offset: number },
): Promise<DepositRow[]> {
  const rows = await db
    .selectFrom('deposits')
    .selectAll()
    .where(OPEN)
    .$if(userId !== undefined, (q) => q.where('user_id', '=', userId!))
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit)
    .offset(offset)
    .execute();
  return rows as DepositRow[];
}
