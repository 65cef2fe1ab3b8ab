import { createHmac } from 'node:crypto';
import type { z } from 'zod';
import type { Clock } from '../../../../platform/clock.ts';
import type { Config } from '../../../../platform/config/config.ts';
import { commonErrors, invalidField } from '../../../../platform/errors.ts';
import { parseExact } from '../../../../platform/exact-json.ts';
import type { Units } from '../../../../platform/money.ts';
import {
  createOutbound,
  NotSent,
  type Outbound,
  type OutboundAnswer,
  type OutboundRequest,
  Unanswered,
} from '../../../../platform/net/outbound.ts';
import type { Log } from '../../../../platform/observability/log.ts';
import { isSameSecret } from '../../../../platform/secrets/encryption.ts';
import { paymentErrors } from '../errors.ts';
import type { PayoutState } from '../provider.ts';
import { readCut } from './rules.ts';

export type ProviderDeps = { config: Config; log: Log; clock: Clock; timeoutMs?: number };

export const connect = (name: string, baseUrl: string, { log, timeoutMs }: ProviderDeps): Outbound =>
  createOutbound({ name, log, baseUrl: baseUrl.replace(/\/+$/, ''), ...(timeoutMs && { timeoutMs }) });

type Credentials = {
  headers: () => Record<string, string> | Promise<Record<string, string>>;
  /** Called when the provider rejects the credentials. */
  forget?: () => void;
};
export type Client = ReturnType<typeof createClient>;

/** A JSON client. Throws NotSent for a request that was rejected before processing (401, 403, 429), so it is safe to retry. */
export function createClient(outbound: Outbound, { headers, forget }: Credentials) {
  const send = async (request: OutboundRequest): Promise<OutboundAnswer> => {
    const json = { 'content-type': 'application/json' };
    const answer = await outbound.ask({ ...request, headers: { ...json, ...(await headers()) } });
    if (answer.status === 401 || answer.status === 403) forget?.();
    if ([401, 403, 429].includes(answer.status)) throw new NotSent(`answered ${answer.status}`);
    return answer;
  };
  return {
    get: (path: string, limits: { limitBytes?: number } = {}) => send({ method: 'GET', path, ...limits }),
    post: (path: string, body: object) => send({ method: 'POST', path, body: JSON.stringify(body) }),
  };
}

/** Calls a provider. If the outcome is uncertain, logs the error through `log` and throws 503 SERVICE_UNAVAILABLE. */
export async function orUnavailable<T>(call: () => Promise<T>, log: (error: string) => void): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof NotSent || error instanceof Unanswered)) throw error;
    log(error.message);
    throw commonErrors.SERVICE_UNAVAILABLE();
  }
}

/** Parses a response. `parseExact` preserves all digits of amounts that are JSON numbers. */
type Parse = (text: string) => unknown;

/** Returns the body of a response. Throws Unanswered if it cannot be read. */
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

/** Returns the body of a successful response. Throws Unanswered if the status is not in `statuses`. */
export function resultOf<S extends z.ZodType>(
  answer: OutboundAnswer,
  schema: S,
  { statuses = [200], parse }: { statuses?: readonly number[]; parse?: Parse } = {},
): z.output<S> {
  if (!statuses.includes(answer.status)) throw new Unanswered(`answered ${answer.status}`);
  return bodyOf(answer, schema, parse);
}

/** Returns a payout's state; a transaction hash means that the payout was sent. */
export const stateOf = (state: Omit<PayoutState, 'confirmations'>): PayoutState => ({
  ...state,
  confirmations: 0,
  status: state.status === 'PROCESSING' && state.txHash ? 'SENT' : state.status,
  failedReason: state.status === 'FAILED' ? state.failedReason : null,
});

/** Returns the state of a payout that the provider definitely did not make. */
export const refused = (failedReason: string): PayoutState =>
  stateOf({ status: 'FAILED', externalId: null, txHash: null, failedReason });

/** This is longer than a request can be in transit and longer than the provider's list can be outdated. */
const SETTLED_MS = 10 * 60_000;

/**
 * A list without the payout proves that the payout does not exist only after the request can no longer be in transit. A retry before that
 * could pay twice. Throws Unanswered until then.
 */
export function assertSettled(sentAt: Date, clock: Clock): undefined {
  if (clock.now() - sentAt.getTime() < SETTLED_MS)
    throw new Unanswered('payout not listed yet; the request may still be in transit');
  return undefined;
}

type MethodKey = { currencyId: string; networkId: string };

/** Translates between our methods and a provider's ids. The keys of `ids` are `currencyId:networkId`. */
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

/** Returns true if `mac` is the hexadecimal HMAC of one of the texts, computed with one of the secrets. */
export const isMacOf = (
  texts: readonly (string | Buffer)[],
  { mac, secrets, algorithm }: { mac: string; secrets: readonly string[]; algorithm: 'sha256' | 'sha512' },
): boolean =>
  secrets
    .flatMap((secret) => texts.map((text) => createHmac(algorithm, secret).update(text).digest('hex')))
    .map((valid) => isSameSecret(valid, mac))
    .includes(true);

/** Reads an amount in a webhook. `isCut`: digits below our smallest unit were removed. Throws 400 VALIDATION_FAILED. */
export function readAmount(path: string, text: string): { amount: Units; isCut: boolean } {
  const read = readCut(text);
  if (read === undefined) throw invalidField(path, 'must be an amount');
  return read;
}

/** Maps a provider's status to ours. Returns undefined for an unknown status. */
export const meaningIn = <T>(statuses: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(statuses, name) ? statuses[name] : undefined;
