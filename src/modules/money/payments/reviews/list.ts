import { sql } from 'kysely';
import { z } from 'zod';
import { operation } from '../../../../http/operation.ts';
import { countedPage, estimatedPage, PageNumber, paginated, take } from '../../../../http/schemas.ts';
import type { DbOrTx } from '../../../../platform/database/db.ts';
import { countUpTo } from '../../../../platform/list/page.ts';
import { UserId } from '../../../base/users/schemas.ts';
import { type DepositRow, readDeposit } from '../deposits/queries.ts';
import type { DepositReviewDeps } from '../deps.ts';
import { DepositReview, viewsOf } from './view.ts';

export const listDepositReviews = operation({
  method: 'GET',
  path: '/admin/payments/deposit/review',
  tag: 'Admin Payments',
  access: { permission: 'deposit.read' },
  summary: 'List deposits under review',
  description:
    'Returns deposits that wait for a staff decision, and credited deposits with a finding, oldest first. `actions` lists the ' +
    'actions that are currently possible. Only the first 10,000 rows are counted and can be read.',
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
    const open = openDeposits(db, userId);
    return countedPage(
      query,
      (most) => countUpTo(db, open.select('id'), most),
      async ({ limit, offset }) => {
        const ordered = open.selectAll().orderBy('created_at').orderBy('id');
        const rows = await ordered.limit(limit).offset(offset).execute();
        return viewsOf(db, payments, by, rows as DepositRow[]);
      },
    );
  },
});

const OPEN = sql<boolean>`(status in ('UNDER_REVIEW', 'RETURNING') or has_finding)`;

/** Selects deposits that are under review or have a finding. */
const openDeposits = (db: DbOrTx, userId: number | undefined) =>
  db
    .selectFrom('deposits')
    .where(OPEN)
    .$if(userId !== undefined, (q) => q.where('user_id', '=', userId!));
