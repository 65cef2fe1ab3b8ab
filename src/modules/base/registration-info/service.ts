import type { z } from 'zod';
import { addressOf } from '../../../platform/address.ts';
import { iso } from '../../../platform/clock.ts';
import type { Db, DbOrTx, Tx } from '../../../platform/db.ts';
import { parseUserAgent } from '../../../platform/user-agent.ts';
import { SHORT_USER_COLUMNS, type Sight, toShortPrivateUser } from '../users/service.ts';
import { registrationErrors } from './errors.ts';
import type { RegistrationInfo } from './schemas.ts';

export type Registration = {
  userId: number;
  /** `EMAIL`, the segment of an identity provider, or `DEBUG`. */
  type: string;
  ip: string | null;
  country: string | null;
  userAgent: string | undefined;
  language: string | null;
  referrer: string | null;
};

/** Keeps how and from where an account was opened, in the transaction that opens it. */
export async function recordRegistration(tx: Tx, registration: Registration): Promise<void> {
  const { userId, type, ip, country, userAgent, language, referrer } = registration;
  const { device, deviceType, browser, os } = parseUserAgent(userAgent);
  await tx
    .insertInto('registration_info')
    .values({
      user_id: userId,
      type,
      ip_address: ip,
      country_code: country,
      language,
      device,
      device_type: deviceType,
      browser,
      os,
      user_agent: userAgent?.slice(0, 500) ?? null,
      referrer,
    })
    .execute();
}

/** The country of the address from which an account was opened; null: unknown. */
export async function findCountryOfRegistration(db: DbOrTx, userId: number): Promise<string | null> {
  const row = await db
    .selectFrom('registration_info')
    .select('country_code')
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return row?.country_code ?? null;
}

/** Whether two accounts were opened from one address with one device, as far as both are known. */
export async function sharesRegistration(db: DbOrTx, a: number, b: number): Promise<boolean> {
  const rows = await db
    .selectFrom('registration_info')
    .select(['ip_address', 'user_agent'])
    .where('user_id', 'in', [a, b])
    .execute();
  const [one, other] = rows.map(({ ip_address, user_agent }) =>
    ip_address === null || user_agent === null ? undefined : `${addressOf(ip_address)} ${user_agent}`,
  );
  return one !== undefined && one === other;
}

export type RegistrationInfos = ReturnType<typeof createRegistrationInfos>;

export function createRegistrationInfos(db: Db) {
  return {
    /** How a user registered. Throws 404 REGISTRATION_INFO_NOT_FOUND. */
    async get(userId: number, sight: Sight): Promise<z.input<typeof RegistrationInfo>> {
      const row = await db
        .selectFrom('registration_info as r')
        .innerJoin('users', 'users.id', 'r.user_id')
        .selectAll('r')
        .select(SHORT_USER_COLUMNS)
        .where('r.user_id', '=', userId)
        .executeTakeFirst();
      if (!row) throw registrationErrors.REGISTRATION_INFO_NOT_FOUND({ userId });
      return {
        type: row.type,
        ipAddress: row.ip_address,
        createdAt: iso(row.created_at),
        userId: row.user_id,
        device: row.device,
        countryCode: row.country_code ?? '',
        language: row.language ?? '',
        browser: row.browser,
        os: row.os,
        deviceType: row.device_type,
        userAgent: row.user_agent,
        referrer: row.referrer ?? '',
        user: toShortPrivateUser(row, sight),
      };
    },
  };
}
