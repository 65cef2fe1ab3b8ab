import { errors } from '../../../platform/errors.ts';
export const adminTipErrors = errors({
  ADMIN_TIP_LIMIT: [
    403,
    'The amount exceeds your limit per call or per day; see details. Ask a superadmin to make the payment.',
  ],
  TURNOVER_NOT_ENDABLE: [
    409,
    'The player is not self-excluded, or has no open turnover from promotional cash or tips.',
  ],
});
