import { z } from 'zod';
import { readNotice } from '../../../../http/notice.ts';
import type { Clock } from '../../../../platform/clock.ts';
import { commonErrors } from '../../../../platform/errors.ts';
import type { Units } from '../../../../platform/money.ts';
import { NotSent, type OutboundAnswer, Unanswered } from '../../../../platform/outbound.ts';
import type { PayoutState } from '../provider.ts';
import { parseExact, readUnits } from './rules.ts';

/** How text becomes a document: `parseExact` where amounts are numbers. */
type Parse = (text: string) => unknown;

/** The body of an answer. What cannot be read says nothing: throws Unanswered. */
export function bodyOf<S extends z.ZodType>(
  { status, text }: OutboundAnswer,
  schema: S,
  parse: Parse = parseExact,
): z.output<S> {
  try {
    return schema.parse(parse(text));
  } catch (error) {
    throw new Unanswered(`answered ${status} with a body that cannot be read`, { cause: error });
  }
}

/** Turned away before anybody looked into the request: it may be made again. Throws NotSent. */
export function assertHeard({ status }: OutboundAnswer): void {
  if ([401, 403, 429].includes(status)) throw new NotSent(`answered ${status}`);
}

/** The body of a notice whose amounts are numbers: each number in it is a numeral. Throws 400 VALIDATION_FAILED. */
export function noticeOf<S extends z.ZodType>(raw: Buffer, schema: S): z.output<S> {
  readNotice(raw, z.looseObject({}));
  const parsed = schema.safeParse(parseExact(raw.toString()));
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.slice(0, 20);
  throw invalid(...issues.map(({ path, message }) => ({ path: path.join('.'), message })));
}

/** The amount of a notice. Throws 400 VALIDATION_FAILED. */
export function noticedUnits(path: string, text: string): Units {
  const amount = readUnits(text);
  if (amount === undefined) throw invalid({ path, message: 'needs to be an amount' });
  return amount;
}

/** 400 VALIDATION_FAILED. */
export const invalid = (...fields: { path: string; message: string }[]) =>
  commonErrors.VALIDATION_FAILED({ fields });

/** Certainly not paid, for a reason. */
export const refused = (failedReason: string): PayoutState => ({
  status: 'FAILED',
  externalId: null,
  txHash: null,
  confirmations: 0,
  failedReason,
});

/** Longer than a request can be on its way, or a list take to show what it led to. */
const SETTLED_MS = 10 * 60_000;

/**
 * A list without a payout says something only once the request cannot be on its way any more, where a second one would be paid
 * too. Before that throws Unanswered.
 */
export function assertSettled(sentAt: Date, clock: Clock): undefined {
  if (clock.now() - sentAt.getTime() < SETTLED_MS) throw new Unanswered('not there yet: it may still come');
  return undefined;
}
