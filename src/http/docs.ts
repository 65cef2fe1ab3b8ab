import Fastify, { type FastifyInstance } from 'fastify';
import { openApi } from './openapi.ts';
import type { AppOptions } from './options.ts';

const POLICY =
  "default-src 'none'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; worker-src blob:; frame-ancestors 'none'";

/** GET /openapi.json, GET /asyncapi.json and the readable reference at GET /docs: its scripts are served from here, nothing from outside. */
export async function registerDocs(app: FastifyInstance, options: AppOptions): Promise<void> {
  const { routes } = options;
  let document: string | undefined;
  app.get('/openapi.json', async (_request, reply) => {
    // Half of what it costs to open an application: made with the first request.
    document ??= JSON.stringify(openApi(options.document(), routes));
    return reply.type('application/json').send(document);
  });
  const { sockets } = options;
  if (sockets)
    app.get('/asyncapi.json', async (_request, reply) => reply.type('application/json').send(sockets()));
  let opened: Promise<FastifyInstance> | undefined;
  app.get('/docs', async (_request, reply) =>
    reply.header('content-security-policy', POLICY).redirect('/docs/', 301),
  );
  for (const url of ['/docs/', '/docs/js/scalar.js']) {
    app.get(url, async (_request, reply) => {
      opened ??= openReference();
      const { statusCode, headers, rawPayload } = await (await opened).inject(url);
      return reply
        .code(statusCode)
        .header('content-security-policy', POLICY)
        .header('content-type', headers['content-type'])
        .send(rawPayload);
    });
  }
}

/** Several megabytes of script: loaded with the first request for the reference. */
async function openReference(): Promise<FastifyInstance> {
  const { default: scalar } = await import('@scalar/fastify-api-reference');
  const reference = Fastify();
  await reference.register(scalar, {
    routePrefix: '/docs',
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
