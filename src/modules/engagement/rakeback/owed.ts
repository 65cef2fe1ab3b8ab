import type { DbOrTx } from '../../../platform/db.ts';
import type { Units } from '../../../platform/money.ts';
import type { SiteConfig } from '../../base/site-config/service.ts';
import { readOwed } from './queries.ts';

/** Players whose rakeback is added up by one statement. */
const PLAYERS = 20_000;

/** What all players could claim at this moment, by currency. Reads every period that was not claimed. */
export async function owedRakeback(
  db: DbOrTx,
  siteConfig: Pick<SiteConfig, 'get'>,
): Promise<Map<string, Units>> {
  const { expiryDays } = siteConfig.get('COMMON').rakeback;
  const { last } = await db
    .selectFrom('rakeback_periods')
    .select((eb) => eb.fn.coalesce(eb.fn.max('user_id'), eb.val(0)).as('last'))
    .executeTakeFirstOrThrow();
  const owed = new Map<string, Units>();
  for (let after = 0; after < last; after += PLAYERS)
    for (const { currencyId, amount } of await readOwed(db, { after, upTo: after + PLAYERS }, expiryDays))
      owed.set(currencyId, (owed.get(currencyId) ?? 0n) + amount);
  return owed;
}
