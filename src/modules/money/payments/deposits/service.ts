import type { z } from 'zod';
import { type Db, type DbOrTx, transaction } from '../../../../platform/database/db.ts';
import type { Sight } from '../../../base/users/service.ts';
import type { PaymentDeps } from '../deps.ts';
import { paymentErrors } from '../errors.ts';
import { type DepositReport, readReports } from '../provider.ts';
import { applyReport } from './apply.ts';
import type { Incoming } from './claim.ts';
import type { DepositRow } from './queries.ts';
import { OPEN_STATUSES } from './rules.ts';
import type { Deposit } from './schemas.ts';
import { listedOf, toDeposits } from './view.ts';

export type DepositDeps = { db: Db; payments: PaymentDeps; deposits: Deposits };

export type Deposits = ReturnType<typeof createDeposits>;

/** Receives deposit webhooks, and applies simulated reports for the debug module. */
export function createDeposits(deps: PaymentDeps) {
  return {
    receive: createDepositWebhooks(deps),

    /** Applies a simulated report to a player's deposit. Throws 404 DEPOSIT_NOT_FOUND. */
    applyAs: (incoming: Incoming & { userId: number }, sight: Sight): Promise<z.input<typeof Deposit>> =>
      transaction(deps.db, async (tx) => {
        const row = await applyReport(tx, deps, incoming);
        if (!row) throw paymentErrors.DEPOSIT_NOT_FOUND();
        return (await toDeposits(tx, [listedOf(row)], sight))[0]!;
      }),

    /** Returns the report that would complete a player's newest open deposit, or undefined if the player has no open deposit. */
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

/** Registers the handler of deposit webhooks and returns their receiver, which stores every signed body. */
function createDepositWebhooks(deps: PaymentDeps) {
  const { webhooks, providers, partnerReports, metrics } = deps;
  webhooks.on('deposit', async (tx, { provider, raw }) => {
    for (const report of readReports(providers.get(provider), raw)) {
      if (report.unknownType !== undefined) partnerReports.countType(provider, report.unknownType);
      if (report.isCut) metrics.amountsCut.inc({ provider });
      await applyReport(tx, deps, { providerId: provider, report });
    }
  });
  return webhooks.receiver('deposit', providers.get);
}
