import type { DbOrTx, Tx } from '../../../platform/database/db.ts';
import { parseUserAgent } from '../../../platform/net/user-agent.ts';

export type Registration = {
  userId: number;
  /** `EMAIL`, the path segment of an identity provider, or `DEBUG`. */
  type: string;
  ip: string | null;
  country: string | null;
  userAgent: string | undefined;
  language: string | null;
  referrer: string | null;
};

/** Stores how and from where an account was opened, in the transaction that opens it. */
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

/** Returns the country of the IP address from which an account was opened, or null if it is unknown. */
export async function findCountryOfRegistration(db: DbOrTx, userId: number): Promise<string | null> {
  const row = await db
    .selectFrom('registration_info')
    .select('country_code')
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return row?.country_code ?? null;
}
