import { z } from 'zod';
import { readNotice } from '../../../../http/notice.ts';
import { text } from '../../../../http/schemas.ts';
import { AppError } from '../../../../platform/errors.ts';
import { idOf, isNumeral, type Numeral, parseExact } from '../../../../platform/exact-json.ts';
import { formatUnits, type Units } from '../../../../platform/money.ts';
import { readReport } from '../../../base/webhooks/report.ts';
import type { Action } from '../engine/call.ts';
import type { ActionType } from '../engine/rules.ts';
import { unknownFields } from '../providers/dialects/body.ts';
import { type Reported, reportedUnits } from '../providers/dialects/rules.ts';
import { type Decides, decidesOf, type Meaning, meaningOf } from './rules.ts';
import { SportsbookCall, sportsbookErrors, type TRANSACTION, TYPES } from './schemas.ts';

/** The stored fields of a transaction. Responses to repeated requests return them unchanged. */
export type Said = Omit<z.output<z.ZodObject<typeof TRANSACTION>>, 'id' | 'playerId' | 'currency'>;

/** A transaction in the platform's own format. `betId`: the bet that it belongs to, if the transaction contains it. */
export type ReadTransaction = {
  meaning: Meaning;
  /** Set only for settlements. */
  decides: Decides;
  currencyId: string;
  betId: string | undefined;
  action: Action & { payload: Said };
  /** Names of unknown fields. */
  unknown: readonly string[] | undefined;
};

/** Fields of a transaction, from either the strict or the lenient schema. */
export type Shape = z.output<typeof SportsbookCall>;

/** Maximum size of a stored transaction, which includes the legs of a combination bet. */
const MOST_BYTES = 16 * 1024;

const ACTION_TYPES: Readonly<Record<Meaning, ActionType>> = {
  bet: 'BET',
  freebet: 'BET',
  settle: 'WIN',
  'free-win': 'WIN',
  resettle: 'WIN',
  cancel: 'WIN',
  rollback: 'ROLLBACK',
  grant: 'PROMO_WIN',
  retract: 'PROMO_WIN',
};
const TAKES: ReadonlySet<Meaning> = new Set<Meaning>(['resettle', 'cancel', 'retract']);

/** Returns true if a transaction requests a stake. All others report an event that has already happened. */
export const isStake = (meaning: Meaning): boolean => meaning === 'bet' || meaning === 'freebet';

/** Parses a transaction strictly: each known field must have the right type. Throws error.request.invalid. */
const readTransaction = (raw: Buffer): ReadTransaction =>
  transactionOf(readShape(raw), parseExact(raw.toString()) as { amountBreakdown: object });

/**
 * Converts a validated body to a transaction. Amounts are strings or JSON numbers in any notation. They are parsed from their digits, never
 * as floats. In a report, digits below our smallest unit are truncated; a stake with such digits is rejected. `fields`: the same body with
 * numbers as they were written. Throws error.request.invalid.
 */
function transactionOf(shape: Shape, fields: { amountBreakdown: object }): ReadTransaction {
  const { id, currency, type, context, amountBreakdown, ...rest } = shape;
  const meaning = meaningOf(type, context.reason);
  if (!meaning) throw invalid('context.reason', 'is not known with this type');
  const { amounts, said: written } = amountsOf(fields.amountBreakdown, isStake(meaning));
  const { cash } = amounts;
  const [betId, parentId] = [context.betId || undefined, context.parentId || undefined];
  assertNamed(meaning, betId, parentId);
  const { initiatedAt, createdAt, platform = null } = rest;
  const shown = Object.fromEntries(
    Object.entries(amounts).map(([name, units]) => [name, formatUnits(units)]),
  );
  const said = { platform, type, initiatedAt, createdAt, context };
  const payload = fitting(
    { ...said, amountBreakdown: { ...amountBreakdown, ...(shown as ShownAmounts) } },
    meaning,
  );
  const action = {
    type: ACTION_TYPES[meaning],
    id,
    amount: TAKES.has(meaning) ? -cash : cash,
    isFree: meaning === 'freebet' && cash === 0n,
    reference: parentId,
    named: `${type} ${context.reason}`,
    payload,
    ...(written !== undefined && { said: written }),
  };
  const unknown = unknownFields(fields, FIELDS);
  const currencyId = isStake(meaning) ? currency : currency.toUpperCase();
  return { meaning, decides: decidesOf(context.reason), currencyId, betId, action, unknown };
}

