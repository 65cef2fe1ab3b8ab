import { errors } from '../../../platform/errors.ts';

export const adminTipErrors = errors({
  ADMIN_TIP_LIMIT: [
    403,
    'More than a member of staff may give or take at once or in a day, see details: ask a superadmin.',
  ],
});
