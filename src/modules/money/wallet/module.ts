import { defineModule } from '../../../http/module.ts';
import { listBalances, listVaultBalances, moveFromVault, moveToVault } from './balances.ts';
import { createWallet } from './service.ts';

export const wallet = defineModule({
  name: 'wallet',
  tags: {
    Accounting: "A player's balances, and the vault. In the backoffice: the statement over the ledger.",
  },
  create: (before: Parameters<typeof createWallet>[0]) => ({ wallet: createWallet(before) }),
  operations: [listBalances, listVaultBalances, moveToVault, moveFromVault],
});
