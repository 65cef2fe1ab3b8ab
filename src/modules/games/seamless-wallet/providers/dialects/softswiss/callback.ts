import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import { iso } from '../../../../../../platform/clock.ts';
import type { Units } from '../../../../../../platform/money.ts';
import { webhookErrors } from '../../../../../base/webhooks/schemas.ts';
import { type Action, emptyResponse, type WalletResponse, type WalletStatus } from '../../../engine/call.ts';
import type { ProviderCurrency, ReadCallback, UnreadReport, WireResponse } from '../../provider.ts';
import { amountOf, fitFields, readFields, unknownFields, wireInteger } from '../body.ts';
import type { Currencies } from '../client.ts';
import { numeralText, providerUnitsOf, reportedUnits, unitsOf } from '../rules.ts';
import {
  ActionsReport,
  FreeSpinsCall,
  FreeSpinsReport,
  PlayCall,
  RollbackCall,
  type SoftswissAnswer,
} from './schemas.ts';

const SCHEMAS = { play: PlayCall, rollback: RollbackCall, freespins: FreeSpinsCall } as const;
type CallName = keyof typeof SCHEMAS;
export const ACTIONS: readonly string[] = Object.keys(SCHEMAS);
type AnyCall = Omit<z.output<typeof PlayCall>, 'actions'> & {
  actions?:
    | { action: keyof typeof TYPES; action_id: string; amount?: Amount; original_action_id?: string }[]
    | null;
} & { issue_id?: string; status?: string; total_amount?: Amount };
type Amount = Parameters<typeof amountOf>[0];
const TYPES = { bet: 'BET', win: 'WIN', rollback: 'ROLLBACK' } as const;
const isCall = (action: string): action is CallName => Object.hasOwn(SCHEMAS, action);

/** Statuses of free spins that have ended, so that their win is credited. */
const ENDED = ['played', 'finished', 'lost', 'expired'];

const FIELDS: ReadonlySet<string> = new Set([
  ...Object.keys(PlayCall.shape),
  ...Object.keys(FreeSpinsCall.shape),
]);

/**
 * Parses a SOFTSWISS call. Responds to an invalid request with an error in SOFTSWISS's format, but never rejects a report. Throws 404 PROVIDER_NOT_FOUND for an
 * unknown path.
 */
export function readSoftswiss(action: string, raw: Buffer, currencies: Currencies): ReadCallback {
  if (!isCall(action)) throw webhookErrors.PROVIDER_NOT_FOUND();
  const refuse = (status: WalletStatus): ReadCallback => ({
    refused: answerSoftswiss({ answer: emptyResponse(status), context: undefined, currencies }),
  });
  const fields = readFields(raw);
  if (!fields) return refuse('INVALID_REQUEST');
  const unknown = unknownFields(fields, FIELDS);
  const read = isReport(action, fields)
    ? readReport(action, fields, currencies)
    : readRequest({ action, fields, refuse }, currencies);
  return { ...read, ...(unknown && { unknown }) };
}

type Fields = Record<string, unknown>;
type Refuse = (status: WalletStatus) => ReadCallback;

/** Returns true for reports. A `play` call is a report unless it requests the balance or places a stake. */
function isReport(action: CallName, { actions }: Fields): boolean {
  if (action !== 'play') return true;
  if (!Array.isArray(actions) || actions.length === 0) return false;
  return actions.every((one) => typeof one?.action === 'string' && one.action !== 'bet');
}

function readRequest(
  { action, fields, refuse }: { action: CallName; fields: Fields; refuse: Refuse },
  currencies: Currencies,
): ReadCallback {
  const read = fitFields(fields, SCHEMAS[action] as z.ZodType<AnyCall>);
  if ('unfit' in read) return refuse(read.unfit);
  const { fit } = read;
  const currency = currencies.byCode(fit.currency);
  if (!currency) return refuse('INVALID_CURRENCY');
  const given = actionsOf(fit, currency);
  if (!given) return refuse('INVALID_REQUEST');
  return callOf({ action, fit, currency, given, refuse });
}

type Given = { action: CallName; fit: AnyCall; currency: ProviderCurrency; given: Action[]; refuse: Refuse };

