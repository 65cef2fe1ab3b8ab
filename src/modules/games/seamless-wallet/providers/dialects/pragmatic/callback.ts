import { createHash } from 'node:crypto';
import type { z } from 'zod';
import { isSameSecret } from '../../../../../../platform/secrets/encryption.ts';
import { webhookErrors } from '../../../../../base/webhooks/schemas.ts';
import { type Action, emptyResponse, type WalletResponse, type WalletStatus } from '../../../engine/call.ts';
import type { ReadCallback, UnreadReport, WireResponse } from '../../provider.ts';
import { fitFields, MOST_BYTES, unknownFields } from '../body.ts';
import type { Currencies } from '../client.ts';
import { decimalText, providerUnitsOf, type Reported, reportedUnits, unitsOfText } from '../rules.ts';
import {
  AdjustmentCall,
  AuthenticateCall,
  BalanceCall,
  BetCall,
  CreditCall,
  CreditReport,
  EndRoundCall,
  type PragmaticAnswer,
  PromoWinCall,
  RefundCall,
  ResultCall,
  ResultReport,
} from './schemas.ts';

const SCHEMAS = {
  'authenticate.html': AuthenticateCall,
  'balance.html': BalanceCall,
  'bet.html': BetCall,
  'result.html': ResultCall,
  'bonusWin.html': CreditCall,
  'jackpotWin.html': CreditCall,
  'promoWin.html': PromoWinCall,
  'endRound.html': EndRoundCall,
  'refund.html': RefundCall,
  'adjustment.html': AdjustmentCall,
} as const;
type CallName = keyof typeof SCHEMAS;
export const ACTIONS: readonly string[] = Object.keys(SCHEMAS);
type AnyCall = Partial<Omit<z.output<typeof ResultCall> & z.output<typeof PromoWinCall>, 'amount'>> & {
  amount?: unknown;
};
const isCall = (action: string): action is CallName => Object.hasOwn(SCHEMAS, action);

type Reading = {
  currencies: Currencies;
  /** True if rounds end with a call to endRound.html. Otherwise they end with their first result. */
  hasEndRound: boolean;
};

const FIELDS: ReadonlySet<string> = new Set(
  Object.values(SCHEMAS).flatMap(({ shape }) => Object.keys(shape)),
);
/** Documented fields that the platform does not use. */
const UNUSED: readonly string[] = [
  'timestamp',
  'roundDetails',
  'platform',
  'language',
  'jackpotId',
  'gameName',
];
const KNOWN: ReadonlySet<string> = new Set([...FIELDS, ...UNUSED]);

/**
 * Parses a Pragmatic Play call. Rejects invalid requests in Pragmatic Play's format, but never rejects reports. Throws 404
 * PROVIDER_NOT_FOUND for an unknown path.
 */
export function readPragmatic(
  action: string,
  raw: Buffer,
  { currencies, hasEndRound }: Reading,
): ReadCallback {
  if (!isCall(action)) throw webhookErrors.PROVIDER_NOT_FOUND();
  const fields = readForm(raw);
  const unknown = fields && unknownFields(fields, KNOWN);
  const report = fields && reportOf(action, fields);
  const refused = (reason: UnreadReport['reason'] = 'UNREADABLE'): ReadCallback => {
    const said = { answer: emptyResponse('INVALID_REQUEST'), context: undefined, currencies };
    return report
      ? { report: { ...report, reason }, context: { userId: fields.userId } }
      : { refused: answerPragmatic(action, said) };
  };
  const read = fitFields(fields, (REPORTS[action] ?? SCHEMAS[action]) as z.ZodType<AnyCall>);
  if ('unfit' in read) return refused();
  const { fit } = read;
  if (action === 'result.html' && fit.roundId === undefined) return refused('UNBOOKABLE');
  // Calls do not contain a currency. All currencies must therefore have the same factor (which the configuration enforces) and two
  // decimals.
  const { factor } = currencies.all[0]!;
  const actions = report ? reportedActions(action, fit, factor) : actionsOf(action, fit, factor);
  if (!actions) return refused();
  const call = {
    playerId: fit.userId ?? '',
    currencyId: undefined,
    token: fit.token,
    needsSession: action === 'authenticate.html',
    gameCode: fit.gameId,
    round: fit.roundId,
    actions,
    closes: action === 'endRound.html' || (action === 'result.html' && !hasEndRound),
  };
  return { call, context: { userId: fit.userId }, ...(unknown && { unknown }) };
}

/** Calls that report an event that has already happened. An adjustment is one of them, although it may deduct money. */
const REPORTS: Partial<Record<CallName, z.ZodType>> = {
  'result.html': ResultReport,
  'bonusWin.html': CreditReport,
  'jackpotWin.html': CreditReport,
  'promoWin.html': CreditReport,
  'endRound.html': EndRoundCall,
  'refund.html': RefundCall,
  'adjustment.html': CreditReport,
};

