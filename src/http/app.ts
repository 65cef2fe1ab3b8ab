import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import fastifyCookie from '@fastify/cookie';
import fastifyCors from '@fastify/cors';
import fastifyHelmet from '@fastify/helmet';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Config } from '../platform/config.ts';
import { AppError, commonErrors } from '../platform/errors.ts';
import type { Log } from '../platform/log.ts';
import type { Metrics } from '../platform/metrics.ts';
import { type Authenticator, assertAccess, type SessionUser } from './access.ts';
import { parseJson } from './body.ts';
import { answerOurselves, CSP, HSTS, refuseConnection, routableUrl } from './connection.ts';
import { registerDocs } from './docs.ts';
import { type RateLimiter, sourceOf } from './rate-limit.ts';
import { assertRoutes, type Context, type LimitClass, type Route } from './route.ts';
import { authorizationOf, credentials, isOwnOrigin, tokenOf } from './session.ts';
import { assertEmpty, bodyReader, pathReader, textReader } from './validation.ts';
import { toWire } from './wire.ts';

export type AppOptions = {
  title: string;
  description: string;
  routes: readonly Route[];
  config: Config;
  log: Log;
  metrics: Metrics;
  limiter: RateLimiter;
  auth: Authenticator;
  isUnavailable: (error: unknown) => boolean;
  /** Checks the header x-captcha-token of routes with `captcha`; throws when it is not good. */
  captcha: (token: string | undefined, ip: string) => Promise<void>;
};

declare module 'fastify' {
  interface FastifyRequest {
    user: SessionUser | undefined;
  }
}

/** Builds one HTTP service from its routes. Throws when a route says too little to be safe (assertRoutes). */
export async function createApp(options: AppOptions): Promise<FastifyInstance> {
  assertRoutes(options.routes);
  const app = createServer(options);
  await registerPlugins(app, options);
  registerErrors(app, options);
  answerOurselves(app);
  app.decorateRequest('user', undefined);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, raw, done) => {
    try {
      done(null, parseJson(raw as Buffer));
    } catch (error) {
      done(error as Error);
    }
  });
  for (const route of options.routes) registerRoute(app, route, options);
  registerMetrics(app, options);
  await registerDocs(app, options);
  return app;
}

const MAX_HEADER_BYTES = 16 * 1024;

function createServer({ config }: AppOptions): FastifyInstance {
  return Fastify({
    logger: false,
    bodyLimit: config.BODY_LIMIT_BYTES,
    requestTimeout: config.REQUEST_TIMEOUT_MS,
    keepAliveTimeout: 65_000,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    trustProxy: config.TRUSTED_PROXIES.length > 0 ? config.TRUSTED_PROXIES : false,
    genReqId: () => randomUUID(),
    requestIdHeader: false,
    exposeHeadRoutes: false,
    rewriteUrl: ({ url = '/' }) => routableUrl(url),
    // As long as a header may be: schemas bound parameters, and the router's own refusal would go past every hook.
    routerOptions: { maxParamLength: MAX_HEADER_BYTES, querystringParser: parseQuery },
    http: {
      headersTimeout: config.HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: 1000,
      maxHeaderSize: MAX_HEADER_BYTES,
      requireHostHeader: false,
    },
    clientErrorHandler: (error, socket) => refuseConnection(error, socket as Socket, config.secureCookies),
  });
}

async function registerPlugins(app: FastifyInstance, { config }: AppOptions): Promise<void> {
  await app.register(fastifyHelmet, {
    contentSecurityPolicy: { useDefaults: false, directives: CSP },
    hsts: config.secureCookies ? HSTS : false,
    // These speak to browsers that render pages; the API answers data, and each header costs every request.
    crossOriginOpenerPolicy: false,
    originAgentCluster: false,
    dnsPrefetchControl: false,
    ieNoOpen: false,
    permittedCrossDomainPolicies: false,
    xssFilter: false,
  });
  await app.register(fastifyCors, {
    origin: (origin, done) => done(null, origin !== undefined && config.SITE_ORIGINS.includes(origin)),
    credentials: true,
    methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    exposedHeaders: ['retry-after', 'x-request-id'],
    maxAge: 600,
    // Its own refusal is plain text.
    strictPreflight: false,
  });
  await app.register(fastifyCookie);
}