function callOf({ action, fit, currency, given, refuse }: Given): ReadCallback {
  const actions = withoutRepeats(given);
  if (!actions) return refuse('TRANSACTION_CONFLICT');
  const round = fit.game_id ?? undefined;
  const isFreeSpins = action === 'freespins';
  const needsRound = !isFreeSpins && (actions.length > 0 || fit.finished === true);
  // A bet or a win also needs a game. A rollback uses the original transaction's game.
  if (needsRound && (!round || (action === 'play' && !fit.game))) return refuse('INVALID_REQUEST');
  const call = {
    playerId: fit.user_id,
    currencyId: currency.ours,
    token: fit.session_id ?? undefined,
    gameCode: fit.game ?? undefined,
    round: isFreeSpins ? undefined : round,
    actions,
    closes: !isFreeSpins && fit.finished === true,
  };
  return { call, context: { round } };
}

/** Parses a report. A report that cannot be booked becomes a finding. */
function readReport(action: CallName, fields: Fields, currencies: Currencies): ReadCallback {
  const context = { round: numeralText(fields.game_id) };
  const unread = (reason: UnreadReport['reason']) => ({ report: reportOf(action, fields, reason), context });
  const { data: fit } = (action === 'freespins' ? FreeSpinsReport : ActionsReport).safeParse(fields) as {
    data?: ReportedFields;
  };
  if (!fit) return unread(isUnknownType(action, fields) ? 'UNKNOWN_TYPE' : 'UNREADABLE');
  const currency = currencies.byCode(fit.currency);
  if (!currency) return unread('UNBOOKABLE');
  const given = reportedActions(fit, currency);
  if (!given) return unread('UNREADABLE');
  if (given.length === 0 && action !== 'freespins') return unread('UNBOOKABLE');
  const { actions: _actions, total_amount: _sum, ...rest } = fit;
  return callOf({ action, fit: rest, currency, given, refuse: () => unread('UNBOOKABLE') });
}

type ReportedFields = Omit<AnyCall, 'actions' | 'total_amount'> & {
  actions?: { action: 'win' | 'rollback'; action_id: string; amount: unknown; original_action_id?: string }[];
  total_amount?: unknown;
};

const isUnknownType = (action: CallName, { actions }: Fields): boolean =>
  action === 'play' && Array.isArray(actions) && actions.some((one) => !Object.hasOwn(TYPES, one?.action));

/** Returns undefined if an amount is unreadable or a rollback has no reference. */
function reportedActions(fit: ReportedFields, currency: ProviderCurrency): Action[] | undefined {
  const scale = { factor: currency.factor, places: currency.decimals };
  const actions: Action[] = [];
  for (const { action, action_id: id, amount: given, original_action_id: reference } of fit.actions ?? []) {
    const isRollback = action === 'rollback';
    const read = isRollback ? { amount: 0n } : reportedUnits(given, scale);
    if (!read || read.amount < 0n || (isRollback && reference === undefined)) return undefined;
    actions.push({ type: TYPES[action], id, ...read, ...(isRollback && { reference }) });
  }
  if (fit.issue_id !== undefined && ENDED.includes(fit.status!)) {
    const read = reportedUnits(fit.total_amount, scale);
    if (!read || read.amount < 0n) return undefined;
    actions.push({ type: 'FREE_SPIN_WIN', id: fit.issue_id, ...read, freeRounds: fit.issue_id });
  }
  return actions;
}

function reportOf(type: CallName, fields: Fields, reason: UnreadReport['reason']): UnreadReport {
  const [first] = Array.isArray(fields.actions) ? (fields.actions as (Fields | null)[]) : [];
  const named = first?.action_id ?? fields.issue_id;
  return { reason, type, transactionId: numeralText(named), playerId: numeralText(fields.user_id) };
}

/** Returns undefined if an amount is invalid. */
function actionsOf(call: AnyCall, currency: ProviderCurrency): Action[] | undefined {
  const actions: Action[] = [];
  for (const { action, action_id: id, amount: given, original_action_id: reference } of call.actions ?? []) {
    const amount = given === undefined ? 0n : amountIn(given, currency);
    if (amount === undefined) return undefined;
    actions.push({ type: TYPES[action], id, amount, ...(reference === undefined ? {} : { reference }) });
  }
  return actions;
}

const amountIn = (given: Amount, currency: ProviderCurrency): Units | undefined => {
  const amount = amountOf(given);
  return amount === undefined ? undefined : unitsOf(amount, currency);
};

/** Removes repeated actions of one call. Returns undefined if a repeated action has different content. */
function withoutRepeats(actions: readonly Action[]): Action[] | undefined {
  const byId = new Map<string, Action>();
  for (const action of actions) {
    const first = byId.get(action.id);
    if (!first) byId.set(action.id, action);
    else if (!isDeepStrictEqual(first, action)) return undefined;
  }
  return [...byId.values()];
}

/** The round of the call, which the response contains. */
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
