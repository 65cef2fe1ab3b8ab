import { createHmac } from 'node:crypto';
import { z } from 'zod';
import { readNotice } from '../../../../http/notice.ts';
import type { Clock } from '../../../../platform/clock.ts';
import type { Config } from '../../../../platform/config.ts';
import { isSameSecret } from '../../../../platform/encryption.ts';
import { commonErrors } from '../../../../platform/errors.ts';
import type { Log } from '../../../../platform/log.ts';
import type { Units } from '../../../../platform/money.ts';
import {
  createOutbound,
  NotSent,
  type Outbound,
  type OutboundAnswer,
  type OutboundRequest,
  Unanswered,
} from '../../../../platform/outbound.ts';
import { paymentErrors } from '../errors.ts';
import type { PayoutState } from '../provider.ts';
import { parseExact, readUnits } from './rules.ts';

export type ProviderDeps = { config: Config; log: Log; clock: Clock; timeoutMs?: number };

export const connect = (name: string, baseUrl: string, { log, timeoutMs }: ProviderDeps): Outbound =>
  createOutbound({ name, log, baseUrl: baseUrl.replace(/\/+$/, ''), ...(timeoutMs && { timeoutMs }) });

type Credentials = {
  headers: () => Record<string, string> | Promise<Record<string, string>>;
  /** Called when the provider does not accept them. */
  forget?: () => void;
};
export type Client = ReturnType<typeof createClient>;

/** Requests in JSON. Throws NotSent for one that was turned away before anybody looked into it: it may be made again. */
export function createClient(outbound: Outbound, { headers, forget }: Credentials) {
  const ask = async (request: OutboundRequest): Promise<OutboundAnswer> => {
    const json = { 'content-type': 'application/json' };
    const answer = await outbound.ask({ ...request, headers: { ...json, ...(await headers()) } });
    if (answer.status === 401 || answer.status === 403) forget?.();
    if ([401, 403, 429].includes(answer.status)) throw new NotSent(`answered ${answer.status}`);
    return answer;
  };
  return {
    get: (path: string, limits: { limitBytes?: number } = {}) => ask({ method: 'GET', path, ...limits }),
    post: (path: string, body: object) => ask({ method: 'POST', path, body: JSON.stringify(body) }),
  };
}

/** Asks a provider. Where it does not answer for certain, tells `log` why and throws 503 SERVICE_UNAVAILABLE. */
export async function orUnavailable<T>(ask: () => Promise<T>, log: (error: string) => void): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof NotSent || error instanceof Unanswered)) throw error;
    log(error.message);
    throw commonErrors.SERVICE_UNAVAILABLE();
  }
}

/** How text becomes a document: `parseExact` where amounts are numbers. */
type Parse = (text: string) => unknown;

/** The body of an answer. One that cannot be read says nothing: throws Unanswered. */
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

/** The body of a successful answer: `statuses` are those of success. Throws Unanswered for any other. */
export function resultOf<S extends z.ZodType>(
  answer: OutboundAnswer,
  schema: S,
  { statuses = [200], parse }: { statuses?: readonly number[]; parse?: Parse } = {},
): z.output<S> {
  if (!statuses.includes(answer.status)) throw new Unanswered(`answered ${answer.status}`);
  return bodyOf(answer, schema, parse);
}

/** The state of a payout that has a transaction as soon as it is sent. */
export const stateOf = (known: Omit<PayoutState, 'confirmations'>): PayoutState => ({
  ...known,
  confirmations: 0,
  status: known.status === 'PROCESSING' && known.txHash ? 'SENT' : known.status,
  failedReason: known.status === 'FAILED' ? known.failedReason : null,
});

/** The state of a payout that was certainly not made. */
export const refused = (failedReason: string): PayoutState =>
  stateOf({ status: 'FAILED', externalId: null, txHash: null, failedReason });

/** Longer than a request can be on its way, or a list can take to show what it led to. */
const SETTLED_MS = 10 * 60_000;

/**
 * A list without a payout says something only once the request cannot be on its way any more: before that a second one would be paid
 * too. Throws Unanswered until then.
 */
export function assertSettled(sentAt: Date, clock: Clock): undefined {
  if (clock.now() - sentAt.getTime() < SETTLED_MS) throw new Unanswered('not there yet: it may still come');
  return undefined;
}

type MethodKey = { currencyId: string; networkId: string };

/** The ids that a provider has for currencies on networks, by `currencyId:networkId`. */
export function createMethodIds(ids: Readonly<Record<string, string>>) {
  const find = ({ currencyId, networkId }: MethodKey) => ids[`${currencyId}:${networkId}`];
  return {
    find,
    /** Throws 404 PAYMENT_METHOD_NOT_FOUND. */
    get(method: MethodKey): string {
      const id = find(method);
      if (!id) throw paymentErrors.PAYMENT_METHOD_NOT_FOUND(method);
      return id;
    },
    methodOf(id: string | null | undefined): MethodKey | undefined {
      const key = Object.keys(ids).find((one) => ids[one] === id);
      if (key === undefined) return undefined;
      const [currencyId = '', networkId = ''] = key.split(':');
      return { currencyId, networkId };
    },
  };
}

/** Whether the HMAC of one of the texts under one of the secrets is this one, in hexadecimal digits. */
export const isMacOf = (
  texts: readonly (string | Buffer)[],
  { mac, secrets, algorithm }: { mac: string; secrets: readonly string[]; algorithm: 'sha256' | 'sha512' },
): boolean =>
  secrets
    .flatMap((secret) => texts.map((text) => createHmac(algorithm, secret).update(text).digest('hex')))
    .map((valid) => isSameSecret(valid, mac))
    .includes(true);

/** The body of a webhook whose amounts are numbers: each number is read as the text it was written in. Throws 400 VALIDATION_FAILED. */
export function readExactly<S extends z.ZodType>(raw: Buffer, schema: S): z.output<S> {
  readNotice(raw, z.looseObject({}));
  const parsed = schema.safeParse(parseExact(raw.toString()));
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.slice(0, 20);
  throw invalid(...issues.map(({ path, message }) => ({ path: path.join('.'), message })));
}

/** The amount in a webhook. Throws 400 VALIDATION_FAILED. */
export function readAmount(path: string, text: string): Units {
  const amount = readUnits(text);
  if (amount === undefined) throw invalid({ path, message: 'needs to be an amount' });
  return amount;
}

/** 400 VALIDATION_FAILED. */
export const invalid = (...fields: { path: string; message: string }[]) =>
  commonErrors.VALIDATION_FAILED({ fields });
