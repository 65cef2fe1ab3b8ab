import type { FastifyRequest } from 'fastify';
import { AppError, commonErrors } from '../../platform/errors.ts';
import { addressOf } from '../../platform/net/address.ts';
import { foreignOrigin, isOwnHost, isOwnOrigin } from '../../platform/net/origins.ts';
import { assertAccess, type SessionUser } from '../access.ts';
import type { LimitClass, Route } from '../route.ts';
import type { AppOptions } from './options.ts';
import { countRequest } from './rate-limit.ts';
import { credentials, mfaCodeOf } from './session.ts';

type Done = (error?: Error) => void;

/**
 * Checks identity, permissions, rate limit and, if the route requires it, the second factor, in this order and before the body is read.
 * Queries the database only for unknown tokens, API keys and second factors. Rejections count against the caller's address. Once an address
 * has too many rejections, its requests are rejected without a look-up.
 */
export function createGuard(route: Route, options: AppOptions) {
  const limit = limitOf(route);
  const isDebug = route.path.startsWith('/debug/');
  const admit = (request: FastifyRequest, user: SessionUser | undefined) => {
    request.user = user;
    assertAccess(route.access, user);
    // Only rejected requests are counted on signed routes, because partners send many messages from few addresses.
    if (route.access === 'signature') assertFewRefusals(request, options);
    else if (route.access !== 'apikey')
      countRequest(
        options.limiter,
        limit,
        user && limit !== 'auth' ? `u${user.id}` : addressOf(request.clientIp),
      );
    assertMediaType(request, route);
  };
  const refuse = (request: FastifyRequest, error: unknown, done: Done) =>
    done(overRun(error, request, options) as Error);
  const stepUp = (request: FastifyRequest) => options.stepUp(request.user!, mfaCodeOf(request));
  return (request: FastifyRequest, _reply: unknown, done: Done) => {
    try {
      if (isDebug) assertOwnPage(request, options);
      if (route.hasSideEffect) assertSameSite(request, options);
      if (route.access === 'apikey') return void checkKey(request, route, options).then(() => done(), done);
      const isOpen = (route.access === 'anonymous' && !route.readsSession) || route.access === 'signature';
      const token = isOpen ? undefined : sessionToken(request, route, options);
      if (token === undefined) admit(request, undefined);
      else {
        const known = options.auth.peek(token);
        if (!known) {
          assertFewRefusals(request, options);
          options.auth
            .verify(token)
            .catch((error: unknown) => withoutSession(error, route))
            .then((user) => admit(request, user))
            .then(() => (route.stepUp === true ? stepUp(request) : undefined))
            .then(
              () => done(),
              (error: unknown) => refuse(request, error, done),
            );
          return;
        }
        admit(request, known);
      }
      if (route.stepUp !== true) return done();
      stepUp(request).then(
        () => done(),
        (error: unknown) => refuse(request, error, done),
      );
    } catch (error) {
      refuse(request, error, done);
    }
  };
}

/** Treats a caller whose session has expired as anonymous on routes that do not require a session. */
function withoutSession(error: unknown, { access }: Route): undefined {
  if (access === 'anonymous' && error instanceof AppError && error.status === 401) return undefined;
  throw error;
}

/**
 * Repeats the access checks for a call that has waited, because its session may have ended or its permissions may have been removed in the
 * meantime. Throws 401, 403.
 */
export async function admitAgain(request: FastifyRequest, route: Route, options: AppOptions): Promise<void> {
  const token = sessionToken(request, route, options)!;
  request.user = options.auth.peek(token) ?? (await options.auth.verify(token));
  assertAccess(route.access, request.user);
}

/** Counts a 401 or 403 against the caller's address. Returns the error itself, or 429 if the address has had too many rejections. */
export function overRun(error: unknown, request: FastifyRequest, options: AppOptions): unknown {
  if (!(error instanceof AppError) || (error.status !== 401 && error.status !== 403)) return error;
  try {
    countRefusal(request, options);
    return error;
  } catch (limited) {
    return limited;
  }
}

