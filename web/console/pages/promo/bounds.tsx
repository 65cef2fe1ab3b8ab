import { Amount, Usd } from '../../../kit/amount.tsx';
import type { Cost, Draft } from './cost.ts';

export const AUDIENCES: Readonly<Record<Draft['type'], string>> = {
  WELCOME: 'New players, who see it in the lobby',
  DEPOSIT: 'All players, who see it in the lobby',
  CODE: 'Players with a code',
  MANUAL: 'Players to whom staff grant it',
};

export const GrantBound = ({ of: { grant } }: { of: Cost }) =>
  grant ? <Amount of={grant.amount} in={grant.currencyId} /> : 'Not fixed';
export const TotalBound = ({ of: { totalUsd } }: { of: Cost }) =>
  totalUsd === undefined ? 'No upper bound' : <Usd of={totalUsd} />;

/** True if a term is set. */
export const isSet = (value: unknown) =>
  value !== undefined && value !== null && value !== false && !(Array.isArray(value) && value.length === 0);
