import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import type { Units } from '../../../../../../platform/money.ts';
import { webhookErrors } from '../../../../../base/webhooks/schemas.ts';
import { type Action, emptyResponse, type WalletStatus } from '../../../engine/call.ts';
import type { ProviderCurrency, ReadCallback, UnreadReport } from '../../provider.ts';
import { numeralText, reportedUnits, unitsOf } from '../amounts/rules.ts';
import { amountOf, fitFields, readFields, unknownFields } from '../body.ts';
import type { Currencies } from '../client.ts';
import { answerSoftswiss } from './answer.ts';
import { ActionsReport, FreeSpinsCall, FreeSpinsReport, PlayCall, RollbackCall } from './schemas.ts';

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

/** Statuses of ended free spins, whose win is credited. */
const ENDED = ['played', 'finished', 'lost', 'expired'];

const FIELDS: ReadonlySet<string> = new Set([
  ...Object.keys(PlayCall.shape),
  ...Object.keys(FreeSpinsCall.shape),
]);

/** Reads a SOFTSWISS call. Rejects invalid requests in its format, but never reports. Throws 404 PROVIDER_NOT_FOUND for an unknown path. */
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

/** Returns true for reports. A `play` call is a report unless it requests the balance or takes a stake. */
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
  // A bet or a win needs a game as well. A rollback's original has its own.
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

/** Reads a report. One that cannot be booked becomes a finding. */
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

/** Removes repeated actions of one call; undefined if a repetition has other content. */
function withoutRepeats(actions: readonly Action[]): Action[] | undefined {
  const byId = new Map<string, Action>();
  for (const action of actions) {
    const first = byId.get(action.id);
    if (!first) byId.set(action.id, action);
    else if (!isDeepStrictEqual(first, action)) return undefined;
  }
  return [...byId.values()];
}
