import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import fastifyCors from '@fastify/cors';
import { stringifySetCookie } from 'cookie';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Config } from '../platform/config.ts';
import { AppError, commonErrors } from '../platform/errors.ts';
import { isOwnOrigin } from '../platform/origins.ts';
import { cookieName, type OwnCookies } from '../platform/request-headers.ts';
import { type ApiClient, type SessionUser, type StaffCall, staffRight } from './access.ts';
import { auditor, staffCall } from './audit.ts';
import { parseJson } from './body.ts';
import { answerOurselves, refuseConnection, routableUrl } from './connection.ts';
import { csvOf, listPlace, wantsCsv } from './csv.ts';
import { registerDocs } from './docs.ts';
import { eventsPage } from './events-page.ts';
import { registerFiles } from './files.ts';
import { createGuard, overRun } from './guard.ts';
import { fixedHeaders, registerHeaders } from './headers.ts';
import { registerHome } from './home.ts';
import { createUploads, type Uploads } from './multipart.ts';
import type { AppOptions } from './options.ts';
import { isBrowser, registerPages } from './pages.ts';
import { registerErrors } from './refusals.ts';
import { assertRoutes, type Context, type Route, takesBytes, type Upload } from './route.ts';
import { Webp } from './schemas.ts';
import { registerTelemetry } from './telemetry.ts';
import { traceRequests } from './trace.ts';
import { createUserTurns, inTurnOf, type UserTurns } from './user-turns.ts';
import { assertEmpty, bodyReader, pathReader, textReader } from './validation.ts';
import { registerWebApps } from './web-apps.ts';

declare module 'fastify' {
  interface FastifyRequest {
    user: SessionUser | undefined;
    apiClient: ApiClient | undefined;
    staffCall: StaffCall | undefined;
    /** The platform's cookies, by their plain names. */
    ownCookies: OwnCookies;
  }
}

/** Builds one HTTP service from its routes. Throws when a route says too little to be safe (assertRoutes). */
export async function createApp(options: AppOptions): Promise<FastifyInstance> {
  assertRoutes(options.routes);
  const app = createServer(options);
  traceRequests(app);
  registerHeaders(app, options);
  await registerCors(app, options);
  registerErrors(app, options);
  registerTelemetry(app, options);
  answerOurselves(app, options.config.secureCookies);
  app.decorateRequest('user', undefined);
  app.decorateRequest('apiClient', undefined);
  app.decorateRequest('staffCall', undefined);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, raw, done) => {
    try {
      done(null, parseJson(raw as Buffer));
    } catch (error) {
      done(error as Error);
    }
  });
  const pages = options.sockets ? [...options.pages, eventsPage(options.sockets)] : options.pages;
  registerHome(app, { ...options, pages });
  await registerRoutes(app, options);
  if (options.files) registerFiles(app, options.files, options.limiter);
  registerPages(app, pages, options.limiter);
  if (options.web) registerWebApps(app, options.web, options.limiter);
  await registerDocs(app, options);
  return app;
}

const MAX_HEADER_BYTES = 16 * 1024;

const refuseSchema = () => {
  throw new Error('schemas of routes are zod: Fastify has none to compile');
};
/** Without these Fastify loads two compilers of JSON schemas, which cost every start a twentieth and are never asked. */
const NO_COMPILERS = { buildValidator: () => refuseSchema, buildSerializer: () => refuseSchema };

function createServer({ config }: AppOptions): FastifyInstance {
  const fixed = fixedHeaders(config.secureCookies);
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
    schemaController: { compilersFactory: NO_COMPILERS },
    rewriteUrl: ({ url = '/' }) => routableUrl(url),
    // As long as a header may be: schemas bound parameters, and the router's own refusal would go past every hook.
    routerOptions: { maxParamLength: MAX_HEADER_BYTES, querystringParser: parseQuery },
    http: {
      headersTimeout: config.HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: 1000,
      maxHeaderSize: MAX_HEADER_BYTES,
      requireHostHeader: false,
    },
    clientErrorHandler: (error, socket) => refuseConnection(error, socket as Socket, fixed),
  });
}

