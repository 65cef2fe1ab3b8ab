import type { DepositReview, Op } from '../../../../client/call.ts';
import { MONEY, STALE as STALE_USER } from '../user/shared.ts';

export const LIST = 'GET /admin/payments/deposit/review';
export const REVIEW = 'POST /admin/payments/deposit/{id}/review';
export const APPROVE = 'POST /admin/payments/deposit/{id}/review/approve';
export const STALE: readonly Op[] = [
  LIST,
  'GET /admin/payments/deposit',
  'GET /admin/payments/deposit/{id}',
  ...STALE_USER,
  ...MONEY,
];

/** Returns the open proposal, which a second person approves or rejects. */
export const proposalOf = ({ proposals }: DepositReview) =>
  proposals.find(({ state }) => state === 'PROPOSED');
