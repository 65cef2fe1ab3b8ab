import { errors } from '../../../platform/errors.ts';

export const rakebackErrors = errors({
  RAKEBACK_NOTHING_TO_CLAIM: [
    409,
    'There is no rakeback to claim of this period; GET /rakeback says when there will be.',
  ],
});
