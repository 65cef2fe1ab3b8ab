import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import fastifyCors from '@fastify/cors';
import { stringifySetCookie } from 'cookie';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { isOutOfRange } from '../../platform/database/errors.ts';
import { AppError, commonErrors } from '../../platform/errors.ts';
import { isOwnOrigin, isSiteOrigin } from '../../platform/net/origins.ts';
import { cookieName, type OwnCookies } from '../../platform/net/request-headers.ts';
import { type ApiClient, type SessionUser, type StaffCall, staffRight } from '../access.ts';
import { registerArt } from '../content/art.ts';
import { listPlace, takeFileOptions, wantsCsv } from '../content/csv.ts';
import { createExports, type Export, type Exports } from '../content/export.ts';
import { registerFiles } from '../content/files.ts';
import { registerWebApps } from '../content/web-apps.ts';
import { registerDocs } from '../docs/docs.ts';
import { eventsPage } from '../docs/events-page.ts';
import { registerHome } from '../docs/home.ts';
import { isBrowser, registerPages } from '../docs/pages.ts';
import { assertRoutes, type Context, type Route, takesBytes, type Upload } from '../route.ts';
import { Svg, Webp } from '../schemas.ts';
import { auditor, staffCall } from './audit.ts';
import { parseJson } from './body.ts';
import { isNewTo } from './cache.ts';
import { registerClientAddress } from './client-address.ts';
import { compressed, isCompressed, isWorthCompressing } from './compress.ts';
import { answerOurselves, refuseConnection, routableUrl } from './connection.ts';
import { countRefusal, createGuard, overRun } from './guard.ts';
import { fixedHeaders, registerHeaders } from './headers.ts';
import { collectMethods } from './methods.ts';
import { createUploads, type Uploads } from './multipart.ts';
import type { AppOptions } from './options.ts';
import { registerErrors } from './refusals.ts';
import { mfaCodeOf } from './session.ts';
import { countResponses, registerMetrics } from './telemetry.ts';
import { traceRequests } from './trace.ts';
import { createUserTurns, inTurnOf, type UserTurns } from './user-turns.ts';
import { assertEmpty, bodyReader, pathReader, textReader } from './validation.ts';

declare module 'fastify' {
  interface FastifyRequest {
    user: SessionUser | undefined;
    apiClient: ApiClient | undefined;
    staffCall: StaffCall | undefined;
    /** The platform's cookies, keyed by their names without the prefix. */
    ownCookies: OwnCookies;
  }
}

/** Builds one HTTP service from its routes. Throws if a route does not declare enough to be safe (see assertRoutes). */
export async function createApp(options: AppOptions): Promise<FastifyInstance> {
  assertRoutes(options.routes);
  const app = createServer(options);
  const methodsOf = collectMethods(app);
  countResponses(app, options);
  registerClientAddress(app, options.config);
  traceRequests(app);
  registerHeaders(app, options);
  await registerCors(app, options);
  registerErrors(app, { ...options, methodsOf });
  registerMetrics(app, options);
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
  registerArt(app, options.limiter);
  if (options.files) registerFiles(app, options.files, options.limiter);
  registerPages(app, pages, options.limiter);
  if (options.web) registerWebApps(app, options.web, options.limiter);
  await registerDocs(app, options);
  return app;
}

const MAX_HEADER_BYTES = 16 * 1024;

const refuseSchema = () => {
  throw new Error('route schemas are zod schemas, so Fastify must not compile any');
};
/** Stops Fastify from loading two JSON schema compilers. They are never used and make up 5 % of the start-up time. */
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
    genReqId: () => randomUUID(),
    requestIdHeader: false,
    exposeHeadRoutes: true,
    schemaController: { compilersFactory: NO_COMPILERS },
    rewriteUrl: ({ url = '/' }) => routableUrl(url),
    // The router's limit equals the maximum header size, so that the router never rejects a parameter itself, which would bypass every
    // hook. Schemas limit parameters instead.
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

