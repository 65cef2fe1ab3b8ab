import { defineModule } from '../../../http/module.ts';
import { listBalances, listVaultBalances, moveFromVault, moveToVault } from './balances.ts';

export const wallet = defineModule({
  name: 'wallet',
  operations: [listBalances, listVaultBalances, moveToVault, moveFromVault],
});
