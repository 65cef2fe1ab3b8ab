import { sql } from 'kysely';
import { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import { operation } from '../../../http/operation.ts';
import { type Tx, transaction } from '../../../platform/database/db.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { assertMayManage } from '../../base/access/rules.ts';
import { freshActor } from '../../base/access/service.ts';
import { recordAudit } from '../../base/audit/service.ts';
import { userErrors } from '../../base/users/errors.ts';
import { RiskLevel, UserId, UserNote } from '../../base/users/schemas.ts';
import { getUser, type Sight, sightOf } from '../../base/users/service.ts';
import type { UserNoteDeps } from './deps.ts';
import { noteErrors } from './errors.ts';
import { readNote } from './service.ts';

const Text = z.string().trim().min(1).max(5000);

const NewNote = z.strictObject({ note: Text, userId: UserId, riskLevel: RiskLevel.default('NONE') });

const NoteChange = z
  .strictObject({ id: UserId, note: Text.optional(), riskLevel: RiskLevel.optional() })
  .refine(({ note, riskLevel }) => note !== undefined || riskLevel !== undefined, 'needs note or riskLevel');

const NotePath = z.object({ id: UserId });

const shared = {
  tag: 'Admin User',
  access: { permission: 'note.write' },
  gate: 'none',
  response: UserNote,
} as const;

export const createUserNote = operation({
  ...shared,
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
  ...shared,
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
  ...shared,
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

/** Throws unless the caller may write notes about this user. Returns which personal data of users the caller sees. */
async function assertMayWrite(tx: Tx, by: StaffCall, userId: number): Promise<Sight> {
  const user = await getUser(tx, userId);
  const actor = await freshActor(tx, by);
  assertMayManage(actor, user);
  return sightOf(actor);
}

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
