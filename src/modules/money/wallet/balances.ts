import { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import type { WalletDeps } from './deps.ts';
import { OwnBalance, VaultBalance } from './schemas.ts';

const common = { method: 'GET', tag: 'Accounting', access: 'auth' } as const;

export const listBalances = operation({
  ...common,
  path: '/accounting/balances',
  summary: 'List your balances by currency',
  response: z.array(OwnBalance),
  handler: ({ wallet }: WalletDeps, { user }) => wallet.balances(user.id),
});

export const listVaultBalances = operation({
  ...common,
  path: '/accounting/vault-balances',
  summary: 'List your vault balances by currency',
  response: z.array(VaultBalance),
  handler: ({ wallet }: WalletDeps, { user }) => wallet.vaultBalances(user.id),
});
