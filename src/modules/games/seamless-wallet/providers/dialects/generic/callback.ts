import type { z } from 'zod';
import { readNotice } from '../../../../../../http/notice.ts';
import { commonErrors } from '../../../../../../platform/errors.ts';
import { formatUnits, type Units } from '../../../../../../platform/money.ts';
import { webhookErrors } from '../../../../../base/webhooks/schemas.ts';
import {
  type Action,
  emptyResponse,
  type WalletCall,
  type WalletResponse,
  type WalletStatus,
} from '../../../engine/call.ts';
import type { ReadCallback, UnreadReport, WireResponse } from '../../provider.ts';
import { readFields, unknownFields } from '../body.ts';
import type { Currencies } from '../client.ts';
import { numeralText, type Reported, reportedUnits, shownUnitsOf, unitsOfText } from '../rules.ts';
import { GameWalletReport, GameWalletRequest, type GameWalletResponse } from './schemas.ts';

type Request = z.output<typeof GameWalletRequest>;
type Report = z.output<typeof GameWalletReport>;
type RequestName = 'AUTHENTICATE' | 'BALANCE' | 'BET' | 'BET_WIN';
type ReportName = Exclude<Request['action'], RequestName>;

const MOVED = ['gameCode', 'roundId', 'transactionId', 'amount'] as const;
const NEEDED: Readonly<Record<RequestName, readonly (keyof Request)[]>> = {
  AUTHENTICATE: ['sessionToken'],
  BALANCE: [],
  BET: ['sessionToken', ...MOVED],
  BET_WIN: ['sessionToken', ...MOVED, 'winAmount'],
};
const REPORTS: ReadonlySet<string> = new Set<ReportName>(['WIN', 'ROLLBACK', 'FREE_SPIN_WIN', 'JACKPOT']);
const KNOWN: ReadonlySet<string> = new Set(Object.keys(GameWalletRequest.shape));

const isRequest = (action: string): action is RequestName => Object.hasOwn(NEEDED, action);

/**
 * Parses requests (BET, BET_WIN, AUTHENTICATE, BALANCE) strictly: throws 400 VALIDATION_FAILED for a malformed body, and rejects invalid
 * amounts and unknown currencies. All other actions report an event that has already happened, so they are never rejected because of their
 * format.
 */
export function readGeneric(raw: Buffer, currencies: Currencies): ReadCallback {
  const fields = readFields(raw);
  const action = fields?.action;
  if (!fields || typeof action !== 'string' || isRequest(action)) {
    const request = readNotice(raw, GameWalletRequest);
    const unknown = fields && unknownFields(fields, KNOWN);
    return {
      ...readRequest(request as Request & { action: RequestName }, currencies),
      ...(unknown && { unknown }),
    };
  }
  const unknown = unknownFields(fields, KNOWN);
  const read = REPORTS.has(action)
    ? readReport(fields, action as ReportName, currencies)
    : { report: reportOf(fields, 'UNKNOWN_TYPE'), context: undefined };
  return { ...read, ...(unknown && { unknown }) };
}

function readRequest(request: Request & { action: RequestName }, currencies: Currencies): ReadCallback {
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
    return { refused: answerGeneric(emptyResponse('INVALID_REQUEST'), currencies) };
  const call: WalletCall = {
    playerId: request.playerId,
    currencyId: currency.ours,
    token: request.sessionToken,
    needsSession: request.action === 'AUTHENTICATE',
    gameCode: request.gameCode,
    round: request.roundId,
    actions: stakesOf(request, { amount, winAmount }),
    closes: request.roundClosed === true,
  };
  return { call, context: undefined };
}

function stakesOf(
  { action, transactionId: id = '' }: Request,
  { amount, winAmount }: { amount: Units; winAmount: Units },
): Action[] {
  if (action !== 'BET' && action !== 'BET_WIN') return [];
  const bet: Action = { type: 'BET', id, amount };
  return action === 'BET' ? [bet] : [bet, { type: 'WIN', id: `${id}:win`, amount: winAmount }];
}

function readReport(
  fields: Record<string, unknown>,
  action: ReportName,
  currencies: Currencies,
): ReadCallback {
  const unread = (reason: UnreadReport['reason']) => ({
    report: reportOf(fields, reason),
    context: undefined,
  });
  const { data: report } = GameWalletReport.safeParse(fields);
  if (!report) return unread('UNREADABLE');
  const currency = currencies.byCode(report.currency);
  if (!currency) return unread('UNBOOKABLE');
  const isRollback = action === 'ROLLBACK';
  // A rollback reverses the whole transaction, regardless of its own amount.
  const amount = reportedUnits(report.amount ?? (isRollback ? 0 : undefined), { ...currency, places: 0 });
  if (!amount || (amount.amount < 0n && !isRollback)) return unread('UNREADABLE');
  if (isRollback && report.referenceTransactionId === undefined) return unread('UNREADABLE');
  if (action === 'WIN' && report.roundId === undefined) return unread('UNBOOKABLE');
  const call: WalletCall = {
    playerId: report.playerId,
    currencyId: currency.ours,
    token: report.sessionToken,
    needsSession: false,
    gameCode: report.gameCode,
    round: report.roundId,
    actions: [actionOf(action, report, amount)],
    closes: report.roundClosed,
  };
  return { call, context: undefined };
}

function actionOf(type: ReportName, report: Report, { amount, said }: Reported): Action {
  const { transactionId: id, referenceTransactionId: reference } = report;
  const isNamed = type === 'ROLLBACK' || type === 'WIN';
  return { type, id, amount, ...(isNamed && { reference }), ...(said !== undefined && { said }) };
}

const reportOf = (fields: Record<string, unknown>, reason: UnreadReport['reason']): UnreadReport => ({
  reason,
  type: String(fields.action).slice(0, 100),
  transactionId: numeralText(fields.transactionId),
  playerId: numeralText(fields.playerId),
});

type Body = z.input<typeof GameWalletResponse>;

/** Statuses that have a different name in our own format. */
const STATUSES: Partial<Record<WalletStatus, Body['status']>> = {
  INVALID_TYPE: 'INVALID_REQUEST',
  INVALID_CURRENCY: 'INVALID_REQUEST',
  TOKEN_EXPIRED: 'INVALID_TOKEN',
  ROLLED_BACK: 'TRANSACTION_CONFLICT',
};

/** Throws 401 SIGNATURE_INVALID, because this format has no status for an invalid signature. */
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
