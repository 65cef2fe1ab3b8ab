import { defineModule } from '../../../http/module.ts';
import { createCodes, listCodes } from './codes.ts';
import {
  createPromotion,
  deletePromotion,
  setPromotionGames,
  setPromotionStatus,
  updatePromotion,
} from './edit.ts';
import { cancelGrant, forfeitGrant } from './end-grant.ts';
import { grantPromotion } from './give.ts';
import { getPromotion, listGrants, listOwnGrants, listPromos } from './list.ts';
import { listOffers, listOffersPublicly } from './offers.ts';
import type { PromoDeps, PromoServices } from './queries.ts';
import { redeem } from './redeem.ts';
import { createPromo, runWelcome, WELCOME_BONUS } from './service.ts';

export const promo = defineModule({
  name: 'promo',
  tags: {
    Promo: 'Promotions that a player can have, and the grants of a player.',
    'Promo Admin': 'Promotions, their codes and their grants.',
  },
  create: (before: PromoServices) => ({ promo: createPromo(before) }),
  operations: [
    listOffers,
    listOffersPublicly,
    listOwnGrants,
    redeem,
    forfeitGrant,
    listPromos,
    createPromotion,
    listGrants,
    cancelGrant,
    getPromotion,
    updatePromotion,
    deletePromotion,
    setPromotionStatus,
    createCodes,
    listCodes,
    setPromotionGames,
    grantPromotion,
  ],
  tasks: (deps: PromoDeps) => ({ [WELCOME_BONUS]: (payload) => runWelcome(deps, payload) }),
});