/** The client went away before its body was complete: nothing failed on our side. */
const CUT_OFF = () =>
  commonErrors.VALIDATION_FAILED({ fields: [{ path: '', message: 'The body is not complete.' }] });

function registerErrors(app: FastifyInstance, { log, metrics, isUnavailable }: AppOptions): void {
  app.setNotFoundHandler((request, reply) => {
    const { body } = toWire(commonErrors.NOT_FOUND(), request.id, isUnavailable);
    return reply.code(404).send(body);
  });
  app.setErrorHandler((error, request, reply) => {
    const isCut = request.raw.errored !== null && error === request.raw.errored;
    const { body, headers, expected } = toWire(isCut ? CUT_OFF() : error, request.id, isUnavailable);
    if (!expected) {
      const facts = { requestId: request.id, route: request.routeOptions.url, code: body.code };
      log.error(
        { ...facts, error: error instanceof Error ? (error.stack ?? error.message) : String(error) },
        'request failed',
      );
    }
    return reply.code(body.statusCode).headers(headers).send(body);
  });
  let closing = false;
  app.addHook('preClose', (done) => {
    closing = true;
    done();
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    reply.header('x-request-id', request.id);
    if (reply.getHeader('cache-control') === undefined) reply.header('cache-control', 'no-store');
    if (closing) reply.header('connection', 'close');
    done(null, payload);
  });
  const classes = ['0', '1xx', '2xx', '3xx', '4xx', '5xx'];
  const counters = classes.map((status) => metrics.httpRequests.labels({ status }));
  let seen = 0;
  app.addHook('onResponse', (_request, reply, done) => {
    counters[Math.floor(reply.statusCode / 100)]?.inc();
    if (++seen % 16 === 0) metrics.httpDuration.observe(reply.elapsedTime / 1000);
    done();
  });
}

function registerRoute(app: FastifyInstance, route: Route, options: AppOptions): void {
  const read = readers(route);
  const guard = createGuard(route, options);
  const serialize = serializer(route);
  app.route({
    method: route.method,
    url: route.path.replace(/\{([^}]+)\}/g, ':$1'),
    onRequest: guard,
    ...(route.captcha
      ? { preParsing: (request, _reply, payload) => solveCaptcha(request, options).then(() => payload) }
      : {}),
    handler: async (request, reply) => {
      const answer = await route.handler(contextOf(request, reply, route, read, options.config));
      if (reply.statusCode === 200) reply.code(route.status);
      if (serialize === undefined) return reply.send();
      // Before the reply knows of it: an answer that does not fit must still become an ordinary 500.
      const text = serialize(answer);
      return reply.header('content-type', 'application/json; charset=utf-8').send(text);
    },
  });
}

/** Only declared fields leave the service, on every status; an answer that does not fit its schema is a 500. */
function serializer(route: Route): ((answer: unknown) => string) | undefined {
  const schema = route.response;
  if (!schema) return undefined;
  return (answer) => JSON.stringify(schema.parse(answer));
}

type Reader = (value: unknown) => unknown;
type Readers = Record<'body' | 'query' | 'params' | 'headers', Reader | undefined>;

function readers(route: Route): Readers {
  const absent = route.errors?.find((error) => error.status === 404);
  return {
    body: route.body && bodyReader(route.body),
    query: route.query && textReader(route.query),
    params: route.params && pathReader(route.params, absent),
    headers: route.headers && textReader(route.headers),
  };
}

const NOTHING = Object.freeze({});

function contextOf(
  request: FastifyRequest,
  reply: FastifyReply,
  route: Route,
  read: Readers,
  config: Config,
) {
  if (!read.query) assertEmpty(request.query);
  if (!read.body) assertEmpty(request.body);
  const context: Context<unknown, unknown, unknown, unknown, SessionUser | undefined> = {
    user: request.user,
    params: read.params ? read.params(request.params) : NOTHING,
    query: read.query ? read.query(request.query) : NOTHING,
    headers: read.headers ? read.headers(request.headers) : NOTHING,
    body: read.body ? read.body(request.body) : undefined,
    ip: request.ip,
    userAgent: request.headers['user-agent']?.slice(0, 500),
    requestId: request.id,
    cookies: request.cookies,
    idempotencyKey: route.idempotent ? idempotencyKey(request) : undefined,
    isOwnSite: () => isOwnOrigin(request, config),
    setCookie: ({ name, value, expiresAt, path }) => {
      const options = {
        httpOnly: true,
        sameSite: 'lax',
        secure: config.secureCookies,
        path: path ?? '/',
      } as const;
      reply.setCookie(name, value, expiresAt ? { ...options, expires: expiresAt } : options);
    },
    setStatus: (status) => void reply.code(status),
  };
  return context;
}

