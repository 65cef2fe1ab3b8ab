import { defineModule } from '../../../http/module.ts';
import { marksJob } from '../../money/ledger/marked-list.ts';
import type { IdsTaken } from '../../money/ledger/safe-watermark.ts';
import { getUsdBalance, listBalances, listVaultBalances } from './balances.ts';
import { listTransactions, listTransactionsInBackoffice } from './list.ts';
import type { AccountingDeps } from './service.ts';
import { createAccounting } from './service.ts';

type Services = AccountingDeps & { idsTaken: IdsTaken };

export const accounting = defineModule({
  name: 'accounting',
  tags: { 'Admin Accounting': "Players' balances and the ledger statement." },
  create: (before: Parameters<typeof createAccounting>[0]) => ({ accounting: createAccounting(before) }),
  operations: [listBalances, listVaultBalances, getUsdBalance, listTransactions],
  backoffice: { operations: [listTransactionsInBackoffice], without: '/admin', tag: 'Accounting' },
  jobs: ({ accounting, idsTaken }: Services) => [marksJob('statement.marks', accounting, idsTaken)],
});
