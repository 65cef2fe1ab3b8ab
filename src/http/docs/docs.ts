import Fastify, { type FastifyInstance } from 'fastify';
import { registerSite } from '../content/site.ts';
import { createDocument } from '../server/compress.ts';
import type { AppOptions } from '../server/options.ts';
import { openApi } from './openapi.ts';

/** The API reference compiles templates in the browser and needs `unsafe-eval`. It is therefore off outside development by default. */
const POLICY =
  "default-src 'none'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; worker-src blob:; frame-ancestors 'none'";

/**
 * Serves GET /openapi.json, GET /asyncapi.json and, with API_REFERENCE, the readable reference at GET /docs/api/, including all its scripts,
 * and the documentation site at GET /docs/ if this service has one.
 */
export async function registerDocs(app: FastifyInstance, options: AppOptions): Promise<void> {
  const { routes, sockets } = options;
  // The document is built on the first request, because building it at startup would double the startup time.
  registerDocument(app, '/openapi.json', () => openApi(options.document(), routes));
  if (sockets) registerDocument(app, '/asyncapi.json', sockets);
  if (options.config.API_REFERENCE !== 'on') return;
  registerReference(app);
  if (options.site) registerSite(app, options.site, options.limiter);
  else redirect(app, '/docs/', REFERENCE);
  redirect(app, '/docs', '/docs/');
}

const REFERENCE = '/docs/api/';

function redirect(app: FastifyInstance, from: string, to: string): void {
  app.get(from, async (_request, reply) => reply.redirect(to, 302));
}

function registerDocument(app: FastifyInstance, url: string, make: () => object): void {
  let document: ReturnType<typeof createDocument> | undefined;
  app.get(url, async (request, reply) => {
    document ??= createDocument(JSON.stringify(make()));
    return reply.type('application/json').send(await document(request, reply));
  });
}

function registerReference(app: FastifyInstance): void {
  let opened: Promise<FastifyInstance> | undefined;
  redirect(app, '/docs/api', REFERENCE);
  // The address of the script before the reference moved to /docs/api/.
  redirect(app, '/docs/js/scalar.js', `${REFERENCE}js/scalar.js`);
  for (const url of [REFERENCE, `${REFERENCE}js/scalar.js`]) {
    let page: ReturnType<typeof readPage> | undefined;
    const readPage = async () => {
      opened ??= openReference();
      const { headers, rawPayload } = await (await opened).inject(url);
      return { type: String(headers['content-type']), document: createDocument(rawPayload) };
    };
    app.get(url, async (request, reply) => {
      page ??= readPage();
      const { type, document } = await page;
      reply.header('content-security-policy', POLICY).type(type);
      return reply.send(await document(request, reply));
    });
  }
}

/** Loads the reference on its first request, because it contains several megabytes of script. */
async function openReference(): Promise<FastifyInstance> {
  const { default: scalar } = await import('@scalar/fastify-api-reference');
  const reference = Fastify();
  await reference.register(scalar, {
    routePrefix: '/docs/api',
    configuration: {
      url: '/openapi.json',
      theme: 'default',
      withDefaultFonts: false,
      hideClientButton: true,
      telemetry: false,
      showDeveloperTools: 'never',
      agent: { disabled: true },
      mcp: { disabled: true },
    } as object,
  });
  return reference;
}
