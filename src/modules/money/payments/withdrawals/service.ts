import type { PayoutDeps } from '../deps.ts';
import { createApplyStatus } from './provider-status.ts';
import { createQuotes } from './quotes.ts';
import { createSending } from './send.ts';
import { createPayoutWebhooks } from './webhooks.ts';

export type Withdrawals = ReturnType<typeof createWithdrawals>;

/** The parts of withdrawals that hold state: encrypted quotes, sending by the worker, and provider reports. */
export function createWithdrawals(given: PayoutDeps) {
  const applyStatus = createApplyStatus(given);
  const deps = { ...given, applyStatus };
  return {
    quotes: createQuotes(given),
    applyStatus,
    sending: createSending(deps),
    receive: createPayoutWebhooks(deps),
  };
}