/** Rejects a stake request that is too long. A report that is too long is reduced to the fields that we use. */
function fitting(payload: Said, meaning: Meaning): Said {
  if (Buffer.byteLength(JSON.stringify(payload)) <= MOST_BYTES) return payload;
  if (isStake(meaning)) throw invalid('context', `is longer than ${MOST_BYTES} bytes`);
  const { product, reason, betId, parentId } = payload.context;
  const { cash, locked, bonus } = payload.amountBreakdown;
  const context = { product, reason, ...(betId && { betId }), ...(parentId && { parentId }) };
  return { ...payload, context, amountBreakdown: { cash, locked, bonus } };
}

function readShape(raw: Buffer): Shape {
  try {
    return readNotice(raw, SportsbookCall);
  } catch (error) {
    throw error instanceof AppError ? sportsbookErrors['error.request.invalid'](error.details) : error;
  }
}

const invalid = (path: string, message: string) =>
  sportsbookErrors['error.request.invalid']({ fields: [{ path, message }] });

const AMOUNTS = ['cash', 'locked', 'bonus'] as const;
type ShownAmounts = Record<(typeof AMOUNTS)[number], string>;

const FIELDS: ReadonlySet<string> = new Set(Object.keys(SportsbookCall.shape));
const SCALE = { factor: '1', places: 0 };

type Written = { amounts: Record<(typeof AMOUNTS)[number], Units>; said: string | undefined };

/**
 * Parses the amounts. `said`: the cash amount as it was written, if digits were truncated. A report needs only the cash amount, because no
 * other field moves money.
 */
function amountsOf(breakdown: object, isStake: boolean): Written {
  const read = (name: (typeof AMOUNTS)[number]): Reported => {
    const amount = reportedUnits((breakdown as Record<string, unknown>)[name] ?? 0, SCALE);
    if (amount && amount.amount >= 0n && !(isStake && amount.said !== undefined)) return amount;
    if (!isStake && name !== 'cash') return { amount: 0n };
    throw invalid(`amountBreakdown.${name}`, 'needs to be a decimal number with at most 8 decimals');
  };
  const [cash, locked, bonus] = [read('cash'), read('locked'), read('bonus')];
  return { amounts: { cash: cash.amount, locked: locked.amount, bonus: bonus.amount }, said: cash.said };
}

function assertNamed(meaning: Meaning, betId: string | undefined, parentId: string | undefined): void {
  if (meaning === 'rollback' && !parentId) throw invalid('context.parentId', 'is needed');
  const isOfBet = meaning !== 'rollback' && meaning !== 'grant' && meaning !== 'retract';
  if (isOfBet && !betId && (isStake(meaning) || !parentId)) throw invalid('context.betId', 'is needed');
}

/**
 * A report that cannot be booked. `said`: its readable fields. An unknown type is replaced by `deposit`, because the response allows only
 * known types.
 */
export type UnreadReport = {
  reason: 'UNKNOWN_TYPE' | 'UNREADABLE';
  type: string;
  id: string;
  currency: string;
  said: Said;
};

/**
 * Parses a sportsbook transaction. A stake request is parsed strictly; if it is invalid, error.request.invalid is thrown. A report of an
 * event that has already happened is parsed leniently; if it is still unreadable, it is returned as `unread`, so that it can be stored.
 */
