import { Amount, Usd } from '../../../kit/amount.tsx';
import { exactMoney } from '../../../kit/intl.ts';
import type { Cost, Draft } from './cost.ts';

export const AUDIENCES: Readonly<Record<Draft['type'], string>> = {
  WELCOME: 'New players, who see it in the lobby',
  DEPOSIT: 'All players, who see it in the lobby',
  CODE: 'Players with a code',
  MANUAL: 'Players to whom staff grant it',
};

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

/** True if a term is set. */
export const isSet = (value: unknown) =>
  value !== undefined && value !== null && value !== false && !(Array.isArray(value) && value.length === 0);
