import { defineModule } from '../../../../http/module.ts';
import type { Referred } from '../credit.ts';
import type { PaymentDeps } from '../deps.ts';
import { receiveWithdrawalWebhook } from '../webhooks.ts';
import { blockWithdrawals, getWithdrawalBlock, unblockWithdrawals } from './block.ts';
import { estimateWithdrawal, getWithdrawEligibility } from './eligibility.ts';
import {
  getWithdrawalDetails,
  getWithdrawalStats,
  getWithdrawalStatsOfUser,
  listOwnWithdrawals,
  listWithdrawals,
} from './list.ts';
import { cancelWithdrawal, requestWithdrawal } from './request.ts';
import { fetchWithdrawal, retryWithdrawal } from './retry.ts';
import { approveWithdrawal, rejectWithdrawal } from './review.ts';
import { withdrawalEvents } from './schemas.ts';
import { SEND } from './send.ts';
import type { WithdrawalDeps } from './service.ts';
import { createWithdrawals } from './service.ts';

export const withdrawals = defineModule({
  name: 'withdrawals',
  events: withdrawalEvents,
  create: ({ payments, referred }: { payments: PaymentDeps; referred: Referred }) => ({
    withdrawals: createWithdrawals({ ...payments, referred }),
  }),
  operations: [
    getWithdrawEligibility,
    estimateWithdrawal,
    requestWithdrawal,
    listOwnWithdrawals,
    cancelWithdrawal,
    receiveWithdrawalWebhook,
    listWithdrawals,
    approveWithdrawal,
    rejectWithdrawal,
    retryWithdrawal,
    getWithdrawalStats,
    getWithdrawalStatsOfUser,
    fetchWithdrawal,
    getWithdrawalDetails,
    blockWithdrawals,
    getWithdrawalBlock,
    unblockWithdrawals,
  ],
  backoffice: {
    operations: [listWithdrawals, approveWithdrawal, rejectWithdrawal, retryWithdrawal],
    without: '/admin/payments',
    tag: 'Payments',
  },
  jobs: ({ withdrawals: { sending } }: WithdrawalDeps) => [
    { name: 'withdrawals.watch', everyMs: 2_000, isDue: sending.isAnyDue, run: sending.watch },
  ],
  tasks: ({ withdrawals: { sending } }: WithdrawalDeps) => ({ [SEND]: sending.run }),
});
