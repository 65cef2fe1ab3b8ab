import { defineModule } from '../../../http/module.ts';
import { listBalances, listVaultBalances } from './balances.ts';
import { createWallet } from './service.ts';
import { moveFromVault, moveToVault } from './vault.ts';

export const wallet = defineModule({
  name: 'wallet',
  create: (before: Parameters<typeof createWallet>[0]) => ({ wallet: createWallet(before) }),
  operations: [listBalances, listVaultBalances, moveToVault, moveFromVault],
});
