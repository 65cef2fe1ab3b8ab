import { defineModule } from '../../../../http/module.ts';
import type { PaymentDeps } from '../deps.ts';
import { getDepositAddress } from './address.ts';
import type { DepositDeps } from './deps.ts';
import { getDeposit } from './get.ts';
import { listDeposits, listOwnDeposits } from './list.ts';
import { listPaymentMethods } from './methods.ts';
import { receiveDepositWebhook } from './receive.ts';
import { releaseDeposits } from './release.ts';
import { createDeposits } from './service.ts';

export const deposits = defineModule({
  name: 'deposits',
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
