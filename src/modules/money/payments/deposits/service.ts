import type { z } from 'zod';
import { type Tx, transaction } from '../../../../platform/db.ts';
import { lockPlayers } from '../../../base/players/service.ts';
import type { Sight } from '../../../base/users/service.ts';
import type { PaymentDeps } from '../deps.ts';
import { paymentErrors } from '../errors.ts';
import type { DepositReport } from '../provider.ts';
import { createAddresses } from './address.ts';
import { applyReport, publishChange } from './apply.ts';
import type { Incoming } from './claim.ts';
import { createLists, toDeposits } from './list.ts';
import { createMethods } from './methods.ts';
import { type DepositRow, heldDeposits, listDeposits, lockDeposit, updateDeposit } from './queries.ts';
import { OPEN_STATUSES } from './rules.ts';
import type { Deposit } from './schemas.ts';

export type Deposits = ReturnType<typeof createDeposits>;

const RELEASED_AT_ONCE = 100;

/** Money in: the ways to pay in, the addresses, and what has come. */
export function createDeposits(deps: PaymentDeps) {
  const { db, webhooks, providers } = deps;
  webhooks.on('deposit', async (tx, { provider, raw }) => {
    for (const report of providers.get(provider).readDeposits(raw))
      await applyReport(tx, deps, { providerId: provider, report });
  });

  return {
    methods: createMethods(deps),
    address: createAddresses(deps),
    ...createLists(db),

    /** Throws 404 PROVIDER_NOT_FOUND, 401 SIGNATURE_INVALID, 400 VALIDATION_FAILED. */
    receive: webhooks.receiver('deposit', providers.get),

    /** Applies a report as if a provider had signed it, for one player: see debug. Throws 404 DEPOSIT_NOT_FOUND. */
    applyAs: (incoming: Required<Incoming>, sight: Sight): Promise<z.input<typeof Deposit>> =>
      transaction(db, async (tx) => {
        const row = await applyReport(tx, deps, incoming);
        if (!row) throw paymentErrors.DEPOSIT_NOT_FOUND();
        return (await toDeposits(tx, [row], sight))[0]!;
      }),

    /** The report that would complete the newest open deposit of a player. Undefined: they have none. */
    async completing(userId: number): Promise<Omit<Incoming, 'userId'> | undefined> {
      const newest = { sortBy: 'createdAt', sortOrder: 'desc', limit: 1, offset: 0 } as const;
      const [row] = await listDeposits(db, { userId, statuses: OPEN_STATUSES }, newest);
      return row && { providerId: row.provider_id, report: completionOf(row) };
    },

    /** Completes deposits that were held while their players were banned; the money is credited already. */
    async release(): Promise<void> {
      for (const held of await heldDeposits(db, RELEASED_AT_ONCE))
        await transaction(db, (tx) => releaseOne(tx, held));
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

async function releaseOne(tx: Tx, { id, userId }: { id: string; userId: number }): Promise<void> {
  const player = (await lockPlayers(tx, [userId])).get(userId);
  const row = await lockDeposit(tx, id);
  if (player?.isBanned || row.status !== 'ON_HOLD') return;
  const at = new Date().toISOString();
  await publishChange(
    tx,
    row,
    await updateDeposit(tx, id, { change: { status: 'COMPLETED', at, reason: null } }),
  );
}
