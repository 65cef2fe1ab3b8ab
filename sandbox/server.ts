import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { blocks } from './blocks.ts';
import { breachedPasswords } from './breached-passwords.ts';
import { captcha } from './captcha.ts';
import { clock } from './clock.ts';
import { crm } from './crm.ts';
import { type Endpoint, html, type SandboxAnswer, type SandboxService, text } from './endpoint.ts';
import { games } from './games/games.ts';
import { indexPage } from './index-page.ts';
import { kyc } from './kyc.ts';
import { listen, reachable } from './listen.ts';
import { startMail } from './mail.ts';
import { oidc } from './oidc.ts';
import { openid } from './openid.ts';
import { payments } from './payments.ts';
import { site } from './site.ts';
import { skins } from './skins.ts';

/** `env` contains the settings that point the platform to this sandbox. */
export type Sandbox = {
  url: string;
  port: number;
  smtpPort: number;
  env: Record<string, string>;
  close(): Promise<void>;
};

/**
 * Port 0 selects a free port. `apiUrl` is the main API's URL for the site, or a function that returns it if it is known only later. `tls`
 * contains the PEM certificate and key with which the HTTP services use HTTPS, even on port 0.
 */
export type SandboxOptions = {
  port: number;
  host: string;
  smtpPort?: number;
  apiUrl?: string | (() => string);
  tls?: { cert: string; key: string } | undefined;
};

const BODY_LIMIT = 1024 * 1024;

/** Starts the external services: HTTP services on one port, the mail server on another. */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { host, smtpPort = 0, apiUrl = 'http://127.0.0.1:3000', tls } = options;
  const mail = await startMail({ host, port: smtpPort });
  const server = tls ? createTlsServer(tls) : createServer();
  const port = await listen(server, options, 'SANDBOX_PORT').catch(async (error: unknown) => {
    await mail.close();
    throw error;
  });
  const url = `${tls ? 'https' : 'http'}://${reachable(host)}:${port}`;
  const api = typeof apiUrl === 'function' ? apiUrl : () => apiUrl;
  const services: SandboxService[] = [
    captcha({ url }),
    breachedPasswords({ url }),
    mail.service,
    oidc({ url }),
    openid({ url }),
    site({ url, apiUrl: api }),
    payments({ url, apiUrl: api }),
    kyc({ url, apiUrl: api }),
    blocks({ url }),
    skins({ url, apiUrl: api }),
    games({ url, apiUrl: api }),
    crm({ url, apiUrl: api }),
    clock(),
  ];
  serve(server, services);
  return {
    url,
    port,
    smtpPort: mail.port,
    env: Object.assign({}, ...services.map(({ settings }) => settings)) as Record<string, string>,
    async close() {
      for (const service of services) service.close?.();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await Promise.all([closed, mail.close()]);
    },
  };
}

function serve(server: Server, services: readonly SandboxService[]): void {
  const index = indexPage(services);
  const endpoints = services.flatMap((service) => service.endpoints);
  const mounts = services.flatMap(({ mount }) => mount ?? []);
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const address = URL.parse(request.url ?? '/', 'http://sandbox');
    if (!address) return send(response, text(400, 'this address is malformed'));
    const { pathname, searchParams } = address;
    const here = endpointsAt(pathname, endpoints);
    const mount = here.length === 0 && mounts.find(({ path }) => pathname.startsWith(`${path}/`));
    const isIndex = pathname === '/' && request.method === 'GET';
    if (mount) return mount.handle(request, response);
    const answering = isIndex ? Promise.resolve(html(200, index)) : answer(request, searchParams, here);
    const result = await answering.catch((error: unknown) =>
      text(500, error instanceof Error ? error.message : String(error)),
    );
    send(response, result);
  };
  server.on('request', (request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
}

type Found = { endpoint: Endpoint; params: Record<string, string> };

const endpointsAt = (pathname: string, endpoints: readonly Endpoint[]): Found[] =>
  endpoints.flatMap((endpoint) => {
    const params = match(endpoint.path, pathname);
    return params ? [{ endpoint, params }] : [];
  });

async function answer(request: IncomingMessage, query: URLSearchParams, here: readonly Found[]) {
  const found = here.find(({ endpoint }) => endpoint.method === request.method);
  if (!found) return here.length > 0 ? text(405, 'method not allowed') : text(404, 'not found; see /');
  const body = await readBody(request);
  if (body === undefined) return text(413, 'too large');
  return found.endpoint.handle({
    url: request.url ?? '/',
    headers: request.headers,
    query,
    params: found.params,
    body,
  });
}

/** Returns the values of a path's `{names}` in a URL, or undefined if the URL does not match. */
function match(path: string, address: string): Record<string, string> | undefined {
  const [wanted, given] = [path.split('/'), address.split('/')];
  if (wanted.length !== given.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, segment] of wanted.entries()) {
    const value = given[index]!;
    if (segment.startsWith('{')) params[segment.slice(1, -1)] = value;
    else if (segment !== value) return undefined;
  }
  return params;
}

async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > BODY_LIMIT) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function send(response: ServerResponse, result: SandboxAnswer): void {
  if (result === 'drop') {
    response.destroy();
    return;
  }
  if (typeof result === 'function') {
    result(response);
    return;
  }
  const { status, type, headers, body } = result;
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store', ...headers });
  response.end(body);
}
