import { route } from '../../../http/route.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { gateErrors } from '../../compliance/gate/errors.ts';
import { rakebackErrors } from './errors.ts';
import { ClaimRequest, RakebackClaim, RakebackState } from './schemas.ts';
import type { Rakeback } from './service.ts';

const tag = 'Rakeback';

export const rakebackRoutes = (rakeback: Rakeback) => [
  route({
    method: 'GET',
    path: '/rakeback',
    tag,
    access: 'auth',
    summary: 'Own rakeback: what can be claimed, what accumulates, and the rates',
    response: RakebackState,
    handler: ({ user }) => rakeback.state(user.id),
  }),
  route({
    method: 'POST',
    path: '/rakeback/claim',
    tag,
    access: 'auth',
    gate: 'bonus',
    idempotent: true,
    summary: 'Claim rakeback of a period',
    body: ClaimRequest,
    response: RakebackClaim,
    errors: [
      gateErrors.USER_BANNED,
      gateErrors.SELF_EXCLUDED,
      gateErrors.AUTH_GEO_BLOCKED,
      commonErrors.CURRENCY_NOT_FOUND,
      rakebackErrors.RAKEBACK_NOTHING_TO_CLAIM,
    ],
    handler: ({ user, ip, body, idempotencyKey }) =>
      rakeback.claim({ userId: user.id, ip, key: idempotencyKey }, body),
  }),
];
