import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { addressOf } from '../platform/address.ts';
import { esc, htmlPage } from './events-page.ts';
import type { AppOptions } from './options.ts';
import { isBrowser, type Link, policyOf } from './pages.ts';
import { countRequest } from './rate-limit.ts';
import { builtApps } from './web-apps.ts';

/**
 * GET /: what a service is and where its pages are, as a page for browsers and as JSON for programs. Where an operation has this
 * address by contract programs get that, and browsers still see the page. Where there is an application for players (`isFront`) it is
 * what browsers are led to. Call it before routes are registered.
 */
export function registerHome(app: FastifyInstance, options: AppOptions): void {
  const links = linksOf(options);
  const html = pageOf(options, links);
  const front = builtApps(options.web?.apps ?? []).find(({ isFront }) => isFront);
  const policy = policyOf(html);
  const body = {
    service: options.title,
    links: Object.fromEntries(links.map(({ name, url }) => [name, url])),
  };
  const admit = (request: FastifyRequest) => countRequest(options.limiter, 'public', addressOf(request.ip));
  const sendPage = async (request: FastifyRequest, reply: FastifyReply) => {
    reply.header('vary', [reply.getHeader('vary'), 'Accept'].flat().filter(Boolean).join(', '));
    if (!isBrowser(request)) return;
    admit(request);
    if (front) return reply.redirect(`${front.base}/`, 302);
    return reply.header('content-security-policy', policy).type('text/html; charset=utf-8').send(html);
  };
  app.addHook('onRoute', (route) => {
    if (route.url === '/' && route.method === 'GET')
      route.onRequest = [sendPage, route.onRequest ?? []].flat() as (typeof sendPage)[];
  });
  if (options.routes.some(({ method, path }) => method === 'GET' && path === '/')) return;
  app.get('/', async (request, reply) => {
    admit(request);
    return reply.send(body);
  });
}

/** Of what every service has, and of operations that not every service has, those that are there. */
function linksOf({ routes, sockets, pages, web, links = [] }: AppOptions): Link[] {
  const operations: Link[] = [
    { name: 'health', url: '/health', about: 'whether the service is well, and what it needs' },
    { name: 'ready', url: '/health/ready', about: 'whether it can take requests' },
    { name: 'version', url: '/version', about: 'what was deployed' },
  ];
  return [
    { name: 'docs', url: '/docs/', about: 'API reference, with how to begin' },
    { name: 'openapi', url: '/openapi.json', about: 'the same as an OpenAPI 3.0 document' },
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
