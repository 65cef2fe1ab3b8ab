import { sql } from 'kysely';
import { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import { operation } from '../../../http/operation.ts';
import { countedPage, estimatedPage, PageNumber, SortOrder, take } from '../../../http/schemas.ts';
import { type Db, type Tx, transaction } from '../../../platform/database/db.ts';
import { unlessWhole } from '../../../platform/database/snapshot.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { countUpTo } from '../../../platform/list/page.ts';
import { recordAudit } from '../../base/audit/service.ts';
import { type Search, searchFor } from '../../base/users/rules.ts';
import { RiskLevel, UserId, UserNote, userErrors } from '../../base/users/schemas.ts';
import { type Sight, sightOf } from '../../base/users/service.ts';
import { assertMayWrite, noteErrors, readNote, readNotes, type UserNoteDeps } from './service.ts';

const NoteQuery = z.strictObject({
  sortBy: z.enum(['createdAt', 'updatedAt', 'riskLevel']).default('createdAt'),
  sortOrder: SortOrder.default('desc'),
  search: z.string().min(1).max(50).optional(),
  userId: UserId.optional(),
  riskLevel: RiskLevel.optional(),
  page: PageNumber,
  take: take(20),
});
type NoteQuery = z.output<typeof NoteQuery>;

const shared = { method: 'GET', tag: 'Admin User', access: { permission: 'note.read' } } as const;

export const listUserNotes = operation({
  ...shared,
  path: '/admin/user-notes',
  summary: 'List and search notes about users',
  description:
    "The search matches a note's text and the user's username, id and email address. Partial email addresses match only with the " +
    'permission `user.pii`; without it, search for a complete address. A search without three consecutive letters or digits ' +
    'returns notes about the first 1,000 users whose username starts with it. Only the first 10,000 notes are counted and can be ' +
    'read.',
  query: NoteQuery,
  response: estimatedPage(UserNote),
  handler: async ({ db }: UserNoteDeps, { query, by }) => {
    const sight = sightOf(by.user);
    const matching = matchingNotes(db, query, sight);
    const ids = matching.select('user_notes.id');
    return countedPage(
      query,
      (most) => countUpTo(db, ids, most),
      async ({ limit, offset }) => {
        const rows = await ids
          .orderBy(ORDERS[query.sortBy], query.sortOrder)
          .orderBy('user_notes.id', query.sortOrder)
          .limit(limit)
          .offset(offset)
          .execute();
        return readNotes(db, rows, sight);
      },
    );
  },
});

export const getUserNote = operation({
  ...shared,
  path: '/admin/user-notes/{id}',
  summary: 'Get a note about a user',
  params: z.object({ id: UserId }),
  response: UserNote,
  errors: [noteErrors.NOTE_NOT_FOUND],
  handler: ({ db }: UserNoteDeps, { params, by }) => readNote(db, params.id, sightOf(by.user)),
});

/** The maximum number of users, in the order of usernames, whose notes are read in a search for a short text. */
const MAX_USERS = 1000;

/** This expression must be the same as the expression of the index. */
const RISK = sql`array_position(array['NONE', 'LOW', 'MEDIUM', 'HIGH'], risk_level)`;
const ORDERS = { createdAt: sql`created_at`, updatedAt: sql`updated_at`, riskLevel: RISK };

function matchingNotes(db: Db, { userId, riskLevel, ...query }: NoteQuery, sight: Sight) {
  const search = searchFor(query.search ?? '');
  return db
    .selectFrom('user_notes')
    .$if(userId !== undefined, (q) => q.where('user_id', '=', userId!))
    .$if(riskLevel !== undefined, (q) => q.where('risk_level', '=', riskLevel!))
    .$if(search !== undefined, (q) =>
      q.where(sql<boolean>`user_notes.id = any(array(${idsFound(search!, sight)}))`),
    );
}

/**
 * Looks up each searched field through the index for that field. Trigram indexes need three consecutive letters or digits, so a shorter
 * text matches only the start of usernames. Staff who see masked email addresses must enter a complete address.
 */
function idsFound({ pattern, text, isPrefix, id }: Search, { showsPii }: Sight) {
  const about = sql`select id from user_notes where user_id = ${id ?? null}::int4`;
  const name = sql`coalesce(lower(username), '') collate "C"`;
  // `offset 0` forces a separate look-up for each user. Without it, the planner would overestimate the number of notes of a thousand users.
  if (isPrefix)
    return sql<number>`${about} union select n.id from
      (select id from users where ${name} like lower(${pattern}) order by ${name} limit ${unlessWhole(MAX_USERS)}) u
      cross join lateral (select id from user_notes where user_id = u.id offset 0) n`;
  const email = showsPii ? sql`lower(u.email) like lower(${pattern})` : sql`lower(u.email) = lower(${text})`;
  return sql<number>`${about} union select id from user_notes where lower(note) like lower(${pattern})
    union select n.id from user_notes n join users u on u.id = n.user_id where lower(u.username) like lower(${pattern})
    union select n.id from user_notes n join users u on u.id = n.user_id where ${email}`;
}

const Text = z.string().trim().min(1).max(5000);

const NewNote = z.strictObject({ note: Text, userId: UserId, riskLevel: RiskLevel.default('NONE') });

const NoteChange = z
  .strictObject({ id: UserId, note: Text.optional(), riskLevel: RiskLevel.optional() })
  .refine(({ note, riskLevel }) => note !== undefined || riskLevel !== undefined, 'needs note or riskLevel');

const NotePath = z.object({ id: UserId });

const editing = {
  tag: 'Admin User',
  access: { permission: 'note.write' },
  gate: 'none',
  response: UserNote,
} as const;

export const createUserNote = operation({
  ...editing,
  method: 'POST',
  path: '/admin/user-notes',
  summary: 'Write a note about a user',
  body: NewNote,
  errors: [userErrors.USER_NOT_FOUND, commonErrors.OWN_ACCOUNT],
  handler: ({ db }: UserNoteDeps, { by, body: { userId, note, riskLevel } }) =>
    transaction(db, async (tx) => {
      const sight = await assertMayWrite(tx, by, userId);
      const { id } = await tx
        .insertInto('user_notes')
        .values({ user_id: userId, created_by: by.user.id, note, risk_level: riskLevel })
        .returning('id')
        .executeTakeFirstOrThrow();
      const created = await readNote(tx, id, sight);
      await recordAudit(tx, by, { after: { id, userId, note, riskLevel } });
      return created;
    }),
});

export const updateUserNote = operation({
  ...editing,
  method: 'PATCH',
  path: '/admin/user-notes',
  summary: 'Change a note or its risk level',
  body: NoteChange,
  errors: [noteErrors.NOTE_NOT_FOUND, commonErrors.OWN_ACCOUNT],
  handler: ({ db }: UserNoteDeps, { by, body: { id, note, riskLevel } }) =>
    transaction(db, async (tx) => {
      const { before, sight } = await lockNote(tx, by, id);
      const after = { note: note ?? before.note, riskLevel: riskLevel ?? before.riskLevel };
      await tx
        .updateTable('user_notes')
        .set({ note: after.note, risk_level: after.riskLevel, updated_at: sql<Date>`now()` })
        .where('id', '=', id)
        .execute();
      const changed = await readNote(tx, id, sight);
      await recordAudit(tx, by, { before, after });
      return changed;
    }),
});

export const deleteUserNote = operation({
  ...editing,
  method: 'DELETE',
  path: '/admin/user-notes/{id}',
  summary: 'Delete a note',
  description: 'Returns the deleted note. The audit log keeps its text.',
  params: NotePath,
  errors: [noteErrors.NOTE_NOT_FOUND, commonErrors.OWN_ACCOUNT],
  handler: ({ db }: UserNoteDeps, { by, params: { id } }) =>
    transaction(db, async (tx) => {
      const { before, sight } = await lockNote(tx, by, id);
      const deleted = await readNote(tx, id, sight);
      await tx.deleteFrom('user_notes').where('id', '=', id).execute();
      await recordAudit(tx, by, { before });
      return deleted;
    }),
});

async function lockNote(tx: Tx, by: StaffCall, id: number) {
  const row = await tx
    .selectFrom('user_notes')
    .select(['user_id', 'note', 'risk_level as riskLevel'])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  if (!row) throw noteErrors.NOTE_NOT_FOUND({ id });
  const { user_id, ...before } = row;
  return { before, sight: await assertMayWrite(tx, by, user_id) };
}
