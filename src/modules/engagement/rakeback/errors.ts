import { errors } from '../../../platform/errors.ts';
export const rakebackErrors = errors({
  RAKEBACK_NOTHING_TO_CLAIM: [
    409,
    'No rakeback to claim for this period. GET /rakeback shows when the next one unlocks.',
  ],
});
