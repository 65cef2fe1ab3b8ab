import type { z } from 'zod';
import { formatUnits } from '../../../../../../platform/money.ts';
import { webhookErrors } from '../../../../../base/webhooks/schemas.ts';
import type { WalletResponse, WalletStatus } from '../../../engine/call.ts';
import type { WireResponse } from '../../provider.ts';
import { shownUnitsOf } from '../amounts/rules.ts';
import type { Currencies } from '../client.ts';
import type { GameWalletResponse } from './schemas.ts';

type Body = z.input<typeof GameWalletResponse>;

/** Statuses with another name in our own format. */
const STATUSES: Partial<Record<WalletStatus, Body['status']>> = {
  INVALID_TYPE: 'INVALID_REQUEST',
  INVALID_CURRENCY: 'INVALID_REQUEST',
  TOKEN_EXPIRED: 'INVALID_TOKEN',
  ROLLED_BACK: 'TRANSACTION_CONFLICT',
};

/** Throws 401 SIGNATURE_INVALID, because this format has no status for it. */
export function answerGeneric(answer: WalletResponse, currencies: Currencies): WireResponse {
  if (answer.status === 'BAD_SIGNATURE') throw webhookErrors.SIGNATURE_INVALID();
  const currency = currencies.byOurs(answer.currencyId);
  const body: Body = {
    status: STATUSES[answer.status] ?? (answer.status as Body['status']),
    balance:
      answer.balance === null || !currency ? null : formatUnits(shownUnitsOf(answer.balance, currency)),
    currency: currency?.code ?? null,
    transactionId: answer.actions[0]?.transactionId ?? null,
    alreadyProcessed: answer.isRepeated,
  };
  return { status: 200, body };
}