export function readCall(raw: Buffer): ReadTransaction | { unread: UnreadReport } {
  try {
    return readTransaction(raw);
  } catch (error) {
    const report = error instanceof AppError && error.status < 500 ? reportIn(raw) : undefined;
    if (!report) throw error;
    return report;
  }
}

const Ref = z
  .union([text(200), z.custom<Numeral>(isNumeral).transform(idOf)])
  .nullish()
  .transform((given) => given || undefined);
const Word = text(100).catch('');
const Stamp = z.iso
  .datetime({ offset: true })
  .max(40)
  .catch(() => new Date().toISOString());
const single = (value: unknown) => (Array.isArray(value) && value.length === 1 ? value[0] : value);

const Context = z.preprocess(
  single,
  z.looseObject({
    product: Word,
    reason: Word,
    betId: Ref,
    parentId: Ref,
    language: text(35).optional().catch(undefined),
  }),
);
/** Accepts any fields, because `reported` parses the amounts from the original digits. */
const Breakdown = z.preprocess(single, z.looseObject({}));
const ANY = {
  id: text(200).min(1),
  currency: text(16).min(1),
  platform: text(100).nullish().catch(null),
  initiatedAt: Stamp,
  createdAt: Stamp,
};
const LenientReport = z.object({ ...ANY, type: z.enum(TYPES), context: Context, amountBreakdown: Breakdown });
const Unread = z.object({
  ...ANY,
  id: ANY.id.catch(''),
  currency: ANY.currency.catch(''),
  type: text(200).min(1),
  context: Context.catch({
    product: '',
    reason: '',
    betId: undefined,
    parentId: undefined,
    language: undefined,
  }),
});

/**
 * Matches unknown types that probably request a stake. They must not get a success response, because the sportsbook would then accept the
 * bet although no stake was paid.
 */
const ASKS = /withdraw|debit|stake|wager|bet|hold|reserve|charge|purchase|buy|place|spend|risk|lock/;

/** Returns undefined if the message is not a report, because it requests a stake or has no readable type. */
function reportIn(raw: Buffer): ReadTransaction | { unread: UnreadReport } | undefined {
  const seen = unlessRejected(() => readReport(raw, Unread));
  if (!seen) return undefined;
  const type = seen.type.trim().toLowerCase();
  const meaning = meaningOf(type, seen.context.reason);
  if (meaning === undefined ? ASKS.test(type) : isStake(meaning)) return undefined;
  return unlessRejected(() => reported(raw)) ?? { unread: unreadOf(seen, type) };
}

function reported(raw: Buffer): ReadTransaction {
  const { amountBreakdown, ...shape } = readReport(raw, LenientReport);
  const fields = single(parseExact(raw.toString())) as { amountBreakdown: unknown };
  const written = single(fields.amountBreakdown) as Record<string, unknown>;
  const exact = Object.fromEntries(Object.entries(written).map(([name, value]) => [name, single(value)]));
  if (exact.cash === undefined || exact.cash === null) exact.cash = '';
  const known = { ...amountBreakdown, cash: '' };
  return transactionOf({ ...shape, amountBreakdown: known }, { ...fields, amountBreakdown: exact });
}

function unreadOf({ id, currency, platform = null, ...seen }: z.output<typeof Unread>, type: string) {
  const { initiatedAt, createdAt, context } = seen;
  const known = TYPES.find((name) => name === type);
  const isKnown = known !== undefined && meaningOf(type, context.reason) !== undefined;
  const amountBreakdown = { cash: '0', locked: '0', bonus: '0' };
  return {
    reason: isKnown ? ('UNREADABLE' as const) : ('UNKNOWN_TYPE' as const),
    type: `${type} ${context.reason}`.trim(),
    id,
    currency: currency.toUpperCase(),
    said: { platform, type: known ?? ('deposit' as const), initiatedAt, createdAt, context, amountBreakdown },
  };
}

function unlessRejected<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof AppError && error.status < 500) return undefined;
    throw error;
  }
}
