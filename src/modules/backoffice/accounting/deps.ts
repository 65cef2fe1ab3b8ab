import type { Db } from '../../../platform/database/db.ts';
import type { Wallet } from '../../money/wallet/service.ts';
import type { Accounting } from './service.ts';

export type AccountingDeps = {
  db: Db;
  wallet: Pick<Wallet, 'balances' | 'vaultBalances' | 'totals'>;
  accounting: Accounting;
};
