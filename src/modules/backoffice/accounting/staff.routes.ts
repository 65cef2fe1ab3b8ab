import { z } from 'zod';
import { type Route, route } from '../../../http/route.ts';
import { page } from '../../../http/schemas.ts';
import { commonErrors, listErrors } from '../../../platform/errors.ts';
import { userErrors } from '../../base/users/errors.ts';
import { Balance, VaultBalance } from '../../money/wallet/schemas.ts';
import { accountingErrors } from './errors.ts';
import { Transaction, TransactionSearch, UsdBalance, UserQuery } from './schemas.ts';
import type { Accounting } from './service.ts';

const common = { tag: 'Admin Accounting', access: { permission: 'transaction.read' } } as const;
const ofUser = { ...common, method: 'GET', errors: [userErrors.USER_NOT_FOUND] } as const;

export const accountingStaffRoutes = (accounting: Accounting): Route[] => [
  route({
    ...ofUser,
    path: '/admin/accounting/balances',
    summary: "A user's cash balances, one per currency",
    query: UserQuery,
    response: z.array(Balance),
    handler: ({ query }) => accounting.balances(query.userId),
  }),
  route({
    ...ofUser,
    path: '/admin/accounting/vault-balances',
    summary: "A user's vault balances, one per currency",
    query: UserQuery,
    response: z.array(VaultBalance),
    handler: ({ query }) => accounting.vaultBalances(query.userId),
  }),
  route({
    ...ofUser,
    path: '/admin/accounting/usd-balance/{userId}',
    summary: "What a user's cash in all currencies is worth in US dollars",
    params: UserQuery,
    response: UsdBalance,
    handler: ({ params }) => accounting.usdBalance(params.userId),
  }),
  route({
    ...common,
    method: 'POST',
    path: '/admin/accounting/transactions',
    gate: 'none',
    summary: 'Every movement of money on the accounts of users, by filter',
    description:
      'One row for each account that changed: moving cash to the vault is two. `createdAt` is the order in which money moved. ' +
      'New movements come at the newer end: read with sortOrder `asc` no page changes. ' +
      'Without a filter, and for one user alone, `total` is exact and every page can be read. With other filters `total` is exact up to 500; beyond ' +
      'that it is an estimate, never below 501, and the first 10,000 rows can be read. Sorting by `amount` or ' +
      '`usdAmount` is for one user and 10,000 movements at most.',
    body: TransactionSearch,
    status: 200,
    response: page(Transaction),
    errors: [
      ...Object.values(accountingErrors),
      ...Object.values(listErrors),
      commonErrors.AMOUNT_OUT_OF_RANGE,
    ],
    handler: ({ body }) => accounting.transactions(body),
  }),
];

/** The statement in the backoffice: for superadmins. */
export const accountingBackofficeRoutes = (accounting: Accounting): Route[] =>
  accountingStaffRoutes(accounting)
    .filter((r) => r.method === 'POST')
    .map(
      (r): Route => ({ ...r, path: r.path.replace('/admin', ''), tag: 'Accounting', access: 'superadmin' }),
    );
