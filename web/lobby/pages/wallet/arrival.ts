import type { PlayerDeposit } from '../../../../client/call.ts';
import { money } from '../../../kit/intl.ts';
import type { MoneyWords } from '../../words/money.en.ts';

type Arrival = Pick<
  PlayerDeposit,
  'amount' | 'currencyId' | 'status' | 'confirmations' | 'requiredConfirmations'
>;

export const isWaiting = ({ status }: Pick<Arrival, 'status'>) =>
  status === 'DETECTED' || status === 'CONFIRMING';

/** Returns how far a deposit has come. */
export function arrivalOf(deposit: Arrival, history: MoneyWords['history']): string {
  const { status, confirmations: have, requiredConfirmations: need } = deposit;
  const amount = money(deposit.amount, deposit.currencyId);
  if (status === 'COMPLETED') return history.added(amount);
  const isCounted = isWaiting(deposit) && need > 0;
  return history.arriving(
    amount,
    isCounted ? history.confirmed(have, need) : (history.states[status] ?? status),
  );
}
