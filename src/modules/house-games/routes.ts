import { route } from '../../http/route.ts';
import { betErrors } from '../bets/errors.ts';
import { BetPath } from '../bets/schemas.ts';
import type { Proof } from './proof.ts';
import { FairnessBet } from './schemas.ts';

export const proofRoutes = (proof: Proof) => [
  route({
    method: 'GET',
    path: '/fairness/bets/{betId}',
    tag: 'Fairness',
    access: 'anonymous',
    summary: 'What anybody needs to check a bet',
    params: BetPath,
    status: 200,
    response: FairnessBet,
    errors: [betErrors.BET_NOT_FOUND],
    handler: ({ params }) => proof.bet(params.betId),
  }),
];