/** Allows cross-origin requests with cookies, from the product's own sites only. */
async function registerCors(app: FastifyInstance, { config }: AppOptions): Promise<void> {
  await app.register(fastifyCors, {
    origin: (origin, done) => done(null, origin !== undefined && isSiteOrigin(origin, config)),
    credentials: true,
    methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    exposedHeaders: ['retry-after', 'x-request-id', 'location', 'x-row-count'],
    maxAge: 600,
    // The plugin would send its own rejection as plain text.
    strictPreflight: false,
  });
}

/**
 * Registers upload routes and signed routes in their own Fastify scopes. The multipart hooks would slow every other route. The bodies of
 * signed messages must stay raw bytes.
 */
async function registerRoutes(app: FastifyInstance, options: AppOptions): Promise<void> {
  const kit = {
    uploads: createUploads(options.config),
    turns: createUserTurns(options.config),
    exports: createExports(options.config),
  };
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
    // Guards have already rejected media types that the route does not accept.
    for (const type of ['application/json', 'application/x-www-form-urlencoded'])
      scope.addContentTypeParser(type, { parseAs: 'buffer' }, (_request, raw, parsed) => parsed(null, raw));
    register(scope, options.routes.filter(takesBytes));
    done();
  });
}

/** Returns true if a HEAD request may run the route's handler: only for a GET that has no side effect and does not start a sign-in. */
const onlyReads = ({ method, hasSideEffect, limit }: Route) =>
  method === 'GET' && !hasSideEffect && limit !== 'auth';

type Kit = { uploads: Uploads; turns: UserTurns; exports: Exports };

function registerRoute(app: FastifyInstance, route: Route, options: AppOptions, kit: Kit): void {
  const inTurn = inTurnOf(route, kit.turns, options);
  const read = readers(route);
  const guard = createGuard(route, options);
  const serialize = serializer(route);
  const list = listPlace(route);
  const answer = inTurn(async (request, reply) => {
    const call = staffCall(request, route, options);
    const file = route.multipart ? await kit.uploads.read(request, reply, route.multipart) : undefined;
    const isExport = list !== undefined && wantsCsv(request);
    const inFile = isExport ? takeFileOptions(request, route) : undefined;
    const context = contextOf({ request, reply, route, read, call, file, options });
    if (typeof route.stepUp === 'object' && route.stepUp.when(context.body))
      await options.stepUp(request.user!, mfaCodeOf(request));
    // A HEAD request must not start an export.
    if (inFile && request.method === 'HEAD') return Readable.from([]);
    if (inFile) {
      const exported = await kit.exports.start(route, context, {
        ...inFile,
        place: list!,
        onEnd: (outcome) => options.audit(call!, route.status, outcome),
      });
      return withRowCount(reply, exported);
    }
    const answer =
      route.access === 'signature'
        ? await takeNotice(route, context).catch((error: unknown) => {
            // A rejected signature is counted against the caller's address.
            throw overRun(error, request, options);
          })
        : route.isHistory
          ? await options.histories(async () => route.handler(context))
          : await carryOut(route, context, call !== undefined);
    if (reply.statusCode === 200) reply.code(route.status);
    // The response is serialised before the reply starts, because a response that does not match its schema must still become a regular
    // 500.
    return serialize?.(answer);
  });
  app.route({
    method: route.method,
    url: route.path.replace(/\{([^}]+)\}/g, ':$1'),
    exposeHeadRoute: onlyReads(route),
    onRequest: guard,
    ...(staffRight(route.access) ? { onSend: auditor(route, options) } : {}),
    ...(route.refusedAt ? { errorHandler: browserSender(route.refusedAt) } : {}),
    ...(route.captcha
      ? { preParsing: (request, _reply, payload) => solveCaptcha(request, options).then(() => payload) }
      : {}),
    // Not async, because if the handler returned a promise, Fastify would add more listeners to the end of every response.
    handler: (request, reply) => {
      answer(request, reply)
        .then((sent) => sendAnswer(sent, request, reply, route))
        .catch((error: unknown) => {
          reply.send(error instanceof Error ? error : new Error(String(error)));
        });
    },
  });
}

