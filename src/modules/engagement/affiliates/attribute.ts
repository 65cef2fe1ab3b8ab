import { sql } from 'kysely';
import type { Tx } from '../../../platform/db.ts';
import { sharesRegistration } from '../../base/registration-info/service.ts';
import type { SiteConfig } from '../../base/site-config/service.ts';
import { lockCode } from './codes.ts';

/** An account that is being opened, and the code that it came with. */
type Newcomer = { id: number; affiliate_code: string | null };

/**
 * Makes a new user the referral of whose code they came with, in the transaction that opens the account; never again. A code that is
 * unknown, deleted or their own makes nobody a referral.
 */
export async function attribute(
  tx: Tx,
  siteConfig: SiteConfig,
  { id: userId, affiliate_code }: Newcomer,
): Promise<void> {
  if (affiliate_code === null || !siteConfig.get('AFFILIATES').isEnabled) return;
  const code = await lockCode(tx, affiliate_code);
  if (!code || code.user_id === userId) return;
  const { user_id: owner, key } = code;
  const isHeld = await sharesRegistration(tx, userId, owner);
  await tx
    .insertInto('referrals')
    .values({ user_id: userId, affiliate_user_id: owner, code_key: key, is_held: isHeld })
    .execute();
  await tx
    .updateTable('affiliate_codes')
    .set({ users_count: sql`users_count + 1` })
    .where('key', '=', key)
    .execute();
  await tx
    .updateTable('affiliates')
    .set({ referral_count: sql`referral_count + 1` })
    .where('user_id', '=', owner)
    .execute();
}
