import scalar from '@scalar/fastify-api-reference';
import type { FastifyInstance } from 'fastify';
import { openApi } from './openapi.ts';
import type { AppOptions } from './options.ts';

/** GET /openapi.json and the readable reference at GET /docs: its scripts are served from here, nothing from outside. */
export async function registerDocs(app: FastifyInstance, options: AppOptions): Promise<void> {
  const document = JSON.stringify(
    openApi({ title: options.title, description: options.description }, options.routes),
  );
  app.get('/openapi.json', async (_request, reply) => reply.type('application/json').send(document));
  await app.register((docs, _options, done) => {
    docs.addHook('onSend', (_request, reply, payload, done) => {
      reply.header(
        'content-security-policy',
        "default-src 'none'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; worker-src blob:; frame-ancestors 'none'",
      );
      done(null, payload);
    });
    void docs.register(scalar, {
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
    done();
  });
}
