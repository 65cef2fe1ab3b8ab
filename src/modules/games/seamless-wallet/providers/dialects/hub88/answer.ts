import type { z } from 'zod';
import type { WalletResponse, WalletStatus } from '../../../engine/call.ts';
import type { WireResponse } from '../../provider.ts';
import { hub88BalanceOf } from '../amounts/rules.ts';
import { wireInteger } from '../body.ts';
import type { Currencies } from '../client.ts';
import type { Hub88Answer } from './schemas.ts';

/** Fields of the call that the response repeats. */
export type Hub88Context = { user: string | undefined; requestId: string | undefined };

const STATUSES: Readonly<Record<WalletStatus, string>> = {
  OK: 'RS_OK',
  BAD_SIGNATURE: 'RS_ERROR_INVALID_SIGNATURE',
  INVALID_REQUEST: 'RS_ERROR_WRONG_SYNTAX',
  INVALID_TYPE: 'RS_ERROR_WRONG_TYPES',
  INVALID_CURRENCY: 'RS_ERROR_WRONG_CURRENCY',
  INVALID_TOKEN: 'RS_ERROR_INVALID_TOKEN',
  TOKEN_EXPIRED: 'RS_ERROR_TOKEN_EXPIRED',
  PLAYER_NOT_FOUND: 'RS_ERROR_UNKNOWN',
  PLAYER_BLOCKED: 'RS_ERROR_USER_DISABLED',
  LIMIT_EXCEEDED: 'RS_ERROR_LIMIT_REACHED',
  GAME_UNAVAILABLE: 'RS_ERROR_INVALID_GAME',
  INSUFFICIENT_FUNDS: 'RS_ERROR_NOT_ENOUGH_MONEY',
  ROUND_CLOSED: 'RS_ERROR_UNKNOWN',
  TRANSACTION_NOT_FOUND: 'RS_ERROR_TRANSACTION_DOES_NOT_EXIST',
  TRANSACTION_CONFLICT: 'RS_ERROR_DUPLICATE_TRANSACTION',
  ROLLED_BACK: 'RS_ERROR_TRANSACTION_ROLLED_BACK',
  INTERNAL_ERROR: 'RS_ERROR_UNKNOWN',
};

type Said = { answer: WalletResponse; context: Hub88Context | undefined; currencies: Currencies };

export function answerHub88(action: string, { answer, context, currencies }: Said): WireResponse {
  const currency = currencies.byOurs(answer.currencyId);
  const body: z.input<typeof Hub88Answer> = {
    ...(context?.user === undefined ? {} : { user: context.user }),
    status: STATUSES[answer.status],
    ...(context?.requestId === undefined ? {} : { request_uuid: context.requestId }),
  };
  if (currency) body.currency = currency.code;
  if (currency && answer.balance !== null)
    body.balance = wireInteger(hub88BalanceOf(answer.balance, currency));
  if (action === 'user/info' && answer.country != null) body.country = answer.country;
  return { status: 200, body };
}
