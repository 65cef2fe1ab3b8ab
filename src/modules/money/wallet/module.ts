import { defineModule } from '../../../http/module.ts';
import { listBalances, listVaultBalances } from './balances.ts';
import { moveFromVault, moveToVault } from './vault.ts';

export const wallet = defineModule({
  name: 'wallet',
  operations: [listBalances, listVaultBalances, moveToVault, moveFromVault],
});
