import { sql } from 'kysely';
import type { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import { iso } from '../../../platform/clock.ts';
import type { Db, DbOrTx, Tx } from '../../../platform/database/db.ts';
import { errors } from '../../../platform/errors.ts';
import { assertMayManage } from '../../base/access/rules.ts';
import { freshActor } from '../../base/access/service.ts';
import type { UserNote } from '../../base/users/schemas.ts';
import { getUser, type Sight, shortUsers, sightOf } from '../../base/users/service.ts';

export type UserNoteDeps = { db: Db };

export const noteErrors = errors({
  NOTE_NOT_FOUND: [404, 'Note not found. GET /admin/user-notes lists all notes.'],
  TOO_MANY_TAGS: [409, 'A user can have at most details.most tags. Remove some first.'],
});

type Note = z.input<typeof UserNote>;

/** Asserts that the caller may write notes about this user and change the user's tags. Returns which personal data the caller may see. */
export async function assertMayWrite(tx: Tx, by: StaffCall, userId: number): Promise<Sight> {
  const user = await getUser(tx, userId);
  const actor = await freshActor(tx, by);
  assertMayManage(actor, user);
  return sightOf(actor);
}

/** Returns the newest notes about each user, newest first. Returns at most `each` notes per user. */
export async function latestNotes(
  db: DbOrTx,
  userIds: readonly number[],
  { each, sight }: { each: number; sight: Sight },
): Promise<Map<number, Note[]>> {
  const { rows } = await sql<{ id: number }>`
    select n.id from unnest(${userIds}::int4[]) u(id)
    cross join lateral (select id from user_notes where user_id = u.id order by id desc limit ${each}) n
    order by n.id desc`.execute(db);
  return Map.groupBy(await readNotes(db, rows, sight), (note) => note.user.id);
}

const MAX_RISK_NOTES = 20;

/** Returns the newest notes about a user with a risk level other than NONE, newest first. */
export async function riskNotesOf(db: Db, userId: number, sight: Sight): Promise<Note[]> {
  const ids = await db
    .selectFrom('user_notes')
    .select('id')
    .where('user_id', '=', userId)
    .where('risk_level', '<>', 'NONE')
    .orderBy('id', 'desc')
    .limit(MAX_RISK_NOTES)
    .execute();
  return readNotes(db, ids, sight);
}

export async function readNote(db: DbOrTx, id: number, sight: Sight): Promise<Note> {
  const [note] = await readNotes(db, [{ id }], sight);
  if (!note) throw noteErrors.NOTE_NOT_FOUND({ id });
  return note;
}

/** Returns the notes with these ids, in the order of the ids. Omits notes that were deleted concurrently. */
export async function readNotes(
  db: DbOrTx,
  wanted: readonly { id: number }[],
  sight: Sight,
): Promise<Note[]> {
  if (wanted.length === 0) return [];
  const ids = wanted.map(({ id }) => id);
  const rows = await db.selectFrom('user_notes').selectAll().where('id', 'in', ids).execute();
  const userIds = rows.flatMap((row) => [row.user_id, row.created_by]);
  const byId = await shortUsers(db, userIds, sight);
  const notes = rows.map((row) => ({
    riskLevel: row.risk_level as Note['riskLevel'],
    id: row.id,
    note: row.note,
    createdAt: iso(row.created_at),
    updatedAt: iso(row.updated_at),
    createdBy: byId.get(row.created_by)!,
    user: byId.get(row.user_id)!,
  }));
  return notes.sort((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id));
}

/** Returns the tags of each user that has any, in alphabetical order. */
export async function tagsOfMany(db: DbOrTx, userIds: readonly number[]): Promise<Map<number, string[]>> {
  const { rows } = await sql<{ userId: number; tags: string[] }>`
    select user_id as "userId", array_agg(tag order by tag) as tags from user_tags
    where user_id = any(${userIds}::int4[]) group by user_id`.execute(db);
  return new Map(rows.map(({ userId, tags }) => [userId, tags]));
}
