import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isSiteBuilt } from '../content/site.ts';
import { builtApps } from '../content/web-apps.ts';
import { createDocument, varyBy } from '../server/compress.ts';
import type { AppOptions } from '../server/options.ts';
import { countFile } from '../server/rate-limit.ts';
import { esc, htmlPage } from './events-page.ts';
import { isBrowser, type Link, policyOf, queryOf } from './pages.ts';

/**
 * GET /: describes the service and links to its pages, as HTML for browsers and as JSON for other clients. If the API contract assigns an
 * operation to this path, browsers still get the page, and other clients get the operation's response. If a built web application for
 * players exists (`isFront`), browsers are redirected to it. Call this before routes are registered.
 */
export function registerHome(app: FastifyInstance, options: AppOptions): void {
  const links = linksOf(options);
  const html = pageOf(options, links);
  // This is checked on every request, because the application may be built while the service runs.
  const findFront = () => builtApps(options.web?.apps ?? []).find(({ isFront }) => isFront);
  const document = createDocument(html);
  const policy = policyOf(html);
  const body = {
    service: options.title,
    links: Object.fromEntries(links.map(({ name, url }) => [name, url])),
  };
  const admit = (request: FastifyRequest) => countFile(options.limiter, request.clientIp);
  const sendPage = async (request: FastifyRequest, reply: FastifyReply) => {
    varyBy(reply, 'Accept');
    if (!isBrowser(request)) return;
    admit(request);
    const front = findFront();
    if (front) return reply.redirect(`${front.base}/${queryOf(request.url)}`, 302);
    reply.header('content-security-policy', policy).type('text/html; charset=utf-8');
    return reply.send(await document(request, reply));
  };
  app.addHook('onRoute', (route) => {
    if (route.url === '/' && (route.method === 'GET' || route.method === 'HEAD'))
      route.onRequest = [sendPage, route.onRequest ?? []].flat() as (typeof sendPage)[];
  });
  if (options.routes.some(({ method, path }) => method === 'GET' && path === '/')) return;
  app.get('/', async (request, reply) => {
    admit(request);
    return reply.send(body);
  });
}

/** Returns the links common to all services, plus links to optional operations that this service has. */
function linksOf({ routes, sockets, pages, web, site, config, links = [] }: AppOptions): Link[] {
  const operations: Link[] = [
    { name: 'health', url: '/health', about: 'health of the service and of its components' },
    { name: 'ready', url: '/health/ready', about: 'whether the service can accept requests' },
    { name: 'version', url: '/version', about: 'deployed version and commit' },
  ];
  const documents = [
    ...(site && isSiteBuilt(site)
      ? [{ name: 'docs', url: '/docs/', about: 'documentation: tutorial, how-to guides, reference' }]
      : []),
    { name: 'reference', url: '/docs/api/', about: 'API reference and getting started' },
  ];
  return [
    ...(config.API_REFERENCE === 'on' ? documents : []),
    { name: 'openapi', url: '/openapi.json', about: 'the API reference as an OpenAPI 3.0 document' },
    ...builtApps(web?.apps ?? []).map(({ name, base, about }) => ({ name, url: `${base}/`, about })),
    ...pages.map(({ name, path, about }) => ({ name, url: path, about })),
    ...(sockets
      ? [{ name: 'asyncapi', url: '/asyncapi.json', about: 'events as an AsyncAPI document' }]
      : []),
    ...operations.filter(({ url }) => routes.some(({ path }) => path === url)),
    ...links,
  ];
}

function pageOf({ title, description }: AppOptions, links: readonly Link[]): string {
  const rows = links.map(
    ({ url, about }) => `<tr><td><a href="${esc(url)}">${esc(url)}</a></td><td>${esc(about)}</td></tr>`,
  );
  return htmlPage(
    title,
    `<h1>${esc(title)}</h1>
<p>${esc(description)}</p>
<table><tbody>${rows.join('\n')}</tbody></table>`,
  );
}
