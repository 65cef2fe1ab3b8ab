import type { WithdrawalDeps } from '../deps.ts';
import { createApplicants, createEligibility } from './applicant.ts';
import { createCancel } from './cancel.ts';
import { createEstimate, createQuotes, createTerms } from './pricing.ts';
import { createApplyStatus, createPayoutWebhooks } from './provider-status.ts';
import { createRequest } from './request.ts';
import { createFetch, createRetry } from './retry.ts';
import { createApprove, createFourEyes, createReject } from './review.ts';
import { createSending } from './send.ts';
import { createPlayerList, createStaffReads } from './view.ts';

export type Withdrawals = ReturnType<typeof createWithdrawals>;

/** Withdrawals: requested by players, reviewed by staff, sent by the worker, confirmed by providers. */
export function createWithdrawals(given: WithdrawalDeps) {
  const quotes = createQuotes(given);
  const deps = {
    ...given,
    quotes,
    terms: createTerms({ ...given, quotes }),
    applicants: createApplicants(given),
    isForTwo: createFourEyes(given),
    applyStatus: createApplyStatus(given),
  };
  return {
    estimate: createEstimate(deps),
    request: createRequest(deps),
    cancel: createCancel(deps),
    eligibility: createEligibility(deps),
    list: createPlayerList(deps),
    staff: {
      ...createStaffReads(deps),
      approve: createApprove(deps),
      reject: createReject(deps),
      retry: createRetry(deps),
      fetch: createFetch(deps),
    },
    sending: createSending(deps),
    receive: createPayoutWebhooks(deps),
  };
}
