import type { z } from 'zod';
import type { Numeral } from '../../../../../../platform/exact-json.ts';
import { webhookErrors } from '../../../../../base/webhooks/schemas.ts';
import {
  type Action,
  emptyResponse,
  type WalletCall,
  type WalletResponse,
  type WalletStatus,
} from '../../../engine/call.ts';
import type { ProviderCurrency, ReadCallback, UnreadReport, WireResponse } from '../../provider.ts';
import { amountOf, fitFields, readFields, unknownFields, wireInteger } from '../body.ts';
import type { Currencies } from '../client.ts';
import {
  HUB88_DECIMALS,
  hub88BalanceOf,
  numeralText,
  type Reported,
  reportedUnits,
  unitsOf,
} from '../rules.ts';
import { BetCall, type Hub88Answer, RollbackCall, UserCall, WinCall, WinReport } from './schemas.ts';

const SCHEMAS = {
  'user/info': UserCall,
  'user/balance': UserCall,
  'transaction/bet': BetCall,
  'transaction/win': WinCall,
  'transaction/rollback': RollbackCall,
} as const;
type CallName = keyof typeof SCHEMAS;
export const ACTIONS: readonly string[] = Object.keys(SCHEMAS);
const isCall = (action: string): action is CallName => Object.hasOwn(SCHEMAS, action);

const FIELDS: ReadonlySet<string> = new Set(Object.keys(WinCall.shape));

/**
 * Parses a Hub88 call. Rejects invalid requests in Hub88's format, but never rejects reports. Throws 404 PROVIDER_NOT_FOUND for an unknown
 * path.
 */
export function readHub88(action: string, raw: Buffer, currencies: Currencies): ReadCallback {
  if (!isCall(action)) throw webhookErrors.PROVIDER_NOT_FOUND();
  const fields = readFields(raw);
  const context = contextOf(fields);
  const refuse = (status: WalletStatus): ReadCallback => ({
    refused: answerHub88(action, { answer: emptyResponse(status), context, currencies }),
  });
  if (!fields) return refuse('INVALID_REQUEST');
  const unknown = unknownFields(fields, FIELDS);
  const read =
    action === 'transaction/win' || action === 'transaction/rollback'
      ? readReport({ action, fields, context }, currencies)
      : readRequest({ action, fields, context, refuse }, currencies);
  return { ...read, ...(unknown && { unknown }) };
}

type Fields = Record<string, unknown>;
type Reading = { action: CallName; fields: Fields; context: Hub88Context };

function readRequest(
  { action, fields, context, refuse }: Reading & { refuse: (status: WalletStatus) => ReadCallback },
  currencies: Currencies,
): ReadCallback {
  const read = fitFields(fields, SCHEMAS[action] as z.ZodType<AnyCall>);
  if ('unfit' in read) return refuse(read.unfit);
  const { fit } = read;
  const currency = fit.currency == null ? undefined : currencies.byCode(fit.currency);
  if (fit.currency != null && !currency) return refuse('INVALID_CURRENCY');
  const given = fit.amount === undefined ? 0n : amountOf(fit.amount as number | Numeral);
  const amount =
    given === undefined
      ? undefined
      : unitsOf(given, { factor: currency?.factor ?? '1', decimals: HUB88_DECIMALS });
  if (amount === undefined) return refuse('INVALID_REQUEST');
  return { call: callOf(action, { fit, currency, amount: { amount } }), context };
}

/** Parses a report. A report that cannot be booked becomes a finding. */
function readReport({ action, fields, context }: Reading, currencies: Currencies): ReadCallback {
  const unread = (reason: UnreadReport['reason']) => ({ report: reportOf(action, fields, reason), context });
  const { data: fit } = WinReport.safeParse(fields);
  if (!fit) return unread('UNREADABLE');
  const isRollback = action === 'transaction/rollback';
  const currency = fit.currency == null ? undefined : currencies.byCode(fit.currency);
  if (!currency && (fit.currency != null || !isRollback)) return unread('UNBOOKABLE');
  const amount = isRollback
    ? { amount: 0n }
    : reportedUnits(fit.amount, { factor: currency!.factor, places: HUB88_DECIMALS });
  if (!amount || amount.amount < 0n) return unread('UNREADABLE');
  return { call: callOf(action, { fit, currency, amount }), context };
}

const reportOf = (type: CallName, fields: Fields, reason: UnreadReport['reason']): UnreadReport => ({
  reason,
  type,
  transactionId: numeralText(fields.transaction_uuid),
  playerId: numeralText(fields.user),
});

type Fit = { fit: AnyCall; currency: ProviderCurrency | undefined; amount: Reported };

const callOf = (action: CallName, { fit, currency, amount }: Fit): WalletCall => ({
  playerId: fit.user,
  currencyId: currency?.ours,
  token: fit.token ?? undefined,
  gameCode: fit.game_code ?? undefined,
  round: fit.round ?? undefined,
  actions: actionsOf(action, fit, amount),
  closes: fit.round_closed === true,
});

type Read = Partial<Omit<z.output<typeof WinCall>, 'amount' | 'user' | 'request_uuid'>>;
type AnyCall = { user: string; amount?: unknown } & { [K in keyof Read]: Read[K] | null | undefined };

function actionsOf(action: CallName, fit: AnyCall, { amount, said }: Reported): Action[] {
  const id = fit.transaction_uuid ?? '';
  const reference = fit.reference_transaction_uuid ?? undefined;
  const isFree = fit.is_free === true;
  const payload = payloadOf(fit);
  const freeRounds = isFree ? (fit.reward_uuid ?? undefined) : undefined;
  switch (action) {
    case 'transaction/bet':
      return [{ type: 'BET', id, amount, isFree, freeRounds, payload }];
    case 'transaction/win':
      return [{ type: 'WIN', id, amount, said, isFree, freeRounds, reference, payload }];
    case 'transaction/rollback':
      return [{ type: 'ROLLBACK', id, amount, reference, payload }];
    default:
      return [];
  }
}

/** Keeps the fields that staff may need later. */
function payloadOf({ supplier_transaction_id, reward_uuid, is_supplier_promo }: AnyCall): object | undefined {
  const kept = {
    ...(supplier_transaction_id == null ? {} : { supplierTransactionId: supplier_transaction_id }),
    ...(reward_uuid == null ? {} : { rewardId: reward_uuid }),
    ...(is_supplier_promo === true ? { isSupplierPromo: true } : {}),
  };
  return Object.keys(kept).length > 0 ? kept : undefined;
}

/** Parses the fields to echo, even if the other fields cannot be parsed. */
function contextOf(fields: Record<string, unknown> | undefined): Hub88Context {
  const nameIn = (value: unknown) =>
    typeof value === 'string' && value.length > 0 && value.length <= 200 ? value : undefined;
  return { user: nameIn(fields?.user), requestId: nameIn(fields?.request_uuid) };
}

/** Fields of the call that the response echoes. */
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
