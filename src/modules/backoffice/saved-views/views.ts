import { sql } from 'kysely';
import { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import { type Db, type DbOrTx, transaction } from '../../../platform/database/db.ts';
import { errors } from '../../../platform/errors.ts';
import { freshActor } from '../../base/access/service.ts';
import { recordAudit } from '../../base/audit/service.ts';

type Deps = { db: Db };

/** The lists of the console. Because they are fixed, the number of rows for each staff member is bounded. */
const LISTS = [
  'affiliates',
  'alerts',
  'audit',
  'bets',
  'bots',
  'challenge-bets',
  'challenges',
  'chat',
  'commissions',
  'countries',
  'deposit-reviews',
  'deposits',
  'faq',
  'games',
  'grants',
  'leaderboard-players',
  'leaderboards',
  'ledger',
  'payers',
  'promo-codes',
  'promotions',
  'providers',
  'rakeback',
  'referrals',
  'schedules',
  'staff',
  'streamer-referrals',
  'streamers',
  'tips',
  'users',
  'verification',
  'vip-applications',
  'withdrawals',
] as const;

const viewErrors = errors({
  LIST_NOT_FOUND: [404, 'The console has no list with this name.'],
});

const SavedView = z
  .strictObject({
    name: z.string().trim().min(1).max(40).meta({ example: 'Banned' }),
    query: z
      .string()
      .max(1000)
      .regex(/^[\w.~*+%=&,:@-]*$/, 'needs to be a query string')
      .meta({ description: 'Filters and order as in the address of the list.', example: 'isBanned=true' }),
  })
  .meta({ id: 'SavedView' });

const hasDuplicates = (names: readonly string[]) => new Set(names).size < names.length;

const SavedViews = z
  .strictObject({
    views: z
      .array(SavedView)
      .max(20)
      .refine((views) => !hasDuplicates(views.map(({ name }) => name)), 'contains a name twice'),
    columns: z
      .array(z.string().regex(/^[a-zA-Z]{1,40}$/))
      .min(1)
      .max(40)
      .refine((columns) => !hasDuplicates(columns), 'contains a column twice')
      .nullable()
      .meta({ description: 'The columns in their order. Null stands for the default columns.' }),
  })
  .meta({ id: 'SavedViews' });

type SavedViews = z.output<typeof SavedViews>;

const shared = {
  path: '/admin/views/{list}',
  tag: 'Console',
  access: 'staff',
  params: z.object({ list: z.enum(LISTS) }),
  response: SavedViews,
  errors: [viewErrors.LIST_NOT_FOUND],
} as const;

export const getSavedViews = operation({
  ...shared,
  method: 'GET',
  summary: 'Get your saved views of a list',
  description: 'Returns no views and the default columns for a list that you have not changed.',
  handler: ({ db }: Deps, { user, params: { list } }) => viewsOf(db, user.id, list),
});

export const putSavedViews = operation({
  ...shared,
  method: 'PUT',
  gate: 'none',
  summary: 'Replace your saved views of a list',
  description: 'At most 20 views. Only you see them.',
  body: SavedViews,
  handler: ({ db }: Deps, { by, params: { list }, body }) =>
    transaction(db, async (tx) => {
      const { id } = await freshActor(tx, by);
      const before = await viewsOf(tx, id, list);
      const values = {
        views: JSON.stringify(body.views),
        columns: body.columns,
        updated_at: sql<Date>`now()`,
      };
      await tx
        .insertInto('saved_views')
        .values({ user_id: id, list, ...values })
        .onConflict((row) => row.columns(['user_id', 'list']).doUpdateSet(values))
        .execute();
      await recordAudit(tx, by, { before, after: body });
      return body;
    }),
});

async function viewsOf(db: DbOrTx, userId: number, list: string): Promise<SavedViews> {
  const row = await db
    .selectFrom('saved_views')
    .select(['views', 'columns'])
    .where('user_id', '=', userId)
    .where('list', '=', list)
    .executeTakeFirst();
  return { views: (row?.views ?? []) as SavedViews['views'], columns: row?.columns ?? null };
}
