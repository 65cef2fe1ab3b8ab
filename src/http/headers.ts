import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import helmet from 'helmet';
import type { AppOptions } from './options.ts';

/** Content-Security-Policy of every answer but pages: it loads nothing, sends nowhere, sits in no frame. */
const CSP = Object.fromEntries(
  ['default-src', 'base-uri', 'form-action', 'frame-ancestors'].map((directive) => [directive, ["'none'"]]),
);

/**
 * What every answer of a service carries unless its route says otherwise. It is the same for all requests, so that helmet is asked
 * once. `Vary` names Origin whether or not the request has one: what a cache keeps may be asked for by another site next.
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
    // These speak to browsers that render pages; the API answers data, and each header costs every request.
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

/** Before anything else works for a request, so that refusals carry them too. */
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
