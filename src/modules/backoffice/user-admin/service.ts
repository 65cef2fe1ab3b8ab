import type { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import { type Db, type Tx, transaction } from '../../../platform/db.ts';
import { commonErrors } from '../../../platform/errors.ts';
import type { Files } from '../../../platform/files.ts';
import { type Actor, assertMayManage } from '../../base/access/rules.ts';
import { freshActor } from '../../base/access/service.ts';
import { recordAudit } from '../../base/audit/service.ts';
import type { Mail } from '../../base/mail/service.ts';
import type { SiteConfig } from '../../base/site-config/service.ts';
import { userErrors } from '../../base/users/errors.ts';
import { assertNameMayBeTaken } from '../../base/users/names.ts';
import { removeAvatar } from '../../base/users/profile.ts';
import { skeletonOf } from '../../base/users/rules.ts';
import { announceUserChange, getUser, type UserRow } from '../../base/users/service.ts';
import type { Currencies } from '../../money/currencies/service.ts';
import { setBalance } from './balance.ts';
import { ban, unban } from './ban.ts';
import { userAdminErrors } from './errors.ts';
import { createUserList, type StatsOf } from './list.ts';
import { lockUser, updateUser } from './queries.ts';
import { resetMfa } from './reset-mfa.ts';
import type { BalanceTarget, UserUpdate } from './schemas.ts';
import { createMarks } from './state.ts';
import { viewOf } from './view.ts';

export type UserAdmin = ReturnType<typeof createUserAdmin>;

type Deps = {
  db: Db;
  /** For the list: may be a little old. */
  reads?: Db;
  currencies: Currencies;
  siteConfig: SiteConfig;
  statsOf: StatsOf;
  /** Name of the site: nobody but its staff goes by it. */
  brand: string;
  mail: Mail;
  /** Throws 403 MFA_REQUIRED unless the second factor of the call is proven. */
  stepUp: (tx: Tx, by: StaffCall) => Promise<void>;
  /** Lets go of the file of an avatar that nothing shows any more. */
  files: Pick<Files, 'forget'>;
};

/** What staff does about users. Every change takes the call that asks for it, for the rules and for the audit. */
export function createUserAdmin({
  db,
  reads = db,
  currencies,
  siteConfig,
  statsOf,
  files,
  brand,
  stepUp,
  mail,
}: Deps) {
  return {
    list: createUserList({ db: reads, currencies, statsOf, marks: createMarks(reads) }),

    /** Throws 404 USER_NOT_FOUND. */
    get: async (by: StaffCall, id: number) => viewOf(await getUser(db, id), by),

    /**
     * Throws 400 NOTHING_TO_CHANGE, 404 USER_NOT_FOUND, 403 OWN_ACCOUNT, 403 FORBIDDEN (a superadmin; isStaff and isTest by anybody but a superadmin),
     * 409 AUTH_USER_EXISTS, 409 USERNAME_RESERVED, 409 STAFF_HAS_RIGHTS, 403 STAFF_NAME_FIXED, 403 MFA_REQUIRED, and as freshActor does.
     */
    async update(by: StaffCall, id: number, change: z.output<typeof UserUpdate>) {
      if (fieldsOf(change).length === 0) throw userErrors.NOTHING_TO_CHANGE();
      return transaction(db, async (tx) => {
        const user = await lockUser(tx, id);
        const actor = await freshActor(tx, by);
        assertMayManage(actor, user);
        assertMayChange(actor, user, change);
        if (
          change.username?.toLowerCase() !== user.username?.toLowerCase() &&
          change.username !== undefined
        ) {
          if (user.is_staff && !actor.isSuperAdmin) throw userErrors.STAFF_NAME_FIXED();
          assertNameMayBeTaken(change.username, { brand, isByHouse: actor.isSuperAdmin });
        }
        if (isForSuperAdmins(change)) await stepUp(tx, by);
        const changed = await updateUser(tx, id, columnsOf(change));
        await announceUserChange(tx, id);
        await recordAudit(tx, by, { before: shownOf(user, change), after: shownOf(changed, change) });
        return viewOf(changed, { user: actor });
      });
    },

    ban: (by: StaffCall, id: number, reason: string | undefined) => ban(db, by, id, reason),
    unban: (by: StaffCall, id: number, reason: string | undefined) => unban(db, by, id, reason),

    resetMfa: (by: StaffCall, id: number, reason: string) => resetMfa({ db, mail }, by, { id, reason }),

    setBalance: (
      by: StaffCall,
      id: number,
      request: { input: z.output<typeof BalanceTarget>; key: string | undefined },
    ) => setBalance({ db, currencies, siteConfig }, by, { id, ...request }),

    /** Takes a user's avatar away; answers the one that is left: none. Throws 404 USER_NOT_FOUND, 403 OWN_ACCOUNT. */
    async resetAvatar(by: StaffCall, id: number): Promise<string> {
      const former = await transaction(db, async (tx) => {
        const user = await lockUser(tx, id);
        assertMayManage(await freshActor(tx, by), user);
        await removeAvatar(tx, id);
        await recordAudit(tx, by, { before: { avatar: user.avatar }, after: { avatar: null } });
        return user.avatar;
      });
      await files.forget(former);
      return '';
    },
  };
}

type Change = z.output<typeof UserUpdate>;

const isForSuperAdmins = ({ isStaff, isTest }: Change) => isStaff !== undefined || isTest !== undefined;

/** Who counts as staff or as a test account is for superadmins to say; nobody stops being staff who still has rights. */
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

const fieldsOf = (change: Change) =>
  (Object.keys(COLUMNS) as (keyof Change)[]).filter((field) => change[field] !== undefined);

function columnsOf(change: Change): Partial<UserRow> {
  const values = Object.fromEntries(fieldsOf(change).map((field) => [COLUMNS[field], change[field]]));
  return {
    ...values,
    ...(change.username === undefined ? {} : { username_skeleton: skeletonOf(change.username) }),
  };
}

/** The fields of a change as they are in a row. */
const shownOf = (user: UserRow, change: Change) =>
  Object.fromEntries(fieldsOf(change).map((field) => [field, user[COLUMNS[field]]]));
