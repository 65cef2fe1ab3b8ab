import type { Tx } from '../../../../platform/db.ts';
import type { Log } from '../../../../platform/log.ts';
import type { Currencies } from '../../currencies/service.ts';
import type { PayoutState } from '../provider.ts';
import { type Changes, nowOf, updateWithdrawal, type WithdrawalRow } from './queries.ts';
import { stepBy } from './rules.ts';
import { move } from './transition.ts';

export type Progress = ReturnType<typeof createProgress>;

/** What was said, about which attempt, and when; `at` undefined: just now, to a question of ours. */
export type Said = PayoutState & { reference: string; at?: Date };

/** What follows from what the provider says of a payout, by whichever way it came. */
export function createProgress({ currencies, log }: { currencies: Currencies; log: Log }) {
  /**
   * Takes a statement in, under the locks of `lockWithdrawal`: the state moves forward or stays, and everything may be said twice.
   * What is about another attempt than the last changes nothing. Answers the row as it is then.
   */
  return async (tx: Tx, row: WithdrawalRow, said: Said): Promise<WithdrawalRow> => {
    const facts = { withdrawalId: row.id, status: row.status, reference: said.reference, said: said.status };
    const claimsPayment = said.status === 'SENT' || said.status === 'COMPLETED';
    if (row.reference !== said.reference) {
      const notice = 'a notice about another attempt of a withdrawal is left aside';
      // Coins that have left twice are for a human to look at, at once.
      if (claimsPayment) log.error(facts, notice);
      else log.warn(facts, notice);
      return row;
    }
    const at = said.at ?? (await nowOf(tx));
    // Notices overtake each other: that it failed is older than that it was sent after all.
    if (row.status === 'SENT' && said.status === 'FAILED' && row.told_at && at < row.told_at) return row;
    const to = stepBy(row.status, said, requiredOf(currencies, row));
    if (to === 'contradiction') {
      log.error(facts, 'the provider contradicts what it said of a withdrawal: nothing is moved');
      return row;
    }
    const learnt = learntFrom(row, said, at);
    if (to === undefined) return isNews(row, learnt) ? updateWithdrawal(tx, row, learnt) : row;
    const reason = to === 'FAILED' ? (said.failedReason ?? 'refused by the provider') : null;
    if (row.status === 'SENT' && to === 'FAILED') log.warn(facts, 'a withdrawal came back after it was sent');
    return move(tx, row, { ...learnt, ...(reason && { failed_reason: reason }), to, reason });
  };
}

/** Nothing that is known is forgotten. */
function learntFrom(row: WithdrawalRow, said: Said, at: Date): Changes {
  return {
    external_id: said.externalId ?? row.external_id,
    tx_hash: said.txHash ?? row.tx_hash,
    confirmations: Math.max(said.confirmations, row.confirmations),
    told_at: row.told_at && row.told_at > at ? row.told_at : at,
  };
}

const isNews = (row: WithdrawalRow, learnt: Changes): boolean =>
  row.told_at === null ||
  (['external_id', 'tx_hash', 'confirmations'] as const).some((field) => learnt[field] !== row[field]);

const requiredOf = (currencies: Currencies, row: WithdrawalRow): number =>
  currencies.find(row.currency_id)?.networks.find(({ id }) => id === row.network_id)?.confirmations ??
  Number.MAX_SAFE_INTEGER;
