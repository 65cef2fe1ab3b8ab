import { accessErrors } from '../errors.ts';
import { PERMISSIONS } from '../permissions.ts';

export const SUPERADMIN = 'SUPERADMIN';

type Permission = keyof typeof PERMISSIONS;
export type Rights = { roles: readonly string[]; permissions: readonly string[] };
/** The permissions of roles that staff have created or changed, by name. All other roles have their shipped permissions. */
export type StoredRoles = Readonly<Record<string, readonly string[]>>;

type ShippedRole = { title: string; description: string; permissions: readonly Permission[] };

const ALL = Object.keys(PERMISSIONS) as Permission[];

/** The roles that every installation has. A SUPERADMIN may also call the routes that require `superadmin` instead of a permission. */
export const SHIPPED_ROLES: Readonly<Record<string, ShippedRole>> = {
  [SUPERADMIN]: {
    title: 'Superadmin',
    description: 'Everything, including roles and settings',
    permissions: ALL,
  },
  ADMIN: {
    title: 'Admin',
    description: 'Everything except log levels and what only superadmins may do',
    permissions: ALL.filter((name) => name !== 'logger.write'),
  },
  SUPPORT: {
    title: 'Support',
    description: 'Answers players, moderates the chat and writes help articles',
    permissions: [
      ...(['user.read', 'user.write', 'user.pii', 'note.read', 'note.write', 'transaction.read'] as const),
      ...(['bet.read', 'deposit.read', 'withdraw.read', 'withdrawblock.read', 'kyc.read'] as const),
      ...(['limit.read', 'limit.write', 'chat.moderate', 'faq.read', 'faq.write', 'casino.read'] as const),
      ...(['promo.read', 'rakeback.read', 'challenge.read', 'leaderboard.read'] as const),
    ],
  },
  FINANCE: {
    title: 'Finance',
    description: 'Reviews deposits and withdrawals, and reads reports and the ledger',
    permissions: [
      ...(['user.read', 'user.pii', 'note.read', 'note.write', 'apikey.read', 'transaction.read'] as const),
      ...(['bet.read', 'deposit.read', 'deposit.review', 'deposit.approve', 'withdraw.read'] as const),
      ...(['withdraw.approve', 'withdrawblock.read', 'withdrawblock.write', 'kyc.read'] as const),
      ...(['dashboard.read', 'casino.read', 'approval.read', 'tip.read', 'affiliate.read'] as const),
      ...(['rakeback.read', 'promo.read', 'challenge.read', 'leaderboard.read'] as const),
    ],
  },
  MARKETING: {
    title: 'Marketing',
    description: 'Runs promotions, challenges and leaderboards, and reads their results',
    permissions: [
      ...(['user.read', 'note.read', 'country.read', 'dashboard.read', 'casino.read'] as const),
      ...(['promo.read', 'promo.write', 'promo.pay', 'challenge.read', 'challenge.write'] as const),
      ...(['leaderboard.read', 'leaderboard.write', 'leaderboard.pay'] as const),
      ...(['affiliate.read', 'rakeback.read', 'vip.read', 'faq.read'] as const),
    ],
  },
  RISK: {
    title: 'Risk and compliance',
    description: 'Reads everything, verifies identities, and blocks players and withdrawals',
    permissions: [
      ...ALL.filter((name) => name.endsWith('.read')),
      ...(['user.ban', 'user.pii', 'note.write', 'withdraw.approve', 'withdrawblock.write'] as const),
      ...(['limit.write', 'kyc.approve'] as const),
    ],
  },
  CONTENT: {
    title: 'Games and content',
    description: 'Runs the game catalogue, the lobby, the chat and help articles',
    permissions: [
      ...(['casino.read', 'casino.write', 'bet.read', 'bet.write', 'dashboard.read'] as const),
      ...(['faq.read', 'faq.write', 'chat.moderate', 'country.read', 'promo.read'] as const),
      ...(['challenge.read', 'leaderboard.read', 'bot.read', 'bot.write'] as const),
    ],
  },
  STREAMER_MANAGER: {
    title: 'Streamer manager',
    description: 'Looks after streamers, with their affiliate codes and API keys',
    permissions: [
      ...(['user.read', 'user.write', 'apikey.read', 'apikey.write'] as const),
      ...(['affiliate.read', 'affiliate.pay'] as const),
    ],
  },
};

