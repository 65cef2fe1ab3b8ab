import { defineModule } from '../../../../http/module.ts';
import type { PaymentDeps } from '../deps.ts';
import { receiveDepositWebhook } from '../webhooks.ts';
import { releaseDeposits } from './advance.ts';
import { getDeposit, listDeposits, listOwnDeposits } from './list.ts';
import { getDepositAddress, listPaymentMethods } from './methods.ts';
import { depositEvents } from './schemas.ts';
import type { DepositDeps } from './service.ts';
import { createDeposits } from './service.ts';

export const deposits = defineModule({
  name: 'deposits',
  events: depositEvents,
  create: ({ payments }: { payments: PaymentDeps }) => ({ deposits: createDeposits(payments) }),
  operations: [
    listPaymentMethods,
    getDepositAddress,
    listOwnDeposits,
    receiveDepositWebhook,
    listDeposits,
    getDeposit,
  ],
  backoffice: { operations: [listDeposits], without: '/admin/payments', tag: 'Payments' },
  jobs: ({ db }: DepositDeps) => [
    { name: 'deposits.release', everyMs: 60_000, run: () => releaseDeposits(db) },
  ],
});
