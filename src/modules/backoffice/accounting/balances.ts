import { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import { Decimal, object } from '../../../http/schemas.ts';
import { UserId, userErrors } from '../../base/users/schemas.ts';
import { getUser } from '../../base/users/service.ts';
import { Balance, VaultBalance } from '../../money/wallet/service.ts';
import type { AccountingDeps } from './service.ts';

const UserQuery = z.strictObject({ userId: UserId.meta({ example: 2_000_000_000 }) });

const UsdBalance = object('UsdBalance', { usdAmount: Decimal });

const shared = {
  method: 'GET',
  tag: 'Admin Accounting',
  access: { permission: 'transaction.read' },
  errors: [userErrors.USER_NOT_FOUND],
} as const;

export const listBalances = operation({
  ...shared,
  path: '/admin/accounting/balances',
  summary: "List a user's cash balances by currency",
  query: UserQuery,
  response: z.array(Balance),
  handler: async ({ db, wallet }: AccountingDeps, { query: { userId } }) => {
    await getUser(db, userId);
    return wallet.balances(userId);
  },
});

export const listVaultBalances = operation({
  ...shared,
  path: '/admin/accounting/vault-balances',
  summary: "List a user's vault balances by currency",
  query: UserQuery,
  response: z.array(VaultBalance),
  handler: async ({ db, wallet }: AccountingDeps, { query: { userId } }) => {
    await getUser(db, userId);
    return wallet.vaultBalances(userId);
  },
});

export const getUsdBalance = operation({
  ...shared,
  path: '/admin/accounting/usd-balance/{userId}',
  summary: "Get the USD value of a user's cash in all currencies",
  params: UserQuery,
  response: UsdBalance,
  handler: async ({ db, wallet }: AccountingDeps, { params: { userId } }) => {
    await getUser(db, userId);
    return { usdAmount: (await wallet.totals(userId)).usd };
  },
});
