import { sql } from 'kysely';
import { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import { countedPage, estimatedPage, PageNumber, SortOrder, take, text } from '../../../http/schemas.ts';
import { type Db, type Tx, transaction } from '../../../platform/database/db.ts';
import { unlessWhole } from '../../../platform/database/snapshot.ts';
import { commonErrors, invalidField } from '../../../platform/errors.ts';
import { countUpTo } from '../../../platform/list/page.ts';
import { accessErrors } from '../../base/access/errors.ts';
import { recordAudit } from '../../base/audit/service.ts';
import { type Search, searchFor } from '../../base/users/rules.ts';
import { UserId } from '../../base/users/schemas.ts';
import { type Sight, sightOf } from '../../base/users/service.ts';
import { type ApplicationRow, lockOpen, updateApplication, type VipApplicationDeps } from './applications.ts';
import { vipApplicationErrors } from './errors.ts';
import { ApplicationPath, readForStaff, Status, toStaffApplications, VipApplicationAdmin } from './view.ts';

const Query = z.strictObject({
  status: Status.optional(),
  search: z.string().min(1).max(50).optional(),
  assigneeId: UserId.optional(),
  sortBy: z.enum(['createdAt', 'updatedAt', 'totalWageredUsd']).default('createdAt'),
  sortOrder: SortOrder.default('desc'),
  page: PageNumber,
  take: take(20),
});
type Query = z.output<typeof Query>;

/** For a short search string, the applications of at most this many users are read, sorted by username. */
const MAX_USERS = 1000;

const COLUMNS = {
  createdAt: 'created_at',
  updatedAt: 'updated_at',
  totalWageredUsd: 'total_wagered_usd',
} as const;

export const listApplications = operation({
  method: 'GET',
  path: '/admin/vip-application',
  tag: 'VipApplicationAdmin',
  access: { permission: 'vip.read' },
  summary: 'List VIP applications',
  description:
    'Only the first 10,000 rows are counted and can be read. `search` matches user ids, and parts of usernames, of usernames on ' +
    'the other platform and of email addresses. Without the permission `user.pii`, only complete email addresses match. A search ' +
    'without three consecutive letters or digits finds the applications of the first 1,000 users whose username begins with the ' +
    'search text.',
  query: Query,
  response: estimatedPage(VipApplicationAdmin),
  handler: async (deps: VipApplicationDeps, { by, query }) => {
    const sight = sightOf(by.user);
    const found = matching(deps.reads, query, sight);
    return countedPage(
      query,
      (most) => countUpTo(deps.reads, found.select('a.id'), most),
      async ({ limit, offset }) => {
        const rows = await found
          .selectAll('a')
          .orderBy(`a.${COLUMNS[query.sortBy]}`, query.sortOrder)
          .orderBy('a.id', query.sortOrder)
          .limit(limit)
          .offset(offset)
          .execute();
        return toStaffApplications(deps, rows as ApplicationRow[], sight);
      },
    );
  },
});

function matching(db: Db, { status, assigneeId, search }: Query, sight: Sight) {
  const parsed = searchFor(search ?? '');
  return db
    .selectFrom('vip_applications as a')
    .$if(status !== undefined, (q) => q.where('a.status', '=', status!))
    .$if(assigneeId !== undefined, (q) => q.where('a.assignee_id', '=', assigneeId!))
    .$if(parsed !== undefined, (q) => q.where(sql<boolean>`a.id = any(array(${matchesOf(parsed!, sight)}))`));
}

/**
 * Uses one index lookup for each searched column. A trigram index needs three consecutive letters or digits, so shorter strings match only
 * the beginning of usernames. Staff without the permission for personal data must enter a complete email address.
 */
function matchesOf({ pattern, text, isPrefix, id }: Search, { showsPii }: Sight) {
  const ofUser = sql`select id from vip_applications where user_id = ${id ?? null}::int4`;
  const name = sql`coalesce(lower(username), '') collate "C"`;
  if (isPrefix)
    return sql<string>`${ofUser} union select v.id from
      (select id from users where ${name} like lower(${pattern}) order by ${name} limit ${unlessWhole(MAX_USERS)}) u
      cross join lateral (select id from vip_applications where user_id = u.id offset 0) v`;
  const email = showsPii ? sql`lower(u.email) like lower(${pattern})` : sql`lower(u.email) = lower(${text})`;
  return sql<string>`${ofUser}
    union select id from vip_applications where lower(platform_username) like lower(${pattern})
    union select v.id from vip_applications v join users u on u.id = v.user_id where lower(u.username) like lower(${pattern})
    union select v.id from vip_applications v join users u on u.id = v.user_id where ${email}`;
}

const shared = {
  path: '/admin/vip-application/{id}',
  tag: 'VipApplicationAdmin',
  params: ApplicationPath,
  response: VipApplicationAdmin,
} as const;

export const getApplication = operation({
  ...shared,
  method: 'GET',
  access: { permission: 'vip.read' },
  summary: 'Get a VIP application',
  description: 'Includes statistics and risk notes of the applicant.',
  errors: [vipApplicationErrors.VIP_APPLICATION_NOT_FOUND],
  handler: (deps: VipApplicationDeps, { by, params }) => readForStaff(deps, by, params.id),
});

const ApplicationChange = z
  .strictObject({
    status: Status.extract(['IN_REVIEW']).optional(),
    tag: text(50).optional(),
    note: text(2000).optional().meta({ description: 'Internal note, not shown to the player.' }),
    assigneeId: UserId.nullable().optional().meta({ description: 'Null removes the assignee.' }),
  })
  .refine((change) => Object.values(change).some((value) => value !== undefined), 'needs at least one field');

export const changeApplication = operation({
  ...shared,
  method: 'PATCH',
  access: { permission: 'vip.approve' },
  gate: 'none',
  summary: 'Start reviewing a VIP application, or edit it',
  description:
    'Sets the status, tag, note or assignee of an open application. An empty string removes the tag or note.',
  body: ApplicationChange,
  errors: [
    commonErrors.OWN_ACCOUNT,
    accessErrors.ACCOUNT_CONNECTED,
    vipApplicationErrors.VIP_APPLICATION_NOT_FOUND,
    vipApplicationErrors.VIP_APPLICATION_DECIDED,
  ],
  handler: async (deps: VipApplicationDeps, { by, params: { id }, body: change }) => {
    await transaction(deps.db, async (tx) => {
      const before = await lockOpen(tx, by, id);
      if (typeof change.assigneeId === 'number') await assertStaff(tx, change.assigneeId);
      const after = await updateApplication(tx, id, {
        status: change.status ?? before.status,
        tag: change.tag === undefined ? before.tag : change.tag.trim() || null,
        staff_note: change.note === undefined ? before.staff_note : change.note.trim() || null,
        assignee_id: change.assigneeId === undefined ? before.assignee_id : change.assigneeId,
      });
      await recordAudit(tx, by, { before: toAudit(before), after: toAudit(after) });
    });
    return readForStaff(deps, by, id);
  },
});

const toAudit = ({ id, status, tag, staff_note, assignee_id }: ApplicationRow) => ({
  id,
  status,
  tag,
  staffNote: staff_note,
  assigneeId: assignee_id,
});

async function assertStaff(tx: Tx, userId: number): Promise<void> {
  const user = await tx.selectFrom('users').select('is_staff').where('id', '=', userId).executeTakeFirst();
  if (!user?.is_staff) throw invalidField('assigneeId', 'is not a staff member');
}
