import type { StaffCall } from '../../../http/access.ts';
import { operation } from '../../../http/operation.ts';
import { estimatedPage } from '../../../http/schemas.ts';
import { commonErrors, listErrors } from '../../../platform/errors.ts';
import { shortUsers, sightOf } from '../../base/users/service.ts';
import { Transaction, TransactionSearch } from './schemas.ts';
import { type AccountingDeps, accountingErrors, type StatementRequest } from './service.ts';

const list = {
  method: 'POST',
  path: '/admin/accounting/transactions',
  tag: 'Admin Accounting',
  gate: 'none',
  status: 200,
  summary: 'List ledger movements on user accounts',
  description:
    'Each row is a change of one account, so moving cash to the vault creates two rows. Sorting by `createdAt` returns movements ' +
    'in the order in which money moved. New movements are always the latest ones, so existing pages never change with sortOrder ' +
    '`asc`. Without a filter, or if the filter contains only one user, `total` is exact and every page can be read. With other ' +
    'filters `total` is exact up to 500. Beyond that it is an estimate of at least 501, and only the first 10,000 rows can be ' +
    'read. Sorting by `amount` or `usdAmount` requires a user in the filter and at most 10,000 movements.',
  body: TransactionSearch,
  response: estimatedPage(Transaction),
  errors: [
    ...Object.values(accountingErrors),
    ...Object.values(listErrors),
    commonErrors.AMOUNT_OUT_OF_RANGE,
  ],
} as const;

export const listTransactions = operation({
  ...list,
  access: { permission: 'transaction.read' },
  handler: (deps: AccountingDeps, { by, body }) => readTransactions(deps, by, body),
});

/** Only the backoffice serves this operation. */
export const listTransactionsInBackoffice = operation({
  ...list,
  access: 'superadmin',
  handler: (deps: AccountingDeps, { by, body }) => readTransactions(deps, by, body),
});

/** Returns a page of the statement with the players of its rows. */
async function readTransactions(
  { reads, accounting }: AccountingDeps,
  by: StaffCall,
  body: StatementRequest,
) {
  const page = await accounting.transactions(body);
  const userIds = page.data.map(({ userId }) => userId);
  const users = await shortUsers(reads, userIds, sightOf(by.user));
  return { ...page, data: page.data.map((row) => ({ ...row, user: users.get(row.userId) })) };
}
