import type { Tx } from '../../../../platform/db.ts';
import { lockPlayers } from '../../../base/players/service.ts';
import type { WebhookEvent } from '../../../base/webhooks/service.ts';
import { transactionTime } from '../../../compliance/gate/service.ts';
import type { WithdrawalDeps } from '../deps.ts';
import type { PayoutState } from '../provider.ts';
import { type Changes, findWithdrawal, type WithdrawalRow } from './queries.ts';
import { idIn, nextStatus } from './rules.ts';
import { lockWithdrawal, move, updateWithdrawal } from './transition.ts';

export type ApplyStatus = ReturnType<typeof createApplyStatus>;

/** What the provider reports, about which attempt, and when; `at` undefined: just now, in answer to our request. */
type Reported = PayoutState & { reference: string; at?: Date };

/** Applies what the provider reports about a payout, whether in a webhook or in answer to a request. */
export function createApplyStatus({ currencies, log, referred }: WithdrawalDeps) {
  /**
   * Applies one report under the locks of `lockWithdrawal`: the status moves forward or stays, and a repeated report changes nothing.
   * Neither does a report about an earlier attempt. Answers the row after it.
   */
  return async (tx: Tx, row: WithdrawalRow, reported: Reported): Promise<WithdrawalRow> => {
    const facts = {
      withdrawalId: row.id,
      status: row.status,
      reference: reported.reference,
      reported: reported.status,
    };
    const claimsPayment = reported.status === 'SENT' || reported.status === 'COMPLETED';
    if (row.reference !== reported.reference) {
      const message = 'a report about another attempt of a withdrawal is left aside';
      // The coins may have left twice: staff has to look immediately.
      if (claimsPayment) log.error(facts, message);
      else log.warn(facts, message);
      return row;
    }
    const at = reported.at ?? (await transactionTime(tx));
    // Webhooks may arrive out of order: this failure is older than the report that the payout was sent.
    if (row.status === 'SENT' && reported.status === 'FAILED' && row.told_at && at < row.told_at) return row;
    const to = nextStatus(row.status, reported, requiredOf(currencies, row));
    if (to === 'contradiction') {
      log.error(facts, 'the provider contradicts its earlier report about a withdrawal: nothing is moved');
      return row;
    }
    const learnt = learntFrom(row, reported, at);
    if (to === undefined) return isNews(row, learnt) ? updateWithdrawal(tx, row, learnt) : row;
    const reason = to === 'FAILED' ? (reported.failedReason ?? 'refused by the provider') : null;
    if (row.status === 'SENT' && to === 'FAILED') log.warn(facts, 'a withdrawal came back after it was sent');
    const next = await move(tx, row, { ...learnt, ...(reason && { failed_reason: reason }), to, reason });
    if (to === 'COMPLETED')
      await referred.withdrawn(tx, { userId: row.user_id, usdAmount: row.usd_amount, at: next.updated_at });
    return next;
  };
}

/** A report never erases what is already known. */
function learntFrom(row: WithdrawalRow, reported: Reported, at: Date): Changes {
  return {
    external_id: reported.externalId ?? row.external_id,
    tx_hash: reported.txHash ?? row.tx_hash,
    confirmations: Math.max(reported.confirmations, row.confirmations),
    told_at: row.told_at && row.told_at > at ? row.told_at : at,
  };
}

const isNews = (row: WithdrawalRow, learnt: Changes): boolean =>
  row.told_at === null ||
  (['external_id', 'tx_hash', 'confirmations'] as const).some((field) => learnt[field] !== row[field]);

const requiredOf = (currencies: WithdrawalDeps['currencies'], row: WithdrawalRow): number =>
  currencies.find(row.currency_id)?.networks.find(({ id }) => id === row.network_id)?.confirmations ??
  Number.MAX_SAFE_INTEGER;

type WebhookDeps = WithdrawalDeps & { applyStatus: ApplyStatus };

/** Webhooks of providers about payouts. */
export function createPayoutWebhooks({ webhooks, providers, applyStatus, log }: WebhookDeps) {
  const apply = async (tx: Tx, { provider, raw }: WebhookEvent): Promise<void> => {
    const ours = [];
    for (const update of providers.get(provider).readPayouts(raw)) {
      const id = idIn(update.reference);
      const row = id === undefined ? undefined : await findWithdrawal(tx, id);
      // A new attempt has no provider yet: the report is then about the attempt before, whoever sent it.
      if (row && (row.provider_id ?? provider) === provider) ours.push({ row, update });
      else log.warn({ provider, reference: update.reference }, 'a webhook about a payout that is not ours');
    }
    await lockPlayers(
      tx,
      ours.map(({ row }) => row.user_id),
    );
    for (const { row, update } of ours) await applyStatus(tx, await lockWithdrawal(tx, row.id), update);
  };
  webhooks.on('withdrawal', apply);

  /** Throws 404 PROVIDER_NOT_FOUND, 401 SIGNATURE_INVALID, 400 VALIDATION_FAILED. */
  return webhooks.receiver('withdrawal', (id) => {
    const { isSigned, readPayouts } = providers.get(id);
    return { isSigned, read: readPayouts };
  });
}
