import type { Withdrawal } from '../../../../client/call.ts';
import { words } from '../../../kit/page.tsx';

export const LIST = 'GET /admin/payments/withdraw';
export const ONE = 'GET /admin/payments/withdraw/{id}';
export const APPROVE = 'POST /admin/payments/withdraw/approve';

export const isOpen = ({ status }: Pick<Withdrawal, 'status'>): boolean =>
  status === 'WAITING_FOR_APPROVAL' || status === 'ON_HOLD';

/** Labels for the reasons behind a risk score or a hold. */
const REASONS: Readonly<Record<string, string>> = {
  NOTE_HIGH: 'High-severity staff note',
  NOTE_MEDIUM: 'Medium-severity staff note',
  NO_SECOND_FACTOR: 'No two-step verification',
  NEW_ADDRESS: 'New address',
  FIRST_WITHDRAWAL: 'First withdrawal',
  OTHER_COUNTRY: 'Requested from another country',
  OPEN_CLAIM: 'Owes money',
  TURNOVER_WAIVED: 'Turnover waived by self-exclusion',
  SECOND_FACTOR_RESET: 'Two-step verification was reset',
  UNPRICED: 'No exchange rate',
  RISK: 'High risk',
};

export const reasonOf = (code: string): string => REASONS[code] ?? words(code);

/** Returns the reasons of a hold and of the risk score, each once. */
export const reasonsOf = ({ holdReason, riskReasons }: Withdrawal): string[] =>
  [...new Set([...(holdReason ? [holdReason] : []), ...riskReasons])].map(reasonOf);