/** Sends an operation's result: JSON, an export or a picture. Only compression is asynchronous. */
function sendAnswer(
  sent: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  route: Route,
): Promise<void> | undefined {
  if (typeof sent === 'string') {
    if (route.response === Svg) asDrawing(reply);
    else reply.header('content-type', 'application/json; charset=utf-8');
    if (!isNewTo(request, reply, route, sent)) return void reply.send();
    if (isCompressed(route) && isWorthCompressing(sent, request))
      return compressed(sent, request, reply).then((body) => void reply.send(body));
  } else if (sent instanceof Readable) {
    reply.type('text/csv; charset=utf-8');
    if (request.method === 'HEAD') return void reply.send('');
  }
  // The product's own pages may embed the picture, but other sites may not.
  else if (sent) reply.type('image/webp').header('cross-origin-resource-policy', 'same-site');
  return void reply.send(sent);
}

/** Any page may show a drawing, as it may show the pictures of /art. */
const asDrawing = (reply: FastifyReply) =>
  reply.type('image/svg+xml; charset=utf-8').header('cross-origin-resource-policy', 'cross-origin');

/** Adds the row count header if the count is known, and adds the row count trailer to every complete file. */
function withRowCount(reply: FastifyReply, { body, total, sent, stop }: Export): Readable {
  if (reply.raw.closed) stop();
  else reply.raw.once('close', stop);
  if (total !== undefined) reply.header('x-row-count', total);
  reply.trailer('x-row-count', async () => String(sent()));
  return body;
}

const takeNotice = async (route: Route, context: Parameters<Route['handler']>[0]) => route.handler(context);

/**
 * Throws 400 AMOUNT_OUT_OF_RANGE if a staff member enters an amount that exceeds the range of a column, alone or in a sum with other
 * amounts.
 */
async function carryOut(route: Route, context: Parameters<Route['handler']>[0], isStaff: boolean) {
  try {
    return await route.handler(context);
  } catch (error) {
    if (isStaff && route.method !== 'GET' && isOutOfRange(error)) throw commonErrors.AMOUNT_OUT_OF_RANGE();
    throw error;
  }
}

/**
 * Returns the serialiser of a route's responses, for every status. It drops undeclared fields and throws (500) if a response does not match
 * its schema. A frozen response never changes (`platform/derived.ts`), so it is serialised only once.
 */
function serializer(route: Route): ((answer: unknown) => string | Buffer) | undefined {
  const schema = route.response;
  if (!schema) return undefined;
  if (schema === Svg) return (answer) => Svg.parse(answer);
  if (schema === Webp) return (answer) => Buffer.from(Webp.parse(answer));
  const spell = (answer: unknown) => JSON.stringify(schema.parse(answer));
  const texts = new WeakMap<object, string>();
  return (answer) => {
    // Object.isFrozen() is true for primitives too.
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
  options: AppOptions;
};

function contextOf({ request, reply, route, read, call, file, options }: Exchange) {
  const { config } = options;
  if (!read.query) assertEmpty(request.query);
  const isNotice = takesBytes(route);
  const ip = request.clientIp;
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
    ip,
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
        // The prefix `__Host-` requires the path `/`.
        path: config.secureCookies ? '/' : (path ?? '/'),
        ...(expiresAt ? { expires: expiresAt } : {}),
      });
      reply.header('set-cookie', cookie);
    },
    setStatus: (status) => void reply.code(status),
    countRefusal: () => countRefusal(request, options),
    redirect: (url) => {
      reply.header('location', url);
      if (isBrowser(request) && route.status !== 303) reply.code(302);
    },
  };
  if (request.user) context.caller = { userId: request.user.id, ip, idempotencyKey: context.idempotencyKey };
  return context;
}

/**
 * Returns an error handler that redirects browsers to a page that explains the rejection. Other clients, and server errors, get the usual
 * error body.
 */
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
  await options.captcha(typeof token === 'string' ? token : undefined, request.clientIp);
}

/**
 * Parses a query. A repeated parameter becomes an array, which schemas reject where they expect a single value. This function runs inside
 * the router, where an exception would end the process. It therefore accepts text that cannot be stored, which textReader rejects later.
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
