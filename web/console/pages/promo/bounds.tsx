import { Amount, Usd } from '../../../kit/amount.tsx';
import { exactMoney } from '../../../kit/intl.ts';
import type { Cost, Draft } from './cost.ts';

const AUDIENCES: Readonly<Record<Draft['type'], string>> = {
  WELCOME: 'New players, who see it in the lobby',
  DEPOSIT: 'All players, who see it in the lobby',
  CODE: 'Players with a code',
  MANUAL: 'Players to whom staff grant it',
};
const LIMITED_AUDIENCES: typeof AUDIENCES = {
  WELCOME: 'New players who meet the conditions',
  DEPOSIT: 'Players who meet the conditions',
  CODE: 'Players with a code who meet the conditions',
  MANUAL: 'Players who meet the conditions and get it from staff',
};

/** Conditions that only set the period of another condition. */
const PERIODS: ReadonlySet<string> = new Set(['depositWindowDays', 'turnoverWindowDays']);
const hasConditions = (conditions: Draft['conditions']): boolean =>
  Object.entries(conditions).some(
    ([name, value]) => !PERIODS.has(name) && isSet(value) && value !== '' && value !== 0,
  );

/** The players whom a promotion is for. Names conditions if there are any. */
export const audienceOf = ({ type, conditions }: Pick<Draft, 'type' | 'conditions'>): string =>
  (hasConditions(conditions) ? LIMITED_AUDIENCES : AUDIENCES)[type];

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
