import { defineModule } from '../../../../http/module.ts';
import type { Referred } from '../credit.ts';
import type { PaymentDeps } from '../deps.ts';
import { approveWithdrawal } from './approve.ts';
import { blockWithdrawals, getWithdrawalBlock, unblockWithdrawals } from './block.ts';
import { cancelWithdrawal } from './cancel.ts';
import type { WithdrawalDeps } from './deps.ts';
import { getWithdrawEligibility } from './eligibility.ts';
import { estimateWithdrawal } from './estimate.ts';
import { getWithdrawalDetails } from './get.ts';
import { listOwnWithdrawals, listWithdrawals } from './list.ts';
import { receiveWithdrawalWebhook } from './receive.ts';
import { rejectWithdrawal } from './reject.ts';
import { requestWithdrawal } from './request.ts';
import { fetchWithdrawal, retryWithdrawal } from './retry.ts';
import { SEND } from './send.ts';
import { createWithdrawals } from './service.ts';
import { getWithdrawalStats, getWithdrawalStatsOfUser } from './stats.ts';

export const withdrawals = defineModule({
  name: 'withdrawals',
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
