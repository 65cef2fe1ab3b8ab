import type { z } from 'zod';
import { readNotice } from '../../../../http/notice.ts';
import { AppError } from '../../../../platform/errors.ts';
import { parseExact } from '../../../../platform/exact-json.ts';
import { formatUnits, type Units } from '../../../../platform/money.ts';
import type { Action } from '../engine/call.ts';
import type { ActionType } from '../engine/rules.ts';
import { type Reported, reportedUnits } from '../providers/dialects/amounts/rules.ts';
import { unknownFields } from '../providers/dialects/body.ts';
import { sportsbookErrors } from './errors.ts';
import { type Decides, decidesOf, type Meaning, meaningOf } from './rules.ts';
import { SportsbookCall, type TRANSACTION } from './schemas.ts';

/** The stored part of a transaction, which is returned again. */
export type Said = Omit<z.output<z.ZodObject<typeof TRANSACTION>>, 'id' | 'playerId' | 'currency'>;

/** A transaction in our own terms. `betId`: of the bet that it is for, where it says so. */
export type ReadTransaction = {
  meaning: Meaning;
  /** Only for settlements. */
  decides: Decides;
  currencyId: string;
  betId: string | undefined;
  action: Action & { payload: Said };
  /** Names of unknown fields. */
  unknown: readonly string[] | undefined;
};

/** Fields of a transaction, from either the strict or the lenient schema. */
export type Shape = z.output<typeof SportsbookCall>;

/** Limit for a stored transaction, which includes the legs of a combination bet. */
const MOST_BYTES = 16 * 1024;

const TYPES: Readonly<Record<Meaning, ActionType>> = {
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

/** Returns true if a transaction requests a stake. All others report something that has already happened. */
export const isStake = (meaning: Meaning): boolean => meaning === 'bet' || meaning === 'freebet';

/** Reads a transaction strictly: each known field needs its type. Throws error.request.invalid. */
export const readTransaction = (raw: Buffer): ReadTransaction =>
  transactionOf(readShape(raw), parseExact(raw.toString()) as { amountBreakdown: object });

/**
 * Converts a body of the right shape to a transaction. Reads amounts from their digits, as strings or JSON numbers in any notation, and never
 * as floats. In a report, digits below our smallest unit are cut towards zero; a stake with such digits is rejected. `fields`: the same body
 * with numbers as written. Throws error.request.invalid.
 */
export function transactionOf(shape: Shape, fields: { amountBreakdown: object }): ReadTransaction {
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
    type: TYPES[meaning],
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

/** Rejects a stake request that is too long. Reduces a report that is too long to the fields that we use. */
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

/** Reads the amounts. `said`: the cash amount as written, if digits were cut off. A report needs only cash, as nothing else moves money. */
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
