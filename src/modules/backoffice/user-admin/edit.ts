import { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import { operation } from '../../../http/operation.ts';
import { strictObject } from '../../../http/schemas.ts';
import { type Tx, transaction } from '../../../platform/database/db.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { givenIn } from '../../../platform/list/conditions.ts';
import type { Actor } from '../../base/access/rules.ts';
import { lockManaged } from '../../base/access/service.ts';
import { recordAudit } from '../../base/audit/service.ts';
import { emitEvent } from '../../base/events/service.ts';
import { lockPlayers } from '../../base/players/service.ts';
import {
  assertValue,
  type Leave,
  pairOf,
  staffValueErrors,
  withProposals,
} from '../../base/staff-value/service.ts';
import { assertNameMayBeTaken, assertNotOfStaff } from '../../base/users/names.ts';
import { skeletonOf } from '../../base/users/rules.ts';
import { HttpsLink, UserDto, Username, userErrors, userEvents } from '../../base/users/schemas.ts';
import { announceUserChange, assertNoBot, holds, type UserRow } from '../../base/users/service.ts';
import { updateUser } from './queries.ts';
import { UserPath, userAdminErrors } from './schemas.ts';
import { type UserAdminDeps, viewOf } from './view.ts';

const UserUpdate = strictObject('UserUpdateByAdmin', {
  username: Username.optional(),
  isStaff: z.boolean().optional(),
  isYoutuber: z.boolean().optional(),
  isTest: z.boolean().optional(),
  isStreamer: z.boolean().optional(),
  canUseChat: z.boolean().optional(),
  isPrivate: z.boolean().optional(),
  isStreamerMode: z.boolean().optional(),
  isEmailNotificationsEnabled: z.boolean().optional(),
  customMinAffiliateLevel: z.number().int().min(0).max(1000).nullable().optional(),
  platformTradeLink: HttpsLink.nullable().optional(),
});

type Change = z.output<typeof UserUpdate>;

export const editUser = operation({
  method: 'PATCH',
  path: '/admin/user/{id}',
  tag: 'Admin User',
  access: { permission: 'user.write' },
  gate: 'none',
  stepUp: 'conditional',
  createsValue: 'reattributes',
  summary: 'Edit a user',
  description:
    'Only superadmins may change isStaff, isTest and the usernames of staff. Changing customMinAffiliateLevel requires the ' +
    'permission `affiliate.pay`. Changing isStaff, isTest or customMinAffiliateLevel requires a second factor. Raising ' +
    'customMinAffiliateLevel requires approval by a second person. The value null clears platformTradeLink or ' +
    'customMinAffiliateLevel.',
  params: UserPath,
  body: UserUpdate,
  response: UserDto,
  errors: [
    userErrors.USER_NOT_FOUND,
    commonErrors.OWN_ACCOUNT,
    userErrors.AUTH_USER_EXISTS,
    userErrors.STAFF_NAME_FIXED,
    userErrors.USERNAME_RESERVED,
    userErrors.NOTHING_TO_CHANGE,
    userAdminErrors.STAFF_HAS_RIGHTS,
    userErrors.BOT_ACCOUNT,
    staffValueErrors.APPROVAL_NEEDED,
    staffValueErrors.STAFF_VALUE_LIMIT,
  ],
  handler: async (deps: UserAdminDeps, { by, params: { id }, body: change }) => {
    if (givenIn(change).length === 0) throw userErrors.NOTHING_TO_CHANGE();
    return withProposals(deps.db, by, () => transaction(deps.db, (tx) => edit(tx, deps, by, { id, change })));
  },
});

async function edit(
  tx: Tx,
  deps: UserAdminDeps,
  by: StaffCall,
  { id, change }: { id: number; change: Change },
): Promise<z.input<typeof UserDto>> {
  // `assertValue` locks the caller as a player, and player rows must be locked before user rows.
  if (change.customMinAffiliateLevel !== undefined) await lockPlayers(tx, [by.user.id]);
  const { user, actor } = await lockManaged(tx, by, { id });
  assertMayChange(actor, user, change);
  if (change.isStaff) assertNoBot(user);
  await assertMayRename(tx, deps, { actor, user, username: change.username });
  if (isForSuperAdmins(change) || change.customMinAffiliateLevel !== undefined)
    await deps.mfa.stepUp.within(tx, by);
  const leave = await approveLevel(tx, deps, by, { user, change });
  const changed = await updateUser(tx, id, columnsOf(change));
  await announceUserChange(tx, id);
  await emitEvent(tx, { event: userEvents['user.updated'], userId: id, data: {} });
  if (change.isEmailNotificationsEnabled !== undefined)
    await emitEvent(tx, { event: userEvents['user.consents'], userId: id, data: {} });
  const after = { ...valuesOf(changed, change), ...(leave && pairOf(leave)) };
  await recordAudit(tx, by, { before: valuesOf(user, change), after });
  return viewOf(tx, changed, actor);
}

async function assertMayRename(
  tx: Tx,
  { config }: UserAdminDeps,
  { actor, user, username }: { actor: Actor; user: UserRow; username: string | undefined },
): Promise<void> {
  if (username === undefined || username.toLowerCase() === user.username?.toLowerCase()) return;
  if (user.is_staff && !actor.isSuperAdmin) throw userErrors.STAFF_NAME_FIXED();
  assertNameMayBeTaken(username, { brand: config.BRAND_NAME, isByHouse: actor.isSuperAdmin });
  if (!actor.isSuperAdmin) await assertNotOfStaff(tx, { username, ownerId: user.id });
}

/** Requires a second person to approve a higher level, because it raises the commission permanently. */
async function approveLevel(
  tx: Tx,
  deps: UserAdminDeps,
  by: StaffCall,
  { user, change: { customMinAffiliateLevel } }: { user: UserRow; change: Change },
): Promise<Leave | undefined> {
  if ((customMinAffiliateLevel ?? 0) <= (user.custom_min_affiliate_level ?? 0)) return undefined;
  return assertValue(tx, deps, by, {
    operation: 'affiliate.level',
    input: { userId: user.id, customMinAffiliateLevel: customMinAffiliateLevel! },
    usdAmount: null,
    recipients: [],
    reason: `Affiliate level of user ${user.id}`,
  });
}

const isForSuperAdmins = ({ isStaff, isTest }: Change) => isStaff !== undefined || isTest !== undefined;

/** Only superadmins may change isStaff and isTest. Users with roles or permissions must remain staff. */
function assertMayChange(
  actor: Actor,
  target: UserRow,
  { isStaff, isTest, customMinAffiliateLevel }: Change,
): void {
  if (isForSuperAdmins({ isStaff, isTest }) && !actor.isSuperAdmin) throw commonErrors.FORBIDDEN();
  // The level determines the player's future commission.
  if (customMinAffiliateLevel !== undefined && !holds(actor, 'affiliate.pay')) throw commonErrors.FORBIDDEN();
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

/** Returns the current values of the changed fields. */
const valuesOf = (user: UserRow, change: Change) =>
  Object.fromEntries(givenIn(change).map((field) => [field, user[COLUMNS[field]]]));
