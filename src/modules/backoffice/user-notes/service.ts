import { sql } from 'kysely';
import type { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import { type Page, pageOf } from '../../../http/schemas.ts';
import { iso } from '../../../platform/clock.ts';
import { type Db, type DbOrTx, type Tx, transaction } from '../../../platform/db.ts';
import { assertMayManage } from '../../base/access/rules.ts';
import { freshActor } from '../../base/access/service.ts';
import { recordAudit } from '../../base/audit/service.ts';
import { type Search, searchFor } from '../../base/users/rules.ts';
import type { UserNote } from '../../base/users/schemas.ts';
import { getUser, type Sight, shortUsers, sightOf } from '../../base/users/service.ts';
import { noteErrors } from './errors.ts';
import type { NewNote, NoteChange, NoteQuery } from './schemas.ts';

export type UserNotes = ReturnType<typeof createUserNotes>;

type Note = z.input<typeof UserNote>;
type Query = z.output<typeof NoteQuery>;

/** What staff writes down about users, with how much of a risk it sees. */
export const createUserNotes = (db: Db) => ({
  /** Throws 404 USER_NOT_FOUND, 403 OWN_ACCOUNT. */
  create: (by: StaffCall, { userId, note, riskLevel }: z.output<typeof NewNote>): Promise<Note> =>
    transaction(db, async (tx) => {
      const sight = await assertMayWrite(tx, by, userId);
      const { id } = await tx
        .insertInto('user_notes')
        .values({ user_id: userId, created_by: by.user.id, note, risk_level: riskLevel })
        .returning('id')
        .executeTakeFirstOrThrow();
      const made = await readNote(tx, id, sight);
      await recordAudit(tx, by, { after: { id, userId, note, riskLevel } });
      return made;
    }),

  /** Throws 404 NOTE_NOT_FOUND, 403 OWN_ACCOUNT for a note about oneself. */
  update: (by: StaffCall, { id, note, riskLevel }: z.output<typeof NoteChange>): Promise<Note> =>
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

  /** Returns the note as it was; the audit stores its text. Throws as `update`. */
  remove: (by: StaffCall, id: number): Promise<Note> =>
    transaction(db, async (tx) => {
      const { before, sight } = await lockNote(tx, by, id);
      const removed = await readNote(tx, id, sight);
      await tx.deleteFrom('user_notes').where('id', '=', id).execute();
      await recordAudit(tx, by, { before });
      return removed;
    }),

  /** For other views of a user. */
  riskNotesOf: (userId: number, sight: Sight): Promise<Note[]> => riskNotes(db, userId, sight),

  get: (id: number, sight: Sight): Promise<Note> => readNote(db, id, sight),
  list: (query: Query, sight: Sight): Promise<Page<Note>> => listNotes(db, query, sight),
});

/** What the caller sees of users. Throws unless they may write notes about this one. */
async function assertMayWrite(tx: Tx, by: StaffCall, userId: number): Promise<Sight> {
  const user = await getUser(tx, userId);
  const actor = await freshActor(tx, by);
  assertMayManage(actor, user);
  return sightOf(actor);
}

/** Locks a note that the caller wants to change. */
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

/** Notes are counted and paged up to here: what a list costs must not grow with the years. */
const COUNTED = 10_000;
/** A short search reads the notes about this many users: the first ones by name. */
const MOST_USERS = 1000;

/** As its index spells it. */
const RISK = sql`array_position(array['NONE', 'LOW', 'MEDIUM', 'HIGH'], risk_level)`;
const ORDERS = { createdAt: sql`created_at`, updatedAt: sql`updated_at`, riskLevel: RISK };

async function listNotes(db: Db, query: Query, sight: Sight): Promise<Page<Note>> {
  const matching = matchingNotes(db, query, sight);
  const { total } = await db
    .selectFrom(matching.select('user_notes.id').limit(COUNTED).as('counted'))
    .select(sql<number>`count(*)::int`.as('total'))
    .executeTakeFirstOrThrow();
  return pageOf(query, total, async (offset) => {
    const rows = await matching
      .select('user_notes.id')
      .orderBy(ORDERS[query.sortBy], query.sortOrder)
      .orderBy('user_notes.id', query.sortOrder)
      .limit(Math.min(query.take, total - offset))
      .offset(offset)
      .execute();
    return readNotes(db, rows, sight);
  });
}

function matchingNotes(db: Db, { userId, riskLevel, ...query }: Query, sight: Sight) {
  const search = searchFor(query.search ?? '');
  return db
    .selectFrom('user_notes')
    .$if(userId !== undefined, (q) => q.where('user_id', '=', userId!))
    .$if(riskLevel !== undefined, (q) => q.where('risk_level', '=', riskLevel!))
    .$if(search !== undefined, (q) =>
      q.where(sql<boolean>`user_notes.id = any(array(${found(search!, sight)}))`),
    );
}

/**
 * One look-up through its own index for each thing that is searched. Trigram indexes only know texts with three letters or digits in a
 * row; shorter ones are searched at the beginning of usernames only. Staff who see e-mail addresses masked have to know a whole one.
 */
function found({ pattern, text, isPrefix, id }: Search, { showsPii }: Sight) {
  const about = sql`select id from user_notes where user_id = ${id ?? null}::int4`;
  const name = sql`coalesce(lower(username), '') collate "C"`;
  // User by user: the planner would expect a thousand of them to have many notes.
  if (isPrefix)
    return sql<number>`${about} union select n.id from
      (select id from users where ${name} like lower(${pattern}) order by ${name} limit ${MOST_USERS}) u
      cross join lateral (select id from user_notes where user_id = u.id offset 0) n`;
  const email = showsPii ? sql`lower(u.email) like lower(${pattern})` : sql`lower(u.email) = lower(${text})`;
  return sql<number>`${about} union select id from user_notes where lower(note) like lower(${pattern})
    union select n.id from user_notes n join users u on u.id = n.user_id where lower(u.username) like lower(${pattern})
    union select n.id from user_notes n join users u on u.id = n.user_id where ${email}`;
}

/** The newest notes about each of these users, `each` at most, newest first. */
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

const MOST_RISKS = 20;

/** The newest notes about a user in which staff sees a risk, newest first. */
async function riskNotes(db: Db, userId: number, sight: Sight): Promise<Note[]> {
  const ids = await db
    .selectFrom('user_notes')
    .select('id')
    .where('user_id', '=', userId)
    .where('risk_level', '<>', 'NONE')
    .orderBy('id', 'desc')
    .limit(MOST_RISKS)
    .execute();
  return readNotes(db, ids, sight);
}

async function readNote(db: DbOrTx, id: number, sight: Sight): Promise<Note> {
  const [note] = await readNotes(db, [{ id }], sight);
  if (!note) throw noteErrors.NOTE_NOT_FOUND({ id });
  return note;
}

/** The notes with these ids, in their order; without those that are deleted meanwhile. */
async function readNotes(db: DbOrTx, wanted: readonly { id: number }[], sight: Sight): Promise<Note[]> {
  if (wanted.length === 0) return [];
  const ids = wanted.map(({ id }) => id);
  const rows = await db.selectFrom('user_notes').selectAll().where('id', 'in', ids).execute();
  const people = rows.flatMap((row) => [row.user_id, row.created_by]);
  const byId = await shortUsers(db, people, sight);
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
