import type { DepositReview } from '../../../../client/call.ts';

export const LIST = 'GET /admin/payments/deposit/review';
export const STALE = [LIST, 'GET /admin/payments/deposit', 'GET /admin/payments/deposit/{id}'] as const;

/** Returns the open proposal, which a second person approves or rejects. */
export const proposalOf = ({ proposals }: DepositReview) =>
  proposals.find(({ state }) => state === 'PROPOSED');
