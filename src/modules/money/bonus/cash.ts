import { sql } from 'kysely';
import type { Tx } from '../../../platform/database/db.ts';
import { formatUnits } from '../../../platform/money.ts';
import { notify } from '../../base/notifications/notify.ts';
import { lockPlayers } from '../../base/players/service.ts';
import type { Rollover } from '../payments/rollover/service.ts';
import { type Given, payReward } from '../rewards/pay.ts';
import { emitStates } from './grants/announce.ts';
import { turnoverOf } from './grants/rules.ts';
import { bonusMessages } from './messages.ts';

/** The origin of a grant. */
export type GrantSource = 'OFFER' | 'CODE' | 'ADMIN' | 'CRM' | 'VIP';

/** The terms that a grant copies from its promotion. */
export type CashTerms = { promoId: bigint; name: string; type: string; wagerMultiplierE2: number };

/**
 * Cash that is granted immediately, once per `sourceKey`. Before a withdrawal, the player must wager a multiple of its value in US dollars.
 */
export type CashGrant = Given & {
  terms: CashTerms;
  source: GrantSource;
  sourceKey: string;
  code?: string | undefined;
  grantedBy?: number | undefined;
};

/** The promotion from which VIP level rewards are granted. */
export const VIP_REWARD: CashTerms = {
  promoId: 1n,
  name: 'VIP level reward',
  type: 'MANUAL',
  wagerMultiplierE2: 100,
};

export type CashGrants = ReturnType<typeof createCashGrants>;

/** Grants that are paid as cash and completed immediately (promo → cash). Their wagering requirement is added to the player's turnover. */
export const createCashGrants = ({ rollover }: { rollover: Rollover }) => ({
  /**
   * Locks the player and grants the cash. Returns the grant's id, or undefined if a grant with this `sourceKey` already exists. The caller
   * must check the gate's action `bonus`.
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
    await notify(tx, userId, bonusMessages['promo.paid'], facts);
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
