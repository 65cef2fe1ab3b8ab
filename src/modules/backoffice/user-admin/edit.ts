import type { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import { type Db, type Tx, transaction } from '../../../platform/db.ts';
import { commonErrors } from '../../../platform/errors.ts';
import type { Files } from '../../../platform/files.ts';
import { givenIn } from '../../../platform/list/conditions.ts';
import type { Actor } from '../../base/access/rules.ts';
import { lockManaged } from '../../base/access/service.ts';
import { recordAudit } from '../../base/audit/service.ts';
import { emitEvent } from '../../base/events/service.ts';
import { userErrors } from '../../base/users/errors.ts';
import { assertNameMayBeTaken } from '../../base/users/names.ts';
import { skeletonOf } from '../../base/users/rules.ts';
import type { UserDto } from '../../base/users/schemas.ts';
import {
  announceUserChange,
  assertNoBot,
  holds,
  sightOf,
  toUserDto,
  type UserRow,
} from '../../base/users/service.ts';
import { userAdminErrors } from './errors.ts';
import { updateUser } from './queries.ts';
import type { UserUpdate } from './schemas.ts';

type Change = z.output<typeof UserUpdate>;

export type EditDeps = {
  db: Db;
  files: Files;
  /** The site's name: only its staff may have it. */
  brand: string;
  /** Throws 403 MFA_REQUIRED unless the second factor of the call is proven. */
  stepUp: (tx: Tx, by: StaffCall) => Promise<void>;
};

/** What this member of staff sees of a user: addresses in full with `user.pii`, permissions with `staff.read`. */
export const viewOf = (
  user: UserRow,
  reader: Pick<Actor, 'isSuperAdmin' | 'permissions'>,
): z.input<typeof UserDto> => ({
  ...toUserDto(user, sightOf(reader)),
  ...(holds(reader, 'staff.read') ? {} : { permissions: [] }),
});

/**
 * Throws 400 NOTHING_TO_CHANGE, 403 FORBIDDEN (isStaff and isTest by anybody but a superadmin), 409 AUTH_USER_EXISTS, 409
 * USERNAME_RESERVED, 409 STAFF_HAS_RIGHTS, 409 BOT_ACCOUNT for staff that would be one, 403 STAFF_NAME_FIXED, 403 MFA_REQUIRED, and as lockManaged does.
 */
export async function update({ db, brand, stepUp }: EditDeps, by: StaffCall, id: number, change: Change) {
  if (givenIn(change).length === 0) throw userErrors.NOTHING_TO_CHANGE();
  return transaction(db, async (tx) => {
    const { user, actor } = await lockManaged(tx, by, { id });
    assertMayChange(actor, user, change);
    if (change.isStaff) assertNoBot(user);
    const { username } = change;
    if (username !== undefined && username.toLowerCase() !== user.username?.toLowerCase()) {
      if (user.is_staff && !actor.isSuperAdmin) throw userErrors.STAFF_NAME_FIXED();
      assertNameMayBeTaken(username, { brand, isByHouse: actor.isSuperAdmin });
    }
    if (isForSuperAdmins(change)) await stepUp(tx, by);
    const changed = await updateUser(tx, id, columnsOf(change));
    await announceUserChange(tx, id);
    await emitEvent(tx, { event: 'user.updated', userId: id, data: {} });
    if (change.isEmailNotificationsEnabled !== undefined)
      await emitEvent(tx, { event: 'user.consents', userId: id, data: {} });
    await recordAudit(tx, by, { before: shownOf(user, change), after: shownOf(changed, change) });
    return viewOf(changed, actor);
  });
}

/** Removes a user's avatar; returns the address of the new one, which is empty. Throws as lockManaged does. */
export async function resetAvatar({ db, files }: EditDeps, by: StaffCall, id: number): Promise<string> {
  const former = await transaction(db, async (tx) => {
    const { user } = await lockManaged(tx, by, { id });
    await updateUser(tx, id, { avatar: null });
    await recordAudit(tx, by, { before: { avatar: user.avatar }, after: { avatar: null } });
    return user.avatar;
  });
  await files.forget(former);
  return '';
}

const isForSuperAdmins = ({ isStaff, isTest }: Change) => isStaff !== undefined || isTest !== undefined;

/** Only superadmins decide who is staff or a test account; nobody stops being staff while they have rights. */
function assertMayChange(actor: Actor, target: UserRow, { isStaff, isTest }: Change): void {
  if (isForSuperAdmins({ isStaff, isTest }) && !actor.isSuperAdmin) throw commonErrors.FORBIDDEN();
  if (isStaff === false && target.roles.length + target.permissions.length > 0)
    throw userAdminErrors.STAFF_HAS_RIGHTS();
}

const COLUMNS = {
  username: 'username',
  isStaff: 'is_staff',
  isYoutuber: 'is_youtuber',
  isTest: 'is_test',
  isStreamer: 'is_streamer',
  canUseChat: 'can_use_chat',
  isPrivate: 'is_private',
  isStreamerMode: 'is_streamer_mode',
  isEmailNotificationsEnabled: 'is_email_notifications_enabled',
  customMinAffiliateLevel: 'custom_min_affiliate_level',
  platformTradeLink: 'platform_trade_link',
} as const satisfies Record<keyof Change, keyof UserRow>;

function columnsOf(change: Change): Partial<UserRow> {
  const values = Object.fromEntries(givenIn(change).map((field) => [COLUMNS[field], change[field]]));
  return {
    ...values,
    ...(change.username === undefined ? {} : { username_skeleton: skeletonOf(change.username) }),
  };
}

/** The changed fields as they are in a row. */
const shownOf = (user: UserRow, change: Change) =>
  Object.fromEntries(givenIn(change).map((field) => [field, user[COLUMNS[field]]]));
