import { errors } from '../../../platform/errors.ts';

export const staffValueErrors = errors({
  REASON_REQUIRED: [400, 'This change needs a second approver: give a reason for it.'],
  APPROVAL_NEEDED: [
    409,
    "A second person must repeat this call before details.expiresAt. Neither may have created the other's account.",
  ],
  STAFF_VALUE_LIMIT: [
    403,
    'This exceeds the amount that staff below superadmin may move in 24 hours; see details.limitUsd.',
  ],
});
