import { sql } from 'kysely';
import type { Tx } from '../../../platform/db.ts';
import { formatUnits } from '../../../platform/money.ts';
import { notify } from '../../base/notifications/notify.ts';
import { lockPlayers } from '../../base/players/service.ts';
import type { Rollover } from '../payments/rollover.ts';
import { type Given, payReward } from '../rewards/pay.ts';
import { emitStates } from './grants/announce.ts';
import { turnoverOf } from './grants/rules.ts';

/** Where grants come from. */
export type GrantSource = 'OFFER' | 'CODE' | 'ADMIN' | 'CRM' | 'VIP';

/** The terms of a promotion that a grant copies. */
export type CashTerms = { promoId: bigint; name: string; type: string; wagerMultiplierE2: number };

/** Money that is granted at once. `sourceKey` makes it happen once; its multiple in dollars has to be wagered before anything is paid out. */
export type CashGrant = Given & {
  terms: CashTerms;
  source: GrantSource;
  sourceKey: string;
  code?: string | undefined;
  grantedBy?: number | undefined;
};

/** The promotion that rewards of VIP levels are granted from. */
export const VIP_REWARD: CashTerms = {
  promoId: 1n,
  name: 'VIP level reward',
  type: 'MANUAL',
  wagerMultiplierE2: 100,
};

export type CashGrants = ReturnType<typeof createCashGrants>;

/** Grants that are paid into cash and complete at once (promo → cash); what they have to be wagered is turnover. */
export const createCashGrants = ({ rollover }: { rollover: Rollover }) => ({
  /**
   * Locks the player. Answers the grant; undefined: this source has granted it before, nothing is paid. Whether the player may have it
   * (the gate's `bonus`) is the caller's to ask.
   */
  async pay(tx: Tx, grant: CashGrant): Promise<bigint | undefined> {
    const { userId, currencyId, amount, usdAmount, terms } = grant;
    await lockPlayers(tx, [userId]);
    const row = await insertGrant(tx, grant);
    if (!row) return undefined;
    const { id } = row;
    const key = `promo:${id}:start:1`;
    await payReward(tx, { userId, currencyId, amount, usdAmount, kind: 'promo.grant', from: 'promo', key });
    await rollover.add(tx, { userId, usdAmount: turnoverOf(usdAmount, terms.wagerMultiplierE2) });
    const facts = { grantId: String(id), name: terms.name, amount: formatUnits(amount), currencyId };
    await notify(tx, userId, 'promo.paid', facts);
    await emitStates(tx, row, 'CREATED', 'COMPLETED');
    return id;
  },
});

function insertGrant(tx: Tx, grant: CashGrant) {
  const { terms, source, code = null, grantedBy = null } = grant;
  const at = sql<Date>`now()`;
  return tx
    .insertInto('promo_grants')
    .values({
      promo_id: terms.promoId,
      user_id: grant.userId,
      source_key: grant.sourceKey,
      source,
      code,
      granted_by: grantedBy,
      name: terms.name,
      type: terms.type,
      kind: 'CASH',
      status: 'COMPLETED',
      currency_id: grant.currencyId,
      granted_amount: grant.amount,
      granted_usd: grant.usdAmount,
      wager_multiplier_e2: terms.wagerMultiplierE2,
      wager_base: 'BONUS',
      entries: 1,
      activated_at: at,
      closed_at: at,
    })
    .onConflict((oc) => oc.column('source_key').doNothing())
    .returningAll()
    .executeTakeFirst();
}
