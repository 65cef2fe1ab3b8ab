import { randomUUID } from 'node:crypto';
import type { z } from 'zod';
import type { Db } from '../../../platform/db.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { parseUnits, units } from '../../../platform/money.ts';
import { assertNoBot, getUser } from '../../base/users/service.ts';
import type { Deposits } from '../../money/payments/deposits/service.ts';
import type { DepositReport } from '../../money/payments/provider.ts';
import type { DepositWebhook } from '../../money/payments/providers/schemas.ts';

const PROVIDER = 'debug';
/** With personal data: these operations are called by the developers who created the test user. */
const SIGHT = { showsPii: true };

/** Deposits without coins. */
export function createDebugDeposits({ db, deposits }: { db: Db; deposits: Deposits }) {
  return {
    /** Throws 404 USER_NOT_FOUND and DEPOSIT_NOT_FOUND, 409 BOT_ACCOUNT, 400 AMOUNT_OUT_OF_RANGE. */
    async deposit(userId: number, body: z.output<typeof DepositWebhook>) {
      assertNoBot(await getUser(db, userId));
      const { amount, occurredAt, payMemo = null, txHash = null, ...rest } = body;
      const parsed = parseUnits(amount);
      if (parsed === undefined) throw commonErrors.AMOUNT_OUT_OF_RANGE({ decimals: 8 });
      const report = { ...rest, payMemo, txHash, amount: parsed, at: new Date(occurredAt) };
      return deposits.applyAs({ providerId: PROVIDER, report, userId }, SIGHT);
    },

    /** Throws 404 USER_NOT_FOUND, 409 BOT_ACCOUNT. */
    async completeDeposit(userId: number) {
      assertNoBot(await getUser(db, userId));
      const open = (await deposits.completing(userId)) ?? { providerId: PROVIDER, report: made() };
      const txHash = open.report.txHash ?? hash();
      return deposits.applyAs({ ...open, report: { ...open.report, txHash }, userId }, SIGHT);
    },
  };
}

const hash = () => `debug-${randomUUID()}`;

const made = (): DepositReport => ({
  externalId: randomUUID(),
  status: 'COMPLETED',
  payAddress: 'debug',
  payMemo: null,
  at: new Date(),
  currencyId: 'USDT',
  networkId: 'tron',
  amount: units('100'),
  txHash: hash(),
  outputIndex: 0,
  confirmations: 0,
});
