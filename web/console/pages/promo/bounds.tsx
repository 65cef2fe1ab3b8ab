import { Amount, Usd } from '../../../kit/amount.tsx';
import { exactMoney } from '../../../kit/intl.ts';
import type { Cost } from './cost.ts';

/** `isExact` shows all decimals, for confirmations. */
type BoundProps = { of: Cost; isExact?: boolean };

export function GrantBound({ of: { grant }, isExact = false }: BoundProps) {
  if (!grant) return 'Not fixed';
  const { amount, currencyId } = grant;
  return isExact ? exactMoney(amount, currencyId) : <Amount of={amount} in={currencyId} />;
}

export function TotalBound({ of: { totalUsd }, isExact = false }: BoundProps) {
  if (totalUsd === undefined) return 'No upper bound';
  return isExact ? exactMoney(totalUsd, 'USD') : <Usd of={totalUsd} />;
}
