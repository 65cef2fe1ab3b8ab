import { defineModule } from '../../../http/module.ts';
import type { IdsTaken } from '../../money/ledger/ids-taken.ts';
import { marksJob } from '../../money/ledger/marked-list.ts';
import { getUsdBalance, listBalances, listVaultBalances } from './balances.ts';
import { listTransactions, listTransactionsInBackoffice } from './list.ts';
import type { AccountingDeps } from './service.ts';

type Services = AccountingDeps & { idsTaken: IdsTaken };

export const accounting = defineModule({
  name: 'accounting',
  operations: [listBalances, listVaultBalances, getUsdBalance, listTransactions],
  backoffice: { operations: [listTransactionsInBackoffice], without: '/admin', tag: 'Accounting' },
  jobs: ({ accounting, idsTaken }: Services) => [marksJob('statement.marks', accounting, idsTaken)],
});