function idempotencyKey(request: FastifyRequest): string | undefined {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key === 'string' && /^[\x21-\x7e]{8,64}$/.test(key)) return key;
  throw commonErrors.VALIDATION_FAILED({
    fields: [{ path: 'Idempotency-Key', message: 'needs 8 to 64 printable characters without spaces' }],
  });
}

/** Identity, rights and rate, in that order and before the body is read. Waits only for tokens not seen before. */
function createGuard(route: Route, options: AppOptions) {
  const limit: LimitClass = route.limit ?? defaultLimit(route);
  const admit = (request: FastifyRequest, user: SessionUser | undefined) => {
    request.user = user;
    assertAccess(route.access, user);
    const wait = options.limiter.hit(limit, user && limit !== 'auth' ? `u${user.id}` : sourceOf(request.ip));
    if (wait > 0) throw commonErrors.RATE_LIMITED({ retryAfterSeconds: wait });
    assertMediaType(request);
  };
  return (request: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void) => {
    try {
      const token = route.access === 'anonymous' ? undefined : sessionToken(request, route, options);
      if (token === undefined) admit(request, undefined);
      else {
        const known = options.auth.peek(token);
        if (!known) {
          options.auth
            .verify(token)
            .then((user) => admit(request, user))
            .then(() => done(), done);
          return;
        }
        admit(request, known);
      }
      done();
    } catch (error) {
      done(error as Error);
    }
  };
}

function defaultLimit(route: Route): LimitClass {
  if (route.gate !== undefined && route.gate !== 'none') return 'money';
  return route.access === 'anonymous' ? 'public' : 'read';
}

function sessionToken(request: FastifyRequest, route: Route, { config }: AppOptions): string | undefined {
  const found = credentials(authorizationOf(request), request.cookies);
  if (found?.from === 'cookie' && route.method !== 'GET' && !isOwnOrigin(request, config)) {
    throw new AppError(403, 'FORBIDDEN', 'A request that signs in by cookie needs the Origin of this site.');
  }
  return found && tokenOf(found);
}

function assertMediaType(request: FastifyRequest): void {
  const type = request.headers['content-type'];
  if (type !== undefined && !/^application\/json *(;|$)/i.test(type))
    throw commonErrors.UNSUPPORTED_MEDIA_TYPE();
  if (request.headers['content-encoding'] !== undefined) throw commonErrors.UNSUPPORTED_MEDIA_TYPE();
}

async function solveCaptcha(request: FastifyRequest, options: AppOptions): Promise<void> {
  const token = request.headers['x-captcha-token'];
  await options.captcha(typeof token === 'string' ? token : undefined, request.ip);
}

/**
 * A parameter given twice becomes an array, which schemas refuse where they expect one value. Runs inside the router,
 * where a throw would end the process: textReader refuses what cannot be stored.
 */
function parseQuery(text: string): Record<string, unknown> {
  const query: Record<string, unknown> = Object.create(null);
  for (const [key, value] of new URLSearchParams(text)) {
    const seen = query[key];
    if (seen === undefined) query[key] = value;
    else if (Array.isArray(seen)) seen.push(value);
    else query[key] = [seen, value];
  }
  return query;
}

function registerMetrics(app: FastifyInstance, { config, metrics }: AppOptions): void {
  app.get('/metrics', async (request, reply) => {
    const token = config.METRICS_TOKEN;
    const allowed = token ? request.headers.authorization === `Bearer ${token}` : isLoopback(request.ip);
    if (!allowed) throw commonErrors.NOT_FOUND();
    return reply.type(metrics.registry.contentType).send(await metrics.registry.metrics());
  });
}

function isLoopback(ip: string): boolean {
  return ip === '::1' || ip.startsWith('127.') || ip.startsWith('::ffff:127.');
}
