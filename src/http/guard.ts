import type { FastifyRequest } from 'fastify';
import { addressOf } from '../platform/address.ts';
import { AppError, commonErrors } from '../platform/errors.ts';
import { isOwnOrigin } from '../platform/origins.ts';
import { assertAccess, type SessionUser } from './access.ts';
import type { AppOptions } from './options.ts';
import { countRequest } from './rate-limit.ts';
import type { LimitClass, Route } from './route.ts';
import { credentials, mfaCodeOf } from './session.ts';

type Done = (error?: Error) => void;

/**
 * Identity, rights, rate and, where the route asks for it, the second factor, in that order and before the body is read. Waits
 * only for tokens not seen before, for API keys and for second factors. Refusals count against the address that they come from; when there were too many, nothing more is looked up for it.
 */
export function createGuard(route: Route, options: AppOptions) {
  const limit = limitOf(route);
  const admit = (request: FastifyRequest, user: SessionUser | undefined) => {
    request.user = user;
    assertAccess(route.access, user);
    // Partners send many notices from few addresses: of signed routes refusals are counted only.
    if (route.access === 'signature') assertFewRefusals(request, options);
    else if (route.access !== 'apikey')
      countRequest(options.limiter, limit, user && limit !== 'auth' ? `u${user.id}` : addressOf(request.ip));
    assertMediaType(request, route);
  };
  const refuse = (request: FastifyRequest, error: unknown, done: Done) =>
    done(overRun(error, request, options) as Error);
  const stepUp = (request: FastifyRequest) => options.stepUp(request.user!, mfaCodeOf(request));
  return (request: FastifyRequest, _reply: unknown, done: Done) => {
    try {
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

/** Where a session is not needed one that has ended is none. */
function withoutSession(error: unknown, { access }: Route): undefined {
  if (access === 'anonymous' && error instanceof AppError && error.status === 401) return undefined;
  throw error;
}

/** Checks a call again that had to wait: its session may have ended, its rights may have gone. Throws 401, 403. */
export async function admitAgain(request: FastifyRequest, route: Route, options: AppOptions): Promise<void> {
  const token = sessionToken(request, route, options)!;
  request.user = options.auth.peek(token) ?? (await options.auth.verify(token));
  assertAccess(route.access, request.user);
}

/** The refusal itself, or 429 when too many of them came from one address. */
export function overRun(error: unknown, request: FastifyRequest, options: AppOptions): unknown {
  if (!(error instanceof AppError) || (error.status !== 401 && error.status !== 403)) return error;
  try {
    countRequest(options.limiter, 'public', refusalsOf(request));
    return error;
  } catch (limited) {
    return limited;
  }
}

/** Counted apart from other requests of the address: anonymous visitors must not lock out players and partners on the same address. */
const refusalsOf = (request: FastifyRequest) => `refused ${addressOf(request.ip)}`;

/** Before the database is asked who calls: throws 429 when too many requests of this address were refused. */
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

/** The class of its rate limit. */
export function limitOf(route: Route): LimitClass {
  if (route.limit) return route.limit;
  if (route.multipart) return 'upload';
  if (route.gate !== undefined && route.gate !== 'none') return 'money';
  return route.access === 'anonymous' ? 'public' : 'read';
}

function sessionToken(request: FastifyRequest, route: Route, { config }: AppOptions): string | undefined {
  const found = credentials(request.raw.headers.authorization, request.ownCookies);
  if (found?.isCookie && route.method !== 'GET' && !isOwnOrigin(request.headers, config)) {
    throw new AppError(403, 'FORBIDDEN', 'A request that signs in by cookie needs the Origin of this site.');
  }
  return found?.token;
}

/** Browsers say where a request comes from; a link or an image of another site must not change anything here. */
function assertSameSite(request: FastifyRequest, { config }: AppOptions): void {
  if (request.headers['sec-fetch-site'] === 'cross-site' && !isOwnOrigin(request.headers, config))
    throw new AppError(403, 'FORBIDDEN', "Another site's page may not make this request.");
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
