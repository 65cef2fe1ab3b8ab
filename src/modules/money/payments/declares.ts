import { z } from 'zod';
import { Amount, CurrencyId, Id } from '../../../http/schemas.ts';
import { event } from '../../base/events/schemas.ts';
import { DepositStatus } from './deposits/schemas.ts';
import { messages } from './messages.ts';
import { PlayerStatus } from './withdrawals/schemas.ts';

export const declares = {
  about: 'deposits and withdrawals: providers, addresses, reviews, sending, unknown outcomes',
  tags: {
    Payments: 'Deposits and withdrawals of players. In the backoffice: review and approval by staff.',
    'Admin Payments': 'Review deposits and approve withdrawals.',
    'Admin withdrawals block': "Block a player's withdrawals.",
  },
  permissions: {
    'deposit.read': 'View deposits',
    'deposit.review': 'Resolve deposits under review, or propose a resolution',
    'deposit.approve': 'Approve or reject proposals for deposits under review',
    'withdraw.read': 'View withdrawals and their statistics',
    'withdraw.approve': 'Approve, reject, retry and look up withdrawals',
    'withdrawblock.read': 'View withdrawal blocks',
    'withdrawblock.write': "Block and unblock users' withdrawals",
  },
  events: {
    'deposit.status': event(
      'user',
      'The status of a deposit changed.',
      z.strictObject({
        depositId: Id,
        status: z.enum([
          ...DepositStatus.options,
          // Statuses of skin deposits.
          ...(['PENDING', 'IN_HOLD', 'SUCCESS', 'FAIL', 'HOLD_APPROVED', 'HOLD_RETURNED'] as const),
        ]),
        currencyId: CurrencyId,
        amount: Amount.nullable().meta({ description: 'Null if not known yet.' }),
      }),
    ),
    'withdraw.status': event(
      'user',
      'The status of a withdrawal changed, as its player sees it.',
      z.strictObject({
        withdrawalId: Id,
        status: PlayerStatus,
        currencyId: CurrencyId,
        amount: Amount,
      }),
    ),
  },
  kinds: {
    deposit: 'DEPOSIT',
    'deposit.reversal': 'DEPOSIT_REVERSAL',
    'deposit.suspense': 'CORRECTION',
    'deposit.suspense.return': 'CORRECTION',
    'deposit.written-off': 'CORRECTION',
    'deposit.written-off.reversal': 'CORRECTION',
    'deposit.return': 'CORRECTION',
    'deposit.return.fee': 'CORRECTION',
    'deposit.return.reversal': 'CORRECTION',
    'deposit.return.fee.reversal': 'CORRECTION',
    'withdraw.hold': 'WITHDRAW',
    'withdraw.sent': 'WITHDRAW',
    'withdraw.fee': 'WITHDRAW',
    'withdraw.release': 'WITHDRAW_RETURN',
    'withdraw.return': 'WITHDRAW_RETURN',
    'withdraw.fee.return': 'WITHDRAW_RETURN',
  },
  messages,
} as const;
