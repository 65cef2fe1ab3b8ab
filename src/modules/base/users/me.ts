import type { z } from 'zod';
import type { SessionUser } from '../../../http/access.ts';
import { iso } from '../../../platform/clock.ts';
import type { Db } from '../../../platform/database/db.ts';
import { readTogether } from '../../../platform/limits/shared-read.ts';
import { type PublicUser, type SelfExclude, userErrors } from './schemas.ts';
import { maskEmail, type UserRow, usersById } from './service.ts';

export type Users = ReturnType<typeof createUsers>;

type Deps = {
  db: Db;
  /** Returns a player's totals in USD. */
  balances: (userId: number) => Promise<Balances>;
  /** Returns the user's exclusion. `isActive` is false if there is none. */
  exclusionOf: (userId: number) => Promise<z.input<typeof SelfExclude>>;
};
type Balances = z.input<typeof PublicUser>['balances'];

/** Reads users' own profiles. Concurrent requests share one query. */
export function createUsers({ db, balances, exclusionOf }: Deps) {
  const userOf = readTogether((ids: readonly number[]) => usersById(db, ids));
  return {
    async me({
      id,
      permissions,
    }: Pick<SessionUser, 'id' | 'permissions'>): Promise<z.input<typeof PublicUser>> {
      const [user, totals] = await Promise.all([userOf(id), balances(id)]);
      if (!user) throw userErrors.USER_NOT_FOUND();
      // The user's row shows whether an exclusion may exist, so most of these queries can be skipped.
      const exclusion = user.self_excluded_until ? await exclusionOf(id) : undefined;
      const selfExclusion = exclusion?.isActive ? exclusion : null;
      return {
        ...toPublicUser(user, totals),
        permissions: [...permissions].sort(),
        selfExclusion,
      };
    },
  };
}

function toPublicUser(user: UserRow, balances: Balances) {
  return {
    id: user.id,
    ...(user.username === null ? {} : { username: user.username }),
    country: user.country_code,
    email: user.email === null ? null : maskEmail(user.email),
    emailVerified: user.email_verified,
    avatar: user.avatar,
    language: user.language,
    vipLevel: user.vip_level,
    balances,
    kycLevel: user.kyc_level,
    mfaEnabled: user.is_mfa_enabled,
    isPrivate: user.is_private,
    isStreamer: user.is_streamer,
    isStreamerMode: user.is_streamer_mode,
    isEmailNotificationsEnabled: user.is_email_notifications_enabled,
    isStaff: user.is_staff,
    roles: user.roles,
    platformTradeLink: user.platform_trade_link,
    createdAt: iso(user.created_at),
  };
}
