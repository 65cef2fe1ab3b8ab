import { defineModule } from '../../../../http/module.ts';
import { getDepositAddress } from './address.ts';
import type { DepositDeps } from './deps.ts';
import { getDeposit } from './get.ts';
import { listDeposits, listOwnDeposits } from './list.ts';
import { listPaymentMethods } from './methods.ts';
import { receiveDepositWebhook } from './receive.ts';
import { releaseDeposits } from './release.ts';

export const deposits = defineModule({
  name: 'deposits',
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