/** Pages of other sites: those of the product alone, with their cookies. */
async function registerCors(app: FastifyInstance, { config }: AppOptions): Promise<void> {
  await app.register(fastifyCors, {
    origin: (origin, done) => done(null, origin !== undefined && config.siteOrigins.includes(origin)),
    credentials: true,
    methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    exposedHeaders: ['retry-after', 'x-request-id', 'location'],
    maxAge: 600,
    // Its own refusal is plain text.
    strictPreflight: false,
  });
}

/**
 * Routes that take a file or a signed message stand in scopes of their own: the first one's hooks cost every request that passes
 * them, the second one's bodies stay the bytes that came.
 */
async function registerRoutes(app: FastifyInstance, options: AppOptions): Promise<void> {
  const kit = { uploads: createUploads(options.config), turns: createUserTurns(options.config) };
  const register = (scope: FastifyInstance, routes: readonly Route[]) => {
    for (const route of routes) registerRoute(scope, route, options, kit);
  };
  register(
    app,
    options.routes.filter((route) => !route.multipart && !takesBytes(route)),
  );
  const takers = options.routes.filter((route) => route.multipart);
  if (takers.length > 0)
    await app.register((scope, _options, done) => {
      kit.uploads.register(scope);
      register(scope, takers);
      done();
    });
  await app.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers();
    // Guards have refused whatever a route does not take.
    for (const type of ['application/json', 'application/x-www-form-urlencoded'])
      scope.addContentTypeParser(type, { parseAs: 'buffer' }, (_request, raw, parsed) => parsed(null, raw));
    register(scope, options.routes.filter(takesBytes));
    done();
  });
}

type Kit = { uploads: Uploads; turns: UserTurns };

function registerRoute(app: FastifyInstance, route: Route, options: AppOptions, kit: Kit): void {
  const inTurn = inTurnOf(route, kit.turns, options);
  const read = readers(route);
  const guard = createGuard(route, options);
  const serialize = serializer(route);
  const list = listPlace(route);
  const answer = inTurn(async (request, reply) => {
    const call = staffCall(request, route, options);
    const file = route.multipart ? await kit.uploads.read(request, reply, route.multipart) : undefined;
    const context = contextOf({ request, reply, route, read, call, file, config: options.config });
    if (list && wantsCsv(request)) return csvOf(route, context, list);
    const answer =
      route.access === 'signature'
        ? await takeNotice(route, context).catch((error: unknown) => {
            throw overRun(error, request, options);
          })
        : await route.handler(context);
    if (reply.statusCode === 200) reply.code(route.status);
    // Before the reply knows of it: an answer that does not fit must still become an ordinary 500.
    return serialize?.(answer);
  });
  app.route({
    method: route.method,
    url: route.path.replace(/\{([^}]+)\}/g, ':$1'),
    onRequest: guard,
    ...(staffRight(route.access) ? { onSend: auditor(route, options) } : {}),
    ...(route.refusedAt ? { errorHandler: browserSender(route.refusedAt) } : {}),
    ...(route.captcha
      ? { preParsing: (request, _reply, payload) => solveCaptcha(request, options).then(() => payload) }
      : {}),
    // Not async: Fastify would watch the end of every answer, with listeners of its own.
    handler: (request, reply) => {
      answer(request, reply)
        .then((sent) => {
          if (typeof sent === 'string') reply.header('content-type', 'application/json; charset=utf-8');
          else if (sent instanceof Readable) reply.type('text/csv; charset=utf-8');
          // Pages of the product may show it, those of other sites may not.
          else if (sent) reply.type('image/webp').header('cross-origin-resource-policy', 'same-site');
          reply.send(sent);
        })
        .catch((error: unknown) => {
          reply.send(error instanceof Error ? error : new Error(String(error)));
        });
    },
  });
}

/** Refused signatures count against the address that sends them. */
const takeNotice = async (route: Route, context: Parameters<Route['handler']>[0]) => route.handler(context);

/**
 * Only declared fields leave the service, on every status; an answer that does not fit its schema is a 500. A frozen answer is the
 * same as often as it is given (`platform/derived.ts`): it is spelt out once.
 */