/** Counts a rejected request. Throws 429 RATE_LIMITED if too many requests from this address were rejected. */
export const countRefusal = (request: FastifyRequest, { limiter }: AppOptions): void =>
  countRequest(limiter, 'public', refusalsOf(request));

/** Rejections have their own counter. With a shared counter, anonymous visitors could lock out players and partners on the same address. */
const refusalsOf = (request: FastifyRequest) => `refused ${addressOf(request.clientIp)}`;

/** Throws 429 if too many requests from this address were rejected. This check runs before the caller is looked up in the database. */
function assertFewRefusals(request: FastifyRequest, { limiter }: AppOptions): void {
  const wait = limiter.peek('public', refusalsOf(request));
  if (wait > 0) throw commonErrors.RATE_LIMITED({ retryAfterSeconds: wait });
}

async function checkKey(request: FastifyRequest, route: Route, options: AppOptions): Promise<void> {
  assertFewRefusals(request, options);
  const key = request.headers['x-api-key'];
  const given = typeof key === 'string' ? key : undefined;
  try {
    if (route.keyCheck) await route.keyCheck(given);
    else request.apiClient = await options.apiKeys(given);
  } catch (error) {
    throw overRun(error, request, options);
  }
  if (request.apiClient) countRequest(options.limiter, 'apikey', request.apiClient.keyId);
  assertMediaType(request, route);
}

/** Returns the rate limit class of a route. */
export function limitOf(route: Route): LimitClass {
  if (route.limit) return route.limit;
  if (route.multipart) return 'upload';
  if (route.gate !== undefined && route.gate !== 'none') return 'money';
  return route.access === 'anonymous' ? 'public' : 'read';
}

function sessionToken(request: FastifyRequest, route: Route, { config }: AppOptions): string | undefined {
  const found = credentials(request.raw.headers.authorization, request.ownCookies);
  if (found?.isCookie && route.method !== 'GET' && !isOwnOrigin(request.headers, config))
    throw foreignOrigin(request.headers);
  return found?.token;
}

/** Rejects requests sent by a page of another site, because links and images on such a page must not change anything here. */
function assertSameSite(request: FastifyRequest, { config }: AppOptions): void {
  if (request.headers['sec-fetch-site'] === 'cross-site' && !isOwnOrigin(request.headers, config))
    throw foreignOrigin(request.headers);
}

/**
 * Rejects calls from other sites. Debug routes exist only in development and need no session. Without this check any page open in a
 * developer's browser could call them, with a simple request or through a DNS name that an attacker points to this machine (DNS rebinding).
 */
function assertOwnPage({ headers }: FastifyRequest, { config }: AppOptions): void {
  const isFromPage = headers.origin !== undefined || headers['sec-fetch-site'] === 'cross-site';
  if (isFromPage && !isOwnOrigin(headers, config)) throw foreignOrigin(headers);
  if (!isOwnHost(headers.host, config))
    throw new AppError(
      403,
      commonErrors.ORIGIN_FORBIDDEN.code,
      'Call debug routes by a name of this machine or of SITE_ORIGINS.',
      {
        host: headers.host?.slice(0, 200),
      },
    );
}

const JSON_TYPE = /^application\/json *(;|$)/i;
const FORM = /^application\/x-www-form-urlencoded *(;|$)/i;
const MULTIPART = /^multipart\/form-data *;/i;

function assertMediaType({ headers }: FastifyRequest, route: Route): void {
  const type = headers['content-type'];
  const isTaken = route.form
    ? type === undefined || FORM.test(type)
    : type === undefined ||
      (type === 'application/json' && route.multipart === undefined) ||
      (route.multipart !== undefined && MULTIPART.test(type)) ||
      ((route.multipart === undefined || route.body !== undefined) && JSON_TYPE.test(type));
  if (!isTaken || headers['content-encoding'] !== undefined) throw commonErrors.UNSUPPORTED_MEDIA_TYPE();
}
