import { z } from 'zod';
import { Amount, CurrencyId, Id } from '../../../http/schemas.ts';
import { event } from '../../base/events/schemas.ts';
import { DepositStatus } from './deposits/schemas.ts';
import { messages } from './messages.ts';

import { ShownStatus } from './withdrawals/schemas.ts';

export const declares = {
  about: 'deposits and withdrawals: providers, addresses, reviews, sending, unknown outcomes',
  tags: {
    Payments: 'Deposits and withdrawals. In the backoffice: their review and approval.',
    'Admin Payments': 'Review of deposits, approval of withdrawals.',
    'Admin withdrawals block': 'Blocking the withdrawals of a player.',
  },
  permissions: {
    'deposit.read': 'See deposits',
    'withdraw.read': 'See withdrawals and their counters',
    'withdraw.approve': 'Approve, reject, retry and look up withdrawals',
    'withdrawblock.read': 'See whose withdrawals are blocked',
    'withdrawblock.write': 'Block and unblock withdrawals of a user',
  },
  events: {
    'deposit.status': event(
      'user',
      'A deposit changed its state.',
      z.strictObject({
        depositId: Id,
        status: z.enum([
          ...DepositStatus.options,
          // Of items that were sold.
          ...(['PENDING', 'IN_HOLD', 'SUCCESS', 'FAIL', 'HOLD_APPROVED', 'HOLD_RETURNED'] as const),
        ]),
        currencyId: CurrencyId,
        amount: Amount.nullable().meta({ description: 'Null: not known yet.' }),
      }),
    ),
    'withdraw.status': event(
      'user',
      'A withdrawal changed its state, as its owner sees it.',
      z.strictObject({
        withdrawalId: Id,
        status: ShownStatus,
        currencyId: CurrencyId,
        amount: Amount,
      }),
    ),
  },
  kinds: {
    deposit: 'DEPOSIT',
    'deposit.reversal': 'DEPOSIT_REVERSAL',
    'withdraw.hold': 'WITHDRAW',
    'withdraw.sent': 'WITHDRAW',
    'withdraw.fee': 'WITHDRAW',
    'withdraw.release': 'WITHDRAW_RETURN',
    'withdraw.return': 'WITHDRAW_RETURN',
    'withdraw.fee.return': 'WITHDRAW_RETURN',
  },
  messages,
} as const;
