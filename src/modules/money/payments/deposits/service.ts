import type { z } from 'zod';
import { type DbOrTx, transaction } from '../../../../platform/database/db.ts';
import type { Sight } from '../../../base/users/service.ts';
import type { PaymentDeps } from '../deps.ts';
import { paymentErrors } from '../errors.ts';
import type { DepositReport } from '../provider.ts';
import { applyReport } from './apply.ts';
import type { Incoming } from './claim.ts';
import { listedOf } from './listed.ts';
import type { DepositRow } from './queries.ts';
import { OPEN_STATUSES } from './rules.ts';
import type { Deposit } from './schemas.ts';
import { toDeposits } from './view.ts';
import { createDepositWebhooks } from './webhooks.ts';

export type Deposits = ReturnType<typeof createDeposits>;

/** The receiver of deposit webhooks, and reports that the debug module makes up. */
export function createDeposits(deps: PaymentDeps) {
  return {
    receive: createDepositWebhooks(deps),

    /** Applies a made-up report to one player's deposit. Throws 404 DEPOSIT_NOT_FOUND. */
    applyAs: (incoming: Incoming & { userId: number }, sight: Sight): Promise<z.input<typeof Deposit>> =>
      transaction(deps.db, async (tx) => {
        const row = await applyReport(tx, deps, incoming);
        if (!row) throw paymentErrors.DEPOSIT_NOT_FOUND();
        return (await toDeposits(tx, [listedOf(row)], sight))[0]!;
      }),

    /** Returns the report that would complete a player's newest open deposit, or undefined if they have none. */
    async completing(userId: number): Promise<Omit<Incoming, 'userId'> | undefined> {
      const row = await findNewestOpen(deps.db, userId);
      return row && { providerId: row.provider_id, report: completionOf(row) };
    },
  };
}

const completionOf = (row: DepositRow): DepositReport => ({
  externalId: row.external_id,
  status: 'COMPLETED',
  at: new Date(),
  payAddress: row.pay_address,
  payMemo: row.pay_memo,
  amount: row.amount,
  currencyId: row.currency_id,
  networkId: row.network_id,
  txHash: row.tx_hash,
  outputIndex: row.output_index,
  confirmations: row.required_confirmations,
});

async function findNewestOpen(db: DbOrTx, userId: number): Promise<DepositRow | undefined> {
  const row = await db
    .selectFrom('deposits')
    .selectAll()
    .where('user_id', '=', userId)
    .where('status', 'in', [...OPEN_STATUSES])
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row as DepositRow | undefined;
}