const reportOf = (
  type: CallName,
  fields: Readonly<Record<string, string>>,
): Omit<UnreadReport, 'reason'> | undefined =>
  REPORTS[type] && { type, transactionId: fields.reference || undefined, playerId: fields.userId };

const TYPES: Partial<Record<CallName, Action['type']>> = {
  'bet.html': 'BET',
  'result.html': 'WIN',
  'bonusWin.html': 'FREE_SPIN_WIN',
  'jackpotWin.html': 'JACKPOT',
  'promoWin.html': 'PROMO_WIN',
  'adjustment.html': 'ADJUSTMENT',
};

/** Returns undefined if the stake is not a valid amount. */
function actionsOf(action: CallName, fit: AnyCall, factor: string): Action[] | undefined {
  if (action !== 'bet.html') return [];
  const amount = unitsOfText(String(fit.amount), { factor, decimals: 2 });
  return amount === undefined || amount < 0n ? undefined : [bookedOf('BET', fit, { amount })];
}

/** Returns undefined if an amount is unreadable or has no reference. */
function reportedActions(action: CallName, fit: AnyCall, factor: string): Action[] | undefined {
  const id = fit.reference ?? '';
  // A refund has the same reference as its bet, so it needs a separate id.
  if (action === 'refund.html')
    return [{ type: 'ROLLBACK', id: `refund:${id}`, amount: 0n, reference: fit.reference }];
  const type = TYPES[action];
  if (!type) return [];
  const amount = reportedUnits(fit.amount, { factor, places: 0 });
  if (!amount || (amount.amount < 0n && type !== 'ADJUSTMENT')) return undefined;
  const promo = action === 'result.html' ? promoOf(fit, factor) : [];
  return promo && [bookedOf(type, fit, amount), ...promo];
}

function bookedOf(type: Action['type'], fit: AnyCall, amount: Reported): Action {
  const { bonusCode: freeRounds } = fit;
  const isFree = (type === 'BET' || type === 'WIN') && freeRounds !== undefined;
  return { type, id: fit.reference ?? '', ...amount, isFree, freeRounds, payload: payloadOf(fit) };
}

/** Returns the part of a result that a promotion pays. It is booked under its own reference. */
function promoOf(fit: AnyCall, factor: string): Action[] | undefined {
  const { promoWinAmount: text = '', promoWinReference: id } = fit;
  const read = text === '' ? { amount: 0n } : reportedUnits(text, { factor, places: 0 });
  if (!read || read.amount < 0n || (read.amount > 0n && id === undefined)) return undefined;
  return read.amount === 0n || id === undefined
    ? []
    : [{ type: 'PROMO_WIN', id, ...read, payload: payloadOf({ campaignId: fit.promoCampaignID }) }];
}

/** Keeps the fields that staff may need later. */
function payloadOf({ bonusCode, campaignId }: AnyCall): object | undefined {
  if (bonusCode === undefined && campaignId === undefined) return undefined;
  return { ...(bonusCode && { bonusCode }), ...(campaignId && { campaignId }) };
}

/** The player and session of a call, if the call contains them. */
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
  ROLLED_BACK: [120, 'The bet was refunded before it arrived'],
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
  // Amounts have two decimals. For a currency with fewer decimals, the remaining digits are zeros.
  const shown = providerUnitsOf(balance, currency) * 10n ** BigInt(PLACES - currency.decimals);
  return { currency: currency.code, cash: decimalText(shown, PLACES), bonus: '0' };
}

const PLACES = 2;

/** Computes the field `hash`: the MD5 of the fields, sorted by name and joined as `k=v` by `&`, followed by the secret. */
export function hashOf(fields: Iterable<readonly [string, string]>, secret: string): string {
  const sorted = [...fields]
    .filter(([name]) => name !== 'hash')
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  const text = sorted.map(([name, value]) => `${name}=${value}`).join('&');
  return createHash('md5').update(`${text}${secret}`).digest('hex');
}

/** Returns true if the form was signed with one of the secrets. A form with two hashes is invalid. */
export function isSignedForm(raw: Buffer, secrets: readonly string[]): boolean {
  if (raw.length > MOST_BYTES) return false;
  const fields = new URLSearchParams(raw.toString());
  const [hash, ...more] = fields.getAll('hash');
  if (hash === undefined || more.length > 0) return false;
  return secrets.map((secret) => isSameSecret(hashOf(fields, secret), hash)).includes(true);
}

/** Parses a form. Returns undefined if a name is repeated, or if a value contains NUL, which the database cannot store. */
function readForm(raw: Buffer): Record<string, string> | undefined {
  if (raw.length > MOST_BYTES) return undefined;
  const fields = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(raw.toString())) {
    if (fields.has(name) || `${name}${value}`.includes('\0')) return undefined;
    fields.set(name, value);
  }
  return Object.fromEntries(fields);
}

/** Builds a form with its hash. Undefined fields are omitted. */
export function signedForm(fields: Readonly<Record<string, string | undefined>>, secret: string): string {
  const given = Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined);
  return new URLSearchParams([...given, ['hash', hashOf(given, secret)]]).toString();
}
