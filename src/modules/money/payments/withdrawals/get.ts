import { operation } from '../../../../http/operation.ts';
import type { WithdrawalDeps } from './deps.ts';
import { withdrawalErrors } from './errors.ts';
import { Withdrawal, WithdrawalPath } from './schemas.ts';
import { viewOf } from './view.ts';

export const getWithdrawalDetails = operation({
  method: 'GET',
  path: '/admin/payments/withdraw/{id}',
  tag: 'Admin Payments',
  access: { permission: 'withdraw.read' },
  summary: 'Get a withdrawal',
  params: WithdrawalPath,
  response: Withdrawal,
  errors: [withdrawalErrors.WITHDRAWAL_NOT_FOUND],
  handler: ({ db }: WithdrawalDeps, { by, params }) => viewOf(db, by, params.id),
});
