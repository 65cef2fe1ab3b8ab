import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { parseUnits, units } from '../../../platform/money.ts';
import { userErrors } from '../../base/users/schemas.ts';
import { assertNoBot, getUser } from '../../base/users/service.ts';
import { Deposit } from '../../money/payments/deposits/schemas.ts';
import { paymentErrors } from '../../money/payments/errors.ts';
import type { DepositReport } from '../../money/payments/provider.ts';
import { DepositWebhook } from '../../money/payments/providers/schemas.ts';
import type { DebugDeps } from './debug.ts';

const PROVIDER = 'debug';
/** The response includes personal data, because the caller is the developer who created the test user. */
const SIGHT = { showsPii: true };

const shared = {
  method: 'POST',
  tag: 'Debug',
  access: 'anonymous',
  gate: 'none',
  params: z.object({ userId: z.number().int().min(1).max(2_147_483_647) }),
  response: Deposit,
} as const;

export const simulateDeposit = operation({
  ...shared,
  path: '/debug/deposit/{userId}',
  summary: 'Simulate a deposit webhook for a user',
  description: 'Credits the given user, regardless of `payAddress`.',
  body: DepositWebhook,
  errors: [
    userErrors.USER_NOT_FOUND,
    userErrors.BOT_ACCOUNT,
    paymentErrors.DEPOSIT_NOT_FOUND,
    commonErrors.AMOUNT_OUT_OF_RANGE,
  ],
  handler: async ({ db, deposits }: DebugDeps, { params: { userId }, body }) => {
    assertNoBot(await getUser(db, userId));
    const { amount, occurredAt, payMemo = null, txHash = null, ...rest } = body;
    const parsed = parseUnits(amount);
    if (parsed === undefined) throw commonErrors.AMOUNT_OUT_OF_RANGE({ decimals: 8 });
    const report = { ...rest, payMemo, txHash, amount: parsed, at: new Date(occurredAt) };
    return deposits.applyAs({ providerId: PROVIDER, report, userId }, SIGHT);
  },
});

export const completeDeposit = operation({
  ...shared,
  path: '/debug/deposit/emulate-success/{userId}',
  summary: "Complete a user's newest open deposit",
  description: 'Creates and completes a deposit of 100 USDT if no deposit is open.',
  errors: [userErrors.USER_NOT_FOUND, userErrors.BOT_ACCOUNT],
  handler: async ({ db, deposits }: DebugDeps, { params: { userId } }) => {
    assertNoBot(await getUser(db, userId));
    const open = (await deposits.completing(userId)) ?? { providerId: PROVIDER, report: newReport() };
    const txHash = open.report.txHash ?? newHash();
    return deposits.applyAs({ ...open, report: { ...open.report, txHash }, userId }, SIGHT);
  },
});

const newHash = () => `debug-${randomUUID()}`;

const newReport = (): DepositReport => ({
  externalId: randomUUID(),
  status: 'COMPLETED',
  payAddress: 'debug',
  payMemo: null,
  at: new Date(),
  currencyId: 'USDT',
  networkId: 'tron',
  amount: units('100'),
  txHash: newHash(),
  outputIndex: 0,
  confirmations: 0,
});
