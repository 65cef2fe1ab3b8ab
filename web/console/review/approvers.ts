import { list } from '../../kit/intl.ts';

/** The titles of the shipped roles that may give an approval, by the permission that it needs. */
export const APPROVERS = {
  'promo.pay': ['Superadmin', 'Admin', 'Marketing'],
  'withdraw.approve': ['Superadmin', 'Admin', 'Finance', 'Risk and compliance'],
  'deposit.approve': ['Superadmin', 'Admin', 'Finance'],
} as const;

export type ApprovalRight = keyof typeof APPROVERS;

/** Names the shipped roles that have a permission. An installation may have changed its roles. */
export const approversText = (right: ApprovalRight): string =>
  `Roles that can approve by default: ${list(APPROVERS[right])}.`;
