import type { z } from 'zod';
import { formatUnits } from '../../../../../platform/money.ts';
import { webhookErrors } from '../../../../base/webhooks/errors.ts';
import type { WalletAnswer, WalletStatus } from '../../call.ts';
import type { WireAnswer } from '../../provider.ts';
import { shownUnitsOf } from '../amounts/rules.ts';
import type { Currencies } from '../currencies.ts';
import type { GameWalletResponse } from './schemas.ts';

type Body = z.input<typeof GameWalletResponse>;

/** How each status is said in our own form; the rest is said as it is called. */
const STATUSES: Partial<Record<WalletStatus, Body['status']>> = {
  INVALID_TYPE: 'INVALID_REQUEST',
  INVALID_CURRENCY: 'INVALID_REQUEST',
  TOKEN_EXPIRED: 'INVALID_TOKEN',
  ROLLED_BACK: 'TRANSACTION_CONFLICT',
};

/** The answer of a call that was refused before the wallet saw it. */
export const refusal = (status: WalletStatus): WalletAnswer => ({
  status,
  balance: null,
  currencyId: null,
  actions: [],
  isRepeated: false,
});

/** Throws 401 SIGNATURE_INVALID, which is no answer of the wallet in this form. */
export function answerGeneric(answer: WalletAnswer, currencies: Currencies): WireAnswer {
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
