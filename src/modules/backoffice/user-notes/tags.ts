import { sql } from 'kysely';
import { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import { object } from '../../../http/schemas.ts';
import { type DbOrTx, transaction } from '../../../platform/database/db.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { recordAudit } from '../../base/audit/service.ts';
import { UserId, userErrors } from '../../base/users/schemas.ts';
import { Tag } from './schemas.ts';
import { assertMayWrite, noteErrors, tagsOfMany, type UserNoteDeps } from './service.ts';

const MAX_TAGS = 20;
/** The maximum number of different tags that are listed. */
const MAX_LISTED = 500;

const Tags = z.array(Tag).max(MAX_TAGS).default([]);

const TagChange = z.strictObject({ userId: UserId, add: Tags, remove: Tags });

const UserTags = object('UserTags', { userId: UserId, tags: z.array(z.string()) });

const shared = { path: '/admin/user-tags', tag: 'Admin User' } as const;

export const listTags = operation({
  ...shared,
  method: 'GET',
  access: { permission: 'note.read' },
  summary: 'List the tags of users',
  description: 'Lists the tags that at least one user has, in alphabetical order. Lists the first 500.',
  response: z.array(z.string()),
  handler: async ({ db }: UserNoteDeps) => {
    // Reads one index entry for each tag instead of all rows.
    const { rows } = await sql<{ tag: string }>`
      with recursive tags as (
        (select tag, 1 as place from user_tags order by tag limit 1)
        union all
        select (select tag from user_tags where tag > tags.tag order by tag limit 1), place + 1
        from tags where tag is not null and place < ${MAX_LISTED}
      )
      select tag from tags where tag is not null order by place`.execute(db);
    return rows.map(({ tag }) => tag);
  },
});

export const changeTags = operation({
  ...shared,
  method: 'POST',
  access: { permission: 'note.write' },
  gate: 'none',
  summary: 'Add and remove tags of a user',
  description:
    'Adding a tag that the user has, or removing one that the user does not have, changes nothing.',
  body: TagChange,
  response: UserTags,
  errors: [userErrors.USER_NOT_FOUND, commonErrors.OWN_ACCOUNT, noteErrors.TOO_MANY_TAGS],
  handler: ({ db }: UserNoteDeps, { by, body: { userId, add, remove } }) =>
    transaction(db, async (tx) => {
      await sql`select pg_advisory_xact_lock(hashtextextended(${`user tags ${userId}`}, 0))`.execute(tx);
      await assertMayWrite(tx, by, userId);
      const before = await tagsOf(tx, userId);
      await tx
        .deleteFrom('user_tags')
        .where('user_id', '=', userId)
        .where('tag', '=', sql<string>`any(${remove}::text[])`)
        .execute();
      await sql`
        insert into user_tags (user_id, tag, created_by) select ${userId}, unnest(${add}::text[]), ${by.user.id}
        on conflict do nothing`.execute(tx);
      const tags = await tagsOf(tx, userId);
      if (tags.length > MAX_TAGS) throw noteErrors.TOO_MANY_TAGS({ most: MAX_TAGS });
      await recordAudit(tx, by, { before: { userId, tags: before }, after: { userId, tags } });
      return { userId, tags };
    }),
});

const tagsOf = async (db: DbOrTx, userId: number): Promise<string[]> =>
  (await tagsOfMany(db, [userId])).get(userId) ?? [];
