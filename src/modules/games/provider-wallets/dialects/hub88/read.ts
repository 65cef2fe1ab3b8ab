import type { z } from 'zod';
import { webhookErrors } from '../../../../base/webhooks/errors.ts';
import type { Action, WalletStatus } from '../../call.ts';
import type { ReadCallback } from '../../provider.ts';
import { HUB88_DECIMALS, unitsOf } from '../amounts/rules.ts';
import { amountOf, fitFields, readFields } from '../body.ts';
import type { Currencies } from '../currencies.ts';
import { refusal } from '../generic/answer.ts';
import { answerHub88, type Hub88Context } from './answer.ts';
import { BetCall, RollbackCall, UserCall, WinCall } from './schemas.ts';

const SCHEMAS = {
  'user/info': UserCall,
  'user/balance': UserCall,
  'transaction/bet': BetCall,
  'transaction/win': WinCall,
  'transaction/rollback': RollbackCall,
} as const;
type CallName = keyof typeof SCHEMAS;
const isCall = (action: string): action is CallName => Object.hasOwn(SCHEMAS, action);

/** Throws 404 PROVIDER_NOT_FOUND for a path that is none of Hub88's; what it cannot mean is refused in its words. */
export function readHub88(action: string, raw: Buffer, currencies: Currencies): ReadCallback {
  if (!isCall(action)) throw webhookErrors.PROVIDER_NOT_FOUND();
  const fields = readFields(raw);
  const context = contextOf(fields);
  const refuse = (status: WalletStatus): ReadCallback => ({
    refused: answerHub88(action, { answer: refusal(status), context, currencies }),
  });
  if (!fields) return refuse('INVALID_REQUEST');
  const read = fitFields(fields, SCHEMAS[action] as z.ZodType<AnyCall>);
  if ('unfit' in read) return refuse(read.unfit);
  const { fit } = read;
  const currency = fit.currency == null ? undefined : currencies.byCode(fit.currency);
  if (fit.currency != null && !currency) return refuse('INVALID_CURRENCY');
  const given = fit.amount === undefined ? 0n : amountOf(fit.amount);
  const amount =
    given === undefined
      ? undefined
      : unitsOf(given, { factor: currency?.factor ?? '1', decimals: HUB88_DECIMALS });
  if (amount === undefined) return refuse('INVALID_REQUEST');
  const call = {
    playerId: fit.user,
    currencyId: currency?.ours,
    token: fit.token ?? undefined,
    gameCode: fit.game_code ?? undefined,
    round: fit.round ?? undefined,
    actions: actionsOf(action, fit, amount),
    closes: fit.round_closed === true,
  };
  return { call, context };
}

type AnyCall = z.output<typeof UserCall> & Partial<Omit<z.output<typeof WinCall>, 'token' | 'game_code'>>;

function actionsOf(action: CallName, fit: AnyCall, amount: bigint): Action[] {
  const id = fit.transaction_uuid ?? '';
  const reference = fit.reference_transaction_uuid;
  const isFree = fit.is_free === true;
  const payload = payloadOf(fit);
  const freeRounds = isFree ? (fit.reward_uuid ?? undefined) : undefined;
  switch (action) {
    case 'transaction/bet':
      return [{ type: 'BET', id, amount, isFree, freeRounds, payload }];
    case 'transaction/win':
      return [{ type: 'WIN', id, amount, isFree, freeRounds, reference, payload }];
    case 'transaction/rollback':
      return [{ type: 'ROLLBACK', id, amount, reference, payload }];
    default:
      return [];
  }
}

/** What staff may ask about a transaction later. */
function payloadOf({ supplier_transaction_id, reward_uuid, is_supplier_promo }: AnyCall): object | undefined {
  const kept = {
    ...(supplier_transaction_id == null ? {} : { supplierTransactionId: supplier_transaction_id }),
    ...(reward_uuid == null ? {} : { rewardId: reward_uuid }),
    ...(is_supplier_promo === true ? { isSupplierPromo: true } : {}),
  };
  return Object.keys(kept).length > 0 ? kept : undefined;
}

/** Echoed also where the rest cannot be read. */
function contextOf(fields: Record<string, unknown> | undefined): Hub88Context {
  const nameIn = (value: unknown) =>
    typeof value === 'string' && value.length > 0 && value.length <= 200 ? value : undefined;
  return { user: nameIn(fields?.user), requestId: nameIn(fields?.request_uuid) };
}
