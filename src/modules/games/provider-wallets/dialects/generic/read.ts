import type { z } from 'zod';
import { readNotice } from '../../../../../http/notice.ts';
import { commonErrors } from '../../../../../platform/errors.ts';
import type { Units } from '../../../../../platform/money.ts';
import type { Action, WalletCall } from '../../call.ts';
import type { ReadCallback } from '../../provider.ts';
import { unitsOfText } from '../amounts/rules.ts';
import type { Currencies } from '../currencies.ts';
import { answerGeneric, refusal } from './answer.ts';
import { GameWalletRequest } from './schemas.ts';

type Request = z.output<typeof GameWalletRequest>;
type ActionName = Request['action'];

const MOVED = ['gameCode', 'roundId', 'transactionId', 'amount'] as const;
const CREDITED = ['gameCode', 'transactionId', 'amount'] as const;
const NEEDED: Readonly<Record<ActionName, readonly (keyof Request)[]>> = {
  AUTHENTICATE: ['sessionToken'],
  BALANCE: [],
  BET: ['sessionToken', ...MOVED],
  WIN: MOVED,
  BET_WIN: ['sessionToken', ...MOVED, 'winAmount'],
  ROLLBACK: [...MOVED, 'referenceTransactionId'],
  FREE_SPIN_WIN: CREDITED,
  JACKPOT: CREDITED,
};

/** Throws 400 VALIDATION_FAILED for a body of another form; an amount or a currency that cannot be is answered INVALID_REQUEST. */
export function readGeneric(raw: Buffer, currencies: Currencies): ReadCallback {
  const request = readNotice(raw, GameWalletRequest);
  const missing = NEEDED[request.action].filter((field) => request[field] === undefined);
  if (missing.length > 0)
    throw commonErrors.VALIDATION_FAILED({
      fields: missing.map((path) => ({ path, message: `is needed by ${request.action}` })),
    });
  const currency = currencies.byCode(request.currency);
  const [amount, winAmount] = [request.amount, request.winAmount].map((text) => {
    const given = currency && unitsOfText(text ?? '0', currency);
    return given === undefined || given < 0n ? undefined : given;
  });
  if (!currency || amount === undefined || winAmount === undefined)
    return { refused: answerGeneric(refusal('INVALID_REQUEST'), currencies) };
  const call: WalletCall = {
    playerId: request.playerId,
    currencyId: currency.ours,
    token: request.sessionToken,
    needsSession: request.action === 'AUTHENTICATE',
    gameCode: request.gameCode,
    round: request.roundId,
    actions: actionsOf(request, { amount, winAmount }),
    closes: request.roundClosed === true,
  };
  return { call, context: undefined };
}

function actionsOf(
  { action, transactionId: id = '', referenceTransactionId: reference }: Request,
  { amount, winAmount }: { amount: Units; winAmount: Units },
): Action[] {
  switch (action) {
    case 'AUTHENTICATE':
    case 'BALANCE':
      return [];
    case 'BET_WIN':
      return [
        { type: 'BET', id, amount },
        { type: 'WIN', id: `${id}:win`, amount: winAmount },
      ];
    case 'ROLLBACK':
    case 'WIN':
      return [{ type: action, id, amount, reference }];
    default:
      return [{ type: action, id, amount }];
  }
}
