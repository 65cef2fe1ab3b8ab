import { z } from 'zod';
import type { Config } from '../../../platform/config/config.ts';
import type { Db } from '../../../platform/database/db.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { isSameSecret } from '../../../platform/secrets/encryption.ts';
import type { Sessions } from '../../accounts/auth/sessions/sessions.ts';
import type { PartnerReports } from '../../base/findings/service.ts';
import { userErrors } from '../../base/users/schemas.ts';
import { getUser, type UserRow } from '../../base/users/service.ts';
import { findRestrictions, type Gate, transactionTime } from '../../compliance/gate/service.ts';
import type { Kyc } from '../../compliance/kyc/service.ts';
import type { Promo } from '../../engagement/promo/service.ts';
import { userIdOf } from '../../games/seamless-wallet/engine/rules.ts';
import type { Currencies } from '../../money/currencies/service.ts';

export type CrmDeps = {
  db: Db;
  config: Config;
  currencies: Pick<Currencies, 'get' | 'freshRate'>;
  gate: Pick<Gate, 'assertMay'>;
  kyc: Pick<Kyc, 'identityOf'>;
  partnerReports: PartnerReports;
  promo: Pick<Promo, 'grantable' | 'grantTo' | 'moneyFor'>;
  sessions: Pick<Sessions, 'standings'>;
};

const Key = z.string().meta({ description: "The CRM's key (CRM_API_KEY), not a partner's key." });
export const KeyHeaders = z.object({ 'x-api-key': Key });

export const UserId = z
  .string()
  .max(32)
  .meta({ description: "The platform's user id as a string.", example: '1' });
export const CrmUserPath = z.object({ userId: UserId });

/** Settings that all operations of the CRM share. */
export const keyed = {
  tag: 'marketing integration',
  access: 'apikey',
  keyCheck: checkKey,
  headers: KeyHeaders,
} as const;

/** Accepts CRM_API_KEY and, during a key rotation, CRM_API_KEY_PREVIOUS. Rejects every key if none is configured. */
async function checkKey(
  { config }: { config: Pick<Config, 'CRM_API_KEY' | 'CRM_API_KEY_PREVIOUS'> },
  given: string | undefined,
): Promise<void> {
  const { CRM_API_KEY: current, CRM_API_KEY_PREVIOUS: previous } = config;
  const valid = current === undefined ? [] : [current, ...(previous === undefined ? [] : [previous])];
  // Compares the key with all valid keys, so that the response time does not reveal which one matched.
  const matches = valid.map((key) => isSameSecret(given ?? '', key));
  if (given === undefined || !matches.includes(true)) throw commonErrors.API_KEY_INVALID();
}

/** Returns the user whose id the CRM sent. Throws 404 USER_NOT_FOUND. */
export async function getCrmUser(db: Db, text: string): Promise<UserRow> {
  const id = userIdOf(text);
  if (id === undefined) throw userErrors.USER_NOT_FOUND();
  return getUser(db, id);
}

/**
 * Returns when a player's exclusion ends, including the waiting time before the player may play again. Returns null if the player is not
 * excluded. Excluded players must not be encouraged to return.
 */
export async function excludedUntil(db: Db, userId: number): Promise<Date | null> {
  const restrictions = await findRestrictions(db, userId);
  const { excludedUntil: until = null, playFrom = null } = restrictions ?? {};
  const last = until && playFrom && playFrom > until ? playFrom : until;
  return last && last > (await transactionTime(db)) ? last : null;
}
