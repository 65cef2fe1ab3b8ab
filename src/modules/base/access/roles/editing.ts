import { z } from 'zod';
import type { StaffCall } from '../../../../http/access.ts';
import { line, text } from '../../../../http/schemas.ts';
import type { Tx } from '../../../../platform/database/db.ts';
import { recordAudit } from '../../audit/service.ts';
import { sightOf } from '../../users/service.ts';
import { accessErrors } from '../errors.ts';
import { freshActor, lockSuperAdmins, unique } from '../service.ts';
import { assertMayChangeRole, SHIPPED_ROLES, titleKey } from './rules.ts';
import { announceRoleChange, findStored, type RoleRow } from './stored.ts';
import { contentOf, findRole, type Role, type RoleContent } from './view.ts';

const RoleName = z
  .string()
  .regex(
    /^[A-Z][A-Z0-9_]{1,31}$/,
    'needs 2 to 32 capital letters, digits and underscores, with a letter first',
  )
  .meta({ example: 'VIP_HOST' });
export const RolePath = z.object({ name: RoleName });

export const Permissions = z.array(z.string().min(1).max(64)).max(200).transform(unique);
export const Titles = { title: line(60), description: text(300) } as const;
export const NewName = { name: RoleName, ...Titles } as const;
export const Reason = z.string().trim().min(1).max(500);

export const editing = {
  tag: 'Admin User',
  access: { permission: 'staff.write' },
  gate: 'none',
  stepUp: true,
} as const;
export const granting = [
  accessErrors.PERMISSION_UNKNOWN,
  accessErrors.PERMISSION_NOT_HELD,
  accessErrors.GRANT_NEEDS_SUPERADMIN,
  accessErrors.OWN_ROLE,
];

type Author = Awaited<ReturnType<typeof freshActor>>;

/** Waits until no other change of roles is running, and returns the caller with their current permissions. */
export async function lockRoles(tx: Tx, by: StaffCall): Promise<Author> {
  await lockSuperAdmins(tx);
  return freshActor(tx, by);
}

/** Returns a role's content and its row, if it has one. Throws 404 ROLE_NOT_FOUND. */
export async function getRole(
  tx: Tx,
  name: string,
): Promise<{ content: RoleContent; row: RoleRow | undefined }> {
  const row = await findStored(tx, name);
  const content = contentOf(name, row);
  if (!content) throw accessErrors.ROLE_NOT_FOUND({ role: name });
  return { content, row };
}

/** Throws 409 ROLE_CHANGED if the caller has seen another version of the role. */
export function assertVersion(row: RoleRow | undefined, seen: number): void {
  const version = row?.version ?? 0;
  if (version !== seen) throw accessErrors.ROLE_CHANGED({ version });
}

/**
 * Throws 409 ROLE_TITLE_TAKEN if another role has this title or name, in any capitals, because superadmins assign roles by their titles.
 * Lock the changes of roles first (lockRoles).
 */
export async function assertTitleIsFree(tx: Tx, name: string, title: string): Promise<void> {
  const rows = await tx.selectFrom('roles').selectAll().execute();
  const byName = new Map(rows.map((row) => [row.name, row]));
  const others = new Set([...Object.keys(SHIPPED_ROLES), ...byName.keys()]);
  others.delete(name);
  const wanted = titleKey(title);
  for (const other of others)
    if ([other, contentOf(other, byName.get(other))!.title].some((taken) => titleKey(taken) === wanted))
      throw accessErrors.ROLE_TITLE_TAKEN({ role: other });
}

/** Stores a new role. Throws 409 ROLE_EXISTS and ROLE_TITLE_TAKEN, and the errors of assertMayChangeRole. */
export async function insertRole(
  tx: Tx,
  { by, actor }: { by: StaffCall; actor: Author },
  { name, content, reason }: { name: string; content: RoleContent; reason: string },
): Promise<z.input<typeof Role>> {
  if (contentOf(name, await findStored(tx, name))) throw accessErrors.ROLE_EXISTS({ role: name });
  assertMayChangeRole(actor, name, { before: [], after: content.permissions });
  for (const text of [content.title, name]) await assertTitleIsFree(tx, name, text);
  await tx
    .insertInto('roles')
    .values({ name, ...content, updated_by: actor.id })
    .execute();
  await announceRoleChange(tx, name);
  const role = await findRole(tx, name, sightOf(actor));
  await recordAudit(tx, by, { after: { name, ...content }, reason });
  return role!;
}
