import type { z } from 'zod';
import { iso } from '../../../../../../platform/clock.ts';
import type { WalletResponse, WalletStatus } from '../../../engine/call.ts';
import type { WireResponse } from '../../provider.ts';
import { providerUnitsOf } from '../amounts/rules.ts';
import { wireInteger } from '../body.ts';
import type { Currencies } from '../client.ts';
import type { SoftswissAnswer } from './schemas.ts';

/** The round of the call, which the response names. */
export type SoftswissContext = { round: string | undefined };
type Body = z.input<typeof SoftswissAnswer>;
type Refused = readonly [status: number, code: number, message: string];

const REFUSALS: Readonly<Record<Exclude<WalletStatus, 'OK' | 'ROLLED_BACK'>, Refused>> = {
  BAD_SIGNATURE: [403, 403, 'Forbidden: the signature does not prove this body.'],
  INVALID_REQUEST: [400, 400, 'Bad request.'],
  INVALID_TYPE: [400, 400, 'Bad request.'],
  INVALID_CURRENCY: [400, 400, 'Bad request: no such currency.'],
  INVALID_TOKEN: [412, 101, 'Player is invalid: no such session.'],
  TOKEN_EXPIRED: [412, 101, 'Player is invalid: the session has ended.'],
  PLAYER_NOT_FOUND: [412, 101, 'Player is invalid.'],
  PLAYER_BLOCKED: [412, 110, 'Player is disabled.'],
  LIMIT_EXCEEDED: [412, 105, 'Player has reached a bet limit.'],
  GAME_UNAVAILABLE: [412, 107, 'Game is forbidden to the player.'],
  INSUFFICIENT_FUNDS: [412, 100, 'Player has not enough funds to process an action.'],
  ROUND_CLOSED: [412, 400, 'The round has ended.'],
  TRANSACTION_NOT_FOUND: [412, 404, 'No such transaction.'],
  TRANSACTION_CONFLICT: [412, 400, 'The action was processed before with other content.'],
  INTERNAL_ERROR: [500, 500, 'Unknown error: try again.'],
};

type Said = { answer: WalletResponse; context: SoftswissContext | undefined; currencies: Currencies };

export function answerSoftswiss({ answer, context, currencies }: Said): WireResponse {
  const currency = currencies.byOurs(answer.currencyId);
  const balance =
    currency && answer.balance !== null ? wireInteger(providerUnitsOf(answer.balance, currency)) : undefined;
  const { status } = answer;
  if (status !== 'OK' && status !== 'ROLLED_BACK') {
    const [http, code, message] = REFUSALS[status];
    const isShort = status === 'INSUFFICIENT_FUNDS' && balance !== undefined;
    return { status: http, body: { code, message, ...(isShort ? { balance } : {}) } satisfies Body };
  }
  const body: Body = {
    ...(balance === undefined ? {} : { balance }),
    ...(context?.round === undefined ? {} : { game_id: context.round }),
    transactions: answer.actions.map(({ id, transactionId, at }) => ({
      action_id: id,
      tx_id: transactionId,
      processed_at: iso(at),
    })),
  };
  return { status: 200, body };
}
