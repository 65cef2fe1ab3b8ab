import type { z } from 'zod';
import type { WalletResponse, WalletStatus } from '../../../engine/call.ts';
import type { WireResponse } from '../../provider.ts';
import { decimalText, providerUnitsOf } from '../amounts/rules.ts';
import type { Currencies } from '../client.ts';
import type { PragmaticAnswer } from './schemas.ts';

/** Who the call is about, as far as it says so. */
export type PragmaticContext = { userId: string | undefined };
type Body = z.input<typeof PragmaticAnswer>;

const ERRORS: Readonly<Record<WalletStatus, readonly [error: number, description: string]>> = {
  OK: [0, 'Success'],
  INSUFFICIENT_FUNDS: [1, 'Insufficient balance'],
  PLAYER_NOT_FOUND: [2, 'Player not found'],
  INVALID_TOKEN: [4, 'Player authentication failed: no such token'],
  TOKEN_EXPIRED: [4, 'Player authentication failed: the token has expired'],
  BAD_SIGNATURE: [5, 'Invalid hash code'],
  PLAYER_BLOCKED: [6, 'Player is frozen'],
  INVALID_REQUEST: [7, 'Bad parameters in the request'],
  INVALID_TYPE: [7, 'Bad parameters in the request'],
  INVALID_CURRENCY: [7, 'Bad parameters in the request'],
  TRANSACTION_CONFLICT: [7, 'The reference was used before with other content'],
  GAME_UNAVAILABLE: [8, 'Game is not found or disabled'],
  LIMIT_EXCEEDED: [50, 'Bet limit has been reached'],
  INTERNAL_ERROR: [100, 'Internal server error, repeat the request'],
  ROUND_CLOSED: [120, 'The round has ended or has a result'],
  TRANSACTION_NOT_FOUND: [120, 'No bet in this round'],
  ROLLED_BACK: [120, 'The bet was refunded before it came'],
};

type Said = { answer: WalletResponse; context: PragmaticContext | undefined; currencies: Currencies };

export function answerPragmatic(action: string, { answer, context, currencies }: Said): WireResponse {
  const [error, description] = ERRORS[answer.status];
  const transactionId = answer.actions[0]?.transactionId;
  const body: Body = {
    ...(action === 'authenticate.html' && answer.status === 'OK' ? identityOf(answer, context) : {}),
    ...(transactionId === undefined ? {} : { transactionId }),
    ...(action === 'refund.html' ? {} : balanceOf(answer, currencies)),
    ...(action === 'bet.html' && answer.status === 'OK' ? { usedPromo: '0' } : {}),
    error,
    description,
  };
  return { status: 200, body };
}

function identityOf(
  { playerId, country }: WalletResponse,
  context: PragmaticContext | undefined,
): Partial<Body> {
  const userId = context?.userId ?? playerId;
  return { ...(userId === undefined ? {} : { userId }), ...(country == null ? {} : { country }) };
}

function balanceOf({ balance, currencyId }: WalletResponse, currencies: Currencies): Partial<Body> {
  const currency = currencies.byOurs(currencyId);
  if (balance === null || !currency) return {};
  // Two places are written; fewer, where the currency has fewer, end in zeros.
  const shown = providerUnitsOf(balance, currency) * 10n ** BigInt(PLACES - currency.decimals);
  return { currency: currency.code, cash: decimalText(shown, PLACES), bonus: '0' };
}

const PLACES = 2;