/** Returns the shipped role of this name, if there is one. */
export const findShipped = (name: string): ShippedRole | undefined =>
  Object.hasOwn(SHIPPED_ROLES, name) ? SHIPPED_ROLES[name] : undefined;

/** Returns the permissions of an account: those of its roles and its direct permissions. */
export function permissionsOf({ roles, permissions }: Rights, stored: StoredRoles): ReadonlySet<string> {
  return new Set([...roles.flatMap((name) => permissionsOfRole(name, stored)), ...permissions]);
}

const permissionsOfRole = (name: string, stored: StoredRoles): readonly string[] =>
  (Object.hasOwn(stored, name) ? stored[name] : findShipped(name)?.permissions) ?? [];

/** Returns true for permissions that release money. Only superadmins can grant them. */
export const isGrantedBySuperAdmins = (permission: string): boolean =>
  /[.](approve|pay|rollback)$/.test(permission);

export type Grantor = { isSuperAdmin: boolean; permissions: ReadonlySet<string> };

/**
 * The only rule for changing a list of permissions, of an account or of a role. Superadmins can add and remove all. Other staff can add and
 * remove only permissions that they have themselves, and can add none that release money. Throws 400 PERMISSION_UNKNOWN, and 403
 * GRANT_NEEDS_SUPERADMIN and PERMISSION_NOT_HELD. All staff may keep or remove a permission that only an earlier version had.
 */
export function assertMayChangePermissions(
  actor: Grantor,
  before: readonly string[],
  after: readonly string[],
): void {
  const granted = lacking(before, after);
  const unknown = granted.find((name) => !isKnown(name));
  if (unknown !== undefined) throw accessErrors.PERMISSION_UNKNOWN({ permission: unknown });
  if (actor.isSuperAdmin) return;
  const reserved = granted.filter(isGrantedBySuperAdmins);
  if (reserved.length > 0) throw accessErrors.GRANT_NEEDS_SUPERADMIN({ permissions: reserved });
  const changed = [...granted, ...lacking(after, before).filter(isKnown)];
  const missing = changed.find((name) => !actor.permissions.has(name));
  if (missing !== undefined) throw accessErrors.PERMISSION_NOT_HELD({ permission: missing });
}

/** Returns true for permissions that this version has. */
export const isKnown = (permission: string): boolean => Object.hasOwn(PERMISSIONS, permission);

/** Returns the names in `more` that are missing from `names`. */
export const lacking = (names: readonly string[], more: readonly string[]): string[] =>
  more.filter((name) => !names.includes(name));

/**
 * The rule for changing a role. It extends assertMayChangePermissions: staff below superadmin cannot add permissions to a role that they
 * have themselves, because a permission that they hold directly would then survive its removal. Throws 403 ROLE_FIXED and OWN_ROLE in
 * addition.
 */
export function assertMayChangeRole(
  actor: Grantor & { roles: readonly string[] },
  name: string,
  { before, after }: { before: readonly string[]; after: readonly string[] },
): void {
  if (name === SUPERADMIN) throw accessErrors.ROLE_FIXED();
  assertMayChangePermissions(actor, before, after);
  if (actor.isSuperAdmin || !actor.roles.includes(name)) return;
  const gained = lacking(before, after);
  if (gained.length > 0) throw accessErrors.OWN_ROLE({ role: name, permissions: gained });
}

/**
 * The rule for changing the title or description of a role. Superadmins choose the roles they assign by title and description, so staff
 * who lack one of a role's permissions must not change these texts. Throws 403 TITLE_NEEDS_PERMISSIONS.
 */
export function assertMayRename(actor: Grantor, permissions: readonly string[]): void {
  if (actor.isSuperAdmin) return;
  const missing = permissions.filter((name) => !actor.permissions.has(name));
  if (missing.length > 0) throw accessErrors.TITLE_NEEDS_PERMISSIONS({ permissions: missing });
}

/** Returns a title in the form used for comparison: lower case, in Unicode form NFKC. */
export const titleKey = (title: string): string => title.normalize('NFKC').toLowerCase();
