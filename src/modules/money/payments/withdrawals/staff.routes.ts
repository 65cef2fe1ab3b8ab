import { type Route, remount, route } from '../../../../http/route.ts';
import { page } from '../../../../http/schemas.ts';
import { commonErrors } from '../../../../platform/errors.ts';
import { accessErrors } from '../../../base/access/errors.ts';
import { userErrors } from '../../../base/users/errors.ts';
import { gateErrors } from '../../../compliance/gate/errors.ts';
import type { WithdrawalBlocks } from './blocks.ts';
import { withdrawalErrors } from './errors.ts';
import {
  NewWithdrawalBlock,
  Rejection,
  UserPath,
  Withdrawal,
  WithdrawalBlock,
  WithdrawalId,
  WithdrawalPath,
  WithdrawalQuery,
  WithdrawalStats,
} from './schemas.ts';
import type { Withdrawals } from './service.ts';

const tag = 'Admin Payments';
const path = '/admin/payments/withdraw';
const read = { method: 'GET', tag, access: { permission: 'withdraw.read' } } as const;
const decision = {
  method: 'POST',
  tag,
  access: { permission: 'withdraw.approve' },
  gate: 'staff',
  idempotent: true,
  response: Withdrawal,
} as const;
const deciding = [
  withdrawalErrors.WITHDRAWAL_NOT_FOUND,
  commonErrors.OWN_ACCOUNT,
  accessErrors.ACCOUNT_CONNECTED,
];

/** What the backoffice serves too: the list and the decisions. */
const doorRoutes = (withdrawals: Withdrawals): Route[] => [
  route({
    ...read,
    path,
    summary: 'Withdrawals, by filter and in order',
    description: '`username` is a whole name, in any case.',
    query: WithdrawalQuery,
    response: page(Withdrawal),
    handler: ({ by, query }) => withdrawals.staff.list(by, query),
  }),
  route({
    ...decision,
    path: `${path}/approve`,
    stepUp: 'conditional',
    summary: 'Approve a withdrawal: it is sent immediately',
    description:
      'Two people have to, each with their second factor, from WITHDRAWALS.fourEyesThresholdUsd on, together with everything else of the player that has left within ' +
      '24 hours or may still leave, and neither may have opened the account of the other; the first answer still says that it waits. ' +
      'Nobody approves money of the account that opened theirs, or that they opened.',
    body: WithdrawalId,
    errors: [
      ...deciding,
      withdrawalErrors.WITHDRAWAL_NOT_APPROVABLE,
      withdrawalErrors.SECOND_PERSON_NEEDED,
      gateErrors.WITHDRAWAL_BLOCKED,
      withdrawalErrors.CLAIMS_OPEN,
    ],
    handler: ({ by, body, idempotencyKey }) => withdrawals.staff.approve(by, body.id, idempotencyKey),
  }),
  route({
    ...decision,
    path: `${path}/reject`,
    summary: 'Reject a withdrawal: its player has the money again, and reads the reason',
    body: Rejection,
    errors: [...deciding, withdrawalErrors.WITHDRAWAL_NOT_REJECTABLE],
    handler: ({ by, body, idempotencyKey }) => withdrawals.staff.reject(by, body, idempotencyKey),
  }),
  route({
    ...decision,
    path: `${path}/retry`,
    stepUp: true,
    summary: 'Send a withdrawal again that has failed, or that the provider certainly does not know',
    description:
      'The provider is asked first. Where the outcome is unknown and the provider knows the payout, its answer is applied and nothing is ' +
      'sent; a failed withdrawal is not sent again where the provider says that it was paid.',
    body: WithdrawalId,
    errors: [
      ...deciding,
      withdrawalErrors.WITHDRAWAL_NOT_RETRYABLE,
      withdrawalErrors.SECOND_PERSON_NEEDED,
      gateErrors.WITHDRAWAL_BLOCKED,
      gateErrors.KYC_REQUIRED,
      withdrawalErrors.CLAIMS_OPEN,
      commonErrors.INSUFFICIENT_BALANCE,
      withdrawalErrors.PROVIDER_SILENT,
    ],
    handler: ({ by, body, idempotencyKey }) => withdrawals.staff.retry(by, body.id, idempotencyKey),
  }),
];

export const withdrawalStaffRoutes = (withdrawals: Withdrawals): Route[] => [
  ...doorRoutes(withdrawals),
  route({
    ...read,
    path: `${path}/stats`,
    summary: 'How many withdrawals there are',
    response: WithdrawalStats,
    handler: () => withdrawals.staff.stats(),
  }),
  route({
    ...read,
    path: `${path}/stats/{userId}`,
    summary: 'How many withdrawals of a user there are',
    params: UserPath,
    response: WithdrawalStats,
    errors: [userErrors.USER_NOT_FOUND],
    handler: ({ params }) => withdrawals.staff.statsOfUser(params.userId),
  }),
  route({
    method: 'GET',
    path: `${path}/fetch/{id}`,
    tag,
    access: { permission: 'withdraw.approve' },
    hasSideEffect: true,
    summary: 'One withdrawal, after asking the provider what became of it',
    params: WithdrawalPath,
    response: Withdrawal,
    errors: [...deciding, withdrawalErrors.PROVIDER_SILENT],
    handler: ({ by, params }) => withdrawals.staff.fetch(by, params.id),
  }),
  route({
    ...read,
    path: `${path}/{id}`,
    summary: 'One withdrawal',
    params: WithdrawalPath,
    response: Withdrawal,
    errors: [withdrawalErrors.WITHDRAWAL_NOT_FOUND],
    handler: ({ by, params }) => withdrawals.staff.get(by, params.id),
  }),
];

/** The same routes of the backoffice. */
export const withdrawalBackofficeRoutes = (withdrawals: Withdrawals): Route[] =>
  remount(doorRoutes(withdrawals), { without: '/admin/payments', tag: 'Payments' });

const block = {
  path: '/admin/withdrawals-block/{userId}',
  tag: 'Admin withdrawals block',
  params: UserPath,
  response: WithdrawalBlock,
} as const;
const blocking = { ...block, access: { permission: 'withdrawblock.write' }, gate: 'none' } as const;
const managing = [userErrors.USER_NOT_FOUND, commonErrors.OWN_ACCOUNT, accessErrors.ACCOUNT_CONNECTED];

export const withdrawalBlockStaffRoutes = (blocks: WithdrawalBlocks): Route[] => [
  route({
    ...blocking,
    method: 'POST',
    summary: 'Block withdrawals of a user; this replaces the block before',
    description: 'Without `blockUntil` until staff lifts it. The player reads `reasonPublic`.',
    body: NewWithdrawalBlock,
    errors: managing,
    handler: ({ by, params, body }) => blocks.block(by, params.userId, body),
  }),
  route({
    ...block,
    method: 'GET',
    access: { permission: 'withdrawblock.read' },
    summary: 'The block in force',
    errors: [withdrawalErrors.WITHDRAWAL_BLOCK_NOT_FOUND],
    handler: ({ params }) => blocks.get(params.userId),
  }),
  route({
    ...blocking,
    method: 'DELETE',
    summary: 'Lift the block in force',
    errors: [withdrawalErrors.WITHDRAWAL_BLOCK_NOT_FOUND, ...managing],
    handler: ({ by, params }) => blocks.unblock(by, params.userId),
  }),
];
