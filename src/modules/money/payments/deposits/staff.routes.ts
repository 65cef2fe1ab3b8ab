import { route } from '../../../../http/route.ts';
import { sightOf } from '../../../base/users/service.ts';
import { paymentErrors } from '../errors.ts';
import { Deposit, DepositPage, DepositPath, DepositQuery } from './schemas.ts';
import type { Deposits } from './service.ts';

const read = { method: 'GET', tag: 'Admin Payments', access: { permission: 'deposit.read' } } as const;

const list = (deposits: Deposits) =>
  route({
    ...read,
    path: '/admin/payments/deposit',
    summary: 'Deposits',
    description: 'Totals and pages end at 10,000.',
    query: DepositQuery,
    response: DepositPage,
    handler: ({ query, by }) => deposits.list(query, sightOf(by.user)),
  });

export const depositStaffRoutes = (deposits: Deposits) => [
  list(deposits),
  route({
    ...read,
    path: '/admin/payments/deposit/{id}',
    summary: 'One deposit',
    params: DepositPath,
    response: Deposit,
    errors: [paymentErrors.DEPOSIT_NOT_FOUND],
    handler: ({ params, by }) => deposits.get(params.id, sightOf(by.user)),
  }),
];

export const depositBackofficeRoutes = (deposits: Deposits) => [
  { ...list(deposits), path: '/deposit', tag: 'Payments' },
];