function serializer(route: Route): ((answer: unknown) => string | Buffer) | undefined {
  const schema = route.response;
  if (!schema) return undefined;
  if (schema === Webp) return (answer) => Buffer.from(Webp.parse(answer));
  const spell = (answer: unknown) => JSON.stringify(schema.parse(answer));
  const texts = new WeakMap<object, string>();
  return (answer) => {
    // Whatever is no object is frozen too.
    if (typeof answer !== 'object' || answer === null || !Object.isFrozen(answer)) return spell(answer);
    const known = texts.get(answer);
    if (known !== undefined) return known;
    const text = spell(answer);
    texts.set(answer, text);
    return text;
  };
}

type Reader = (value: unknown) => unknown;
type Readers = Record<'body' | 'query' | 'params' | 'headers', Reader | undefined>;

function readers(route: Route): Readers {
  const absent = route.errors?.find((error) => error.status === 404);
  return {
    body: takesBytes(route) ? undefined : route.body && bodyReader(route.body),
    query: route.query && textReader(route.query),
    params: route.params && pathReader(route.params, absent),
    headers: route.access === 'signature' ? undefined : route.headers && textReader(route.headers),
  };
}

const NOTHING = Object.freeze({});

type Exchange = {
  request: FastifyRequest;
  reply: FastifyReply;
  route: Route;
  read: Readers;
  call: StaffCall | undefined;
  file: Upload | undefined;
  config: Config;
};

function contextOf({ request, reply, route, read, call, file, config }: Exchange) {
  if (!read.query) assertEmpty(request.query);
  const isNotice = takesBytes(route);
  if (!read.body && !isNotice) assertEmpty(request.body);
  const context: Context<unknown, unknown, unknown, unknown, SessionUser | undefined> = {
    user: request.user,
    caller: undefined,
    by: call,
    client: request.apiClient,
    file,
    params: read.params ? read.params(request.params) : NOTHING,
    query: read.query ? read.query(request.query) : NOTHING,
    headers: read.headers ? read.headers(request.headers) : NOTHING,
    body: read.body ? read.body(request.body) : undefined,
    ip: request.ip,
    userAgent: request.headers['user-agent']?.slice(0, 500),
    requestId: request.id,
    cookies: request.ownCookies,
    notice: isNotice
      ? { raw: (request.body as Buffer | undefined) ?? Buffer.alloc(0), headers: request.headers }
      : undefined,
    idempotencyKey: route.idempotent ? idempotencyKey(request) : undefined,
    isOwnSite: () => isOwnOrigin(request.headers, config),
    setCookie: ({ name, value, expiresAt, path }) => {
      const cookie = stringifySetCookie({
        name: cookieName(name, config.secureCookies),
        value,
        httpOnly: true,
        sameSite: 'lax',
        secure: config.secureCookies,
        // The prefix asks for it.
        path: config.secureCookies ? '/' : (path ?? '/'),
        ...(expiresAt ? { expires: expiresAt } : {}),
      });
      reply.header('set-cookie', cookie);
    },
    setStatus: (status) => void reply.code(status),
    redirect: (url) => {
      reply.header('location', url);
      if (isBrowser(request)) reply.code(302);
    },
  };
  if (request.user)
    context.caller = { userId: request.user.id, ip: request.ip, idempotencyKey: context.idempotencyKey };
  return context;
}

/** Sends browsers to a page that tells them what was refused; programs, and failures of ours, get the usual error body. */
function browserSender(refusedAt: (code: string) => string) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    if (!(error instanceof AppError) || !isBrowser(request)) throw error;
    return reply.code(302).header('location', refusedAt(error.code)).send();
  };
}

function idempotencyKey(request: FastifyRequest): string | undefined {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key === 'string' && /^[\x21-\x7e]{8,64}$/.test(key)) return key;
  throw commonErrors.VALIDATION_FAILED({
    fields: [{ path: 'Idempotency-Key', message: 'needs 8 to 64 printable characters without spaces' }],
  });
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
  if (text === '') return query;
  for (const [key, value] of new URLSearchParams(text)) {
    const seen = query[key];
    if (seen === undefined) query[key] = value;
    else if (Array.isArray(seen)) seen.push(value);
    else query[key] = [seen, value];
  }
  return query;
}
