import { route } from '../../../http/route.ts';
import { gateErrors } from '../../compliance/gate/errors.ts';
import { bonusErrors } from '../../money/bonus/errors.ts';
import { currencyErrors } from '../../money/currencies/errors.ts';
import { promoErrors } from './errors.ts';
import {
  Forfeit,
  GrantPath,
  OwnGrantQuery,
  PromoGrant,
  PromoGrantPage,
  PromoOffers,
  Redemption,
} from './schemas.ts';
import type { Promo } from './service.ts';

const own = { tag: 'Promo', access: 'auth' } as const;

export const promoRoutes = (promo: Promo) => [
  route({
    ...own,
    method: 'GET',
    path: '/promo',
    summary: 'Promotions that the player may have or has taken up; those of codes and of staff are not shown',
    response: PromoOffers,
    handler: ({ user, ip, userAgent }) => promo.offers({ userId: user.id, ip, userAgent }),
  }),
  route({
    ...own,
    method: 'GET',
    path: '/promo/my',
    summary: 'What the player was granted, and how far it is wagered',
    query: OwnGrantQuery,
    response: PromoGrantPage,
    handler: ({ user, query }) => promo.mine(user.id, query),
  }),
  route({
    ...own,
    method: 'POST',
    path: '/promo/redeem',
    gate: 'bonus',
    idempotent: true,
    summary: 'Redeem a code, or take up an offer',
    description:
      'Exactly one of `code` (in any case) and `promoId`. Five tries a minute and address. `details.rule` of PROMO_NOT_ELIGIBLE names the ' +
      'condition that is not met. A percentage waits for the next deposit; a bonus waits while another one is active in its currency.',
    body: Redemption,
    response: PromoGrant,
    errors: [
      promoErrors.PROMO_CODE_OR_ID_REQUIRED,
      promoErrors.PROMO_NOT_FOUND,
      promoErrors.PROMO_EXPIRED,
      promoErrors.PROMO_ALREADY_USED,
      gateErrors.USER_BANNED,
      gateErrors.SELF_EXCLUDED,
      gateErrors.AUTH_GEO_BLOCKED,
      promoErrors.PROMO_NOT_ELIGIBLE,
      promoErrors.PROMO_EXHAUSTED,
      currencyErrors.RATE_STALE,
    ],
    handler: ({ user, ip, userAgent, body, idempotencyKey: key }) =>
      promo.redeem({ userId: user.id, ip, userAgent, key }, body),
  }),
  route({
    ...own,
    method: 'POST',
    path: '/promo/{grantId}/forfeit',
    gate: 'finish',
    idempotent: true,
    summary: 'Give up a grant: its bonus money is lost, cash stays; withdrawals are open again',
    description: 'With `dryRun` nothing changes: `forfeitedAmount` says what would be lost.',
    params: GrantPath,
    body: Forfeit,
    response: PromoGrant,
    errors: [bonusErrors.PROMO_GRANT_NOT_FOUND, bonusErrors.PROMO_GRANT_CLOSED],
    handler: ({ user, params, body, idempotencyKey: key }) =>
      promo.forfeit({ userId: user.id, key }, params.grantId, body),
  }),
];
