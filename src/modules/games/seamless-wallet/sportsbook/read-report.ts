import { z } from 'zod';
import { text } from '../../../../http/schemas.ts';
import { AppError } from '../../../../platform/errors.ts';
import { idOf, isNumeral, type Numeral, parseExact } from '../../../../platform/exact-json.ts';
import { readReport } from '../../../base/webhooks/report.ts';
import { isStake, type ReadTransaction, readTransaction, type Said, transactionOf } from './read.ts';
import { meaningOf } from './rules.ts';
import { TYPES } from './schemas.ts';

/** A report that cannot be booked. `said`: its readable fields. An unknown type becomes `deposit`, as the response allows only known types. */
export type UnreadReport = {
  reason: 'UNKNOWN_TYPE' | 'UNREADABLE';
  type: string;
  id: string;
  currency: string;
  said: Said;
};

/**
 * Reads a sportsbook transaction. A stake request is read strictly and throws error.request.invalid. A report of something that has already
 * happened is read leniently; if it is still unreadable, it is returned as `unread`, so that it can be stored.
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
/** Accepts any fields, because `reported` reads the amounts from the original digits. */
const Breakdown = z.preprocess(single, z.looseObject({}));
const ANY = {
  id: text(200).min(1),
  currency: text(16).min(1),
  platform: text(100).nullish().catch(null),
  initiatedAt: Stamp,
  createdAt: Stamp,
};
const Reported = z.object({ ...ANY, type: z.enum(TYPES), context: Context, amountBreakdown: Breakdown });
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

/** Matches unknown types that probably request a stake: a success response would accept the bet without its stake. */
const ASKS = /withdraw|debit|stake|wager|bet|hold|reserve|charge|purchase|buy|place|spend|risk|lock/;

/** Returns undefined if the message is not a report: it requests a stake or has no readable type. */
function reportIn(raw: Buffer): ReadTransaction | { unread: UnreadReport } | undefined {
  const seen = unlessRejected(() => readReport(raw, Unread));
  if (!seen) return undefined;
  const type = seen.type.trim().toLowerCase();
  const meaning = meaningOf(type, seen.context.reason);
  if (meaning === undefined ? ASKS.test(type) : isStake(meaning)) return undefined;
  return unlessRejected(() => reported(raw)) ?? { unread: unreadOf(seen, type) };
}

function reported(raw: Buffer): ReadTransaction {
  const { amountBreakdown, ...shape } = readReport(raw, Reported);
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
