import type { z } from 'zod';
import type { Tx } from '../../../platform/db.ts';
import { createAdministration } from './administer.ts';
import { createCancel } from './cancel.ts';
import { createCodes } from './codes.ts';
import type { PromoDeps, PromoServices } from './deps.ts';
import { type AskedMoney, createGiving, moneyOf } from './give.ts';
import { type GrantOrder, getGrantable, grantTo, type Money } from './grant.ts';
import { forfeit, listOffers, listOwnGrants } from './offers.ts';
import { activePromos, promosForSomeGames } from './queries.ts';
import { redeem, type Sender } from './redeem.ts';
import { FIRST_OF_STAFF, PROMO_TYPES } from './rules.ts';
import type { Forfeit, OwnGrantQuery, Redemption } from './schemas.ts';
import { createSlugsOf } from './show.ts';
import { createStaffLists } from './staff-lists.ts';
import { createWelcome } from './welcome.ts';

export { queueWelcomeBonus, WELCOME_BONUS } from './welcome.ts';

export type Promo = ReturnType<typeof createPromo>;

type Keyed = { key: string | undefined };

/** Promotions: what players may have and redeem, what staff sets up, grants and cancels. Grants live in money/bonus. */
export function createPromo(services: PromoServices) {
  const deps: PromoDeps = { ...services, slugsOf: createSlugsOf(services.catalogue.state.now) };
  return {
    offers: (sender: Sender) => listOffers(deps, sender),
    mine: (userId: number, query: z.output<typeof OwnGrantQuery>) => listOwnGrants(deps, userId, query),
    redeem: (sender: Sender & Keyed, wanted: z.output<typeof Redemption>) => redeem(deps, sender, wanted),
    forfeit: (by: { userId: number } & Keyed, grantId: string, { dryRun }: z.output<typeof Forfeit>) =>
      forfeit(deps, by, { grantId, dryRun }),

    /** Runs the job `welcome-bonus`. */
    welcome: createWelcome(deps),

    /**
     * Grants a player an active promotion, once for a source: the same source again answers its grant. What VIP and CRM grant is asked
     * for the law of the player's country alone, beside the gate. Locks the player. Throws 404 PROMO_NOT_FOUND, USER_NOT_FOUND, 409
     * PROMO_NOT_ACTIVE, PROMO_ALREADY_USED (WELCOME, once per life), PROMO_EXHAUSTED, RATE_STALE, 403 PROMO_NOT_ELIGIBLE, and as the gate does.
     */
    grantTo: async (
      tx: Tx,
      promoId: bigint,
      order: GrantOrder,
    ): Promise<{ grantId: bigint; isNew: boolean }> =>
      grantTo(tx, deps, await getGrantable(tx, promoId), order),

    /**
     * What is granted of an active promotion in place of what it gives; undefined: nothing else. Throws 404 PROMO_NOT_FOUND,
     * CURRENCY_NOT_FOUND, 400 AMOUNT_OUT_OF_RANGE, 409 PROMO_NOT_ACTIVE.
     */
    moneyFor: async (tx: Tx, promoId: bigint, wanted: AskedMoney): Promise<Money | undefined> =>
      moneyOf(deps, await getGrantable(tx, promoId), wanted),

    /** What can be granted at the moment without anybody redeeming it, the latest first. */
    async grantable(): Promise<{ id: bigint; name: string }[]> {
      const promos = await activePromos(deps.db, PROMO_TYPES);
      return promos.filter(({ id }) => id >= FIRST_OF_STAFF);
    },

    staff: {
      ...createAdministration(deps),
      lists: createStaffLists(deps),
      createCodes: createCodes(deps),
      give: createGiving(deps),
      cancel: createCancel(deps),
    },

    /** Promotions that are for some games only, and for which. */
    forSomeGames: () => promosForSomeGames(deps.db),
  };
}
