import type { z } from 'zod';
import { readNotice } from '../../../http/notice.ts';
import { AppError } from '../../../platform/errors.ts';
import { formatUnits, parseUnits, type Units } from '../../../platform/money.ts';
import type { Action } from '../provider-wallets/call.ts';
import type { ActionType } from '../provider-wallets/rules.ts';
import { sportsbookErrors } from './errors.ts';
import { type Meaning, meaningOf } from './rules.ts';
import { SportsbookCall, type SportsbookTransaction } from './schemas.ts';

/** What is kept of a transaction, and shown again. */
export type Said = Omit<z.output<typeof SportsbookTransaction>, 'id' | 'playerId' | 'currency'>;

/** A transaction in our own terms. `betId`: of the bet that it is for, where it says so. */
export type ReadTransaction = {
  meaning: Meaning;
  currencyId: string;
  betId: string | undefined;
  action: Action & { payload: Said };
};

/** The legs of a combination are kept with it. */
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

/** Throws error.request.invalid. Amounts are read by their digits, as text or as JSON numbers: never through a float. */
export function readTransaction(raw: Buffer): ReadTransaction {
  const { id, currency, type, context, amountBreakdown, ...rest } = readShape(raw);
  const meaning = meaningOf(type, context.reason);
  if (!meaning) throw invalid('context.reason', 'is not known with this type');
  const amounts = amountsOf(raw);
  const { cash } = amounts;
  const { betId, parentId } = context;
  assertNamed(meaning, betId, parentId);
  const { initiatedAt, createdAt, platform = null } = rest;
  const shown = Object.fromEntries(
    Object.entries(amounts).map(([name, units]) => [name, formatUnits(units)]),
  );
  const said = { platform, type, initiatedAt, createdAt, context };
  const payload: Said = { ...said, amountBreakdown: { ...amountBreakdown, ...(shown as ShownAmounts) } };
  if (Buffer.byteLength(JSON.stringify(payload)) > MOST_BYTES)
    throw invalid('context', `is longer than ${MOST_BYTES} bytes`);
  const action = {
    type: TYPES[meaning],
    id,
    amount: TAKES.has(meaning) ? -cash : cash,
    isFree: meaning === 'freebet' && cash === 0n,
    reference: parentId,
    named: `${type} ${context.reason}`,
    payload,
  };
  return { meaning, currencyId: currency, betId, action };
}

function readShape(raw: Buffer): z.output<typeof SportsbookCall> {
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

/** The amounts of a body of the right shape: numbers as they were written. */
function amountsOf(raw: Buffer): Record<(typeof AMOUNTS)[number], Units> {
  const asWritten = (_key: string, value: unknown, written?: { source?: string }) =>
    typeof value === 'number' ? written?.source : value;
  const { amountBreakdown } = JSON.parse(raw.toString(), asWritten as typeof plain) as {
    amountBreakdown: Partial<ShownAmounts>;
  };
  const read = (name: (typeof AMOUNTS)[number]): Units => {
    const units = parseUnits(amountBreakdown[name] ?? '0');
    if (units === undefined)
      throw invalid(`amountBreakdown.${name}`, 'needs to be a decimal number with at most 8 decimals');
    return units;
  };
  return { cash: read('cash'), locked: read('locked'), bonus: read('bonus') };
}
const plain = (_key: string, value: unknown): unknown => value;

function assertNamed(meaning: Meaning, betId: string | undefined, parentId: string | undefined): void {
  if (meaning === 'rollback' && !parentId) throw invalid('context.parentId', 'is needed');
  const isOfBet = meaning !== 'rollback' && meaning !== 'grant' && meaning !== 'retract';
  const isBet = meaning === 'bet' || meaning === 'freebet';
  if (isOfBet && !betId && (isBet || !parentId)) throw invalid('context.betId', 'is needed');
}
