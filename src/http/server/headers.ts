import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import helmet from 'helmet';
import type { AppOptions } from './options.ts';

/** Content-Security-Policy of every response except pages. It forbids loading resources, submitting forms and framing. */
const CSP = Object.fromEntries(
  ['default-src', 'base-uri', 'form-action', 'frame-ancestors'].map((directive) => [directive, ["'none'"]]),
);

/**
 * Returns the headers of every response, unless its route sets others. They are the same for all requests, so helmet runs only once. `Vary`
 * always lists Origin, because a cache may serve the response to another site later.
 */
export function fixedHeaders(isSecure: boolean): Readonly<Record<string, string>> {
  const headers: Record<string, string> = { 'cache-control': 'no-store', vary: 'Origin' };
  const response = {
    setHeader(name: string, value: string) {
      headers[name.toLowerCase()] = value;
    },
    removeHeader: () => undefined,
  };
  const setHeaders = helmet({
    contentSecurityPolicy: { useDefaults: false, directives: CSP },
    strictTransportSecurity: isSecure ? { maxAge: 31_536_000 } : false,
    // These headers are disabled because they only affect browsers that render pages. The API returns data, and each header would make
    // every request slower.
    crossOriginOpenerPolicy: false,
    originAgentCluster: false,
    xDnsPrefetchControl: false,
    xDownloadOptions: false,
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
  });
  setHeaders({} as IncomingMessage, response as object as ServerResponse, (error?: unknown) => {
    if (error) throw error;
  });
  return Object.freeze(headers);
}

/** Registers the headers. They are set before a request is handled, so that error responses also have them. */
export function registerHeaders(app: FastifyInstance, { config, isStopping }: AppOptions): void {
  const fixed = fixedHeaders(config.secureCookies);
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(fixed).header('x-request-id', request.id);
    done();
  });
  let closing = false;
  app.addHook('preClose', (done) => {
    closing = true;
    done();
  });
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (closing || isStopping()) reply.header('connection', 'close');
    done(null, payload);
  });
}
