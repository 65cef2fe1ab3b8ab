import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { addressOf } from '../platform/address.ts';
import { countRequest, type RateLimiter } from './rate-limit.ts';

/** A page that stands alone: it contains everything that it needs, and is made when it is first asked for. `name` and `about` describe links to it. */
export type StaticPage = { name: string; path: string; about: string; html: () => string };

/** Where to go from the root of a service. */
export type Link = { name: string; url: string; about: string };

/** What a document says beside its operations: `description` is Markdown, `tags` tells what each group is about. */
export type DocumentInfo = { title: string; description: string; tags: Readonly<Record<string, string>> };

const KEPT_SECONDS = 300;

/**
 * Serves pages to anybody. Each runs the scripts and styles that are written in it and nothing else: no other is loaded, nothing is
 * sent anywhere, no page may frame it.
 */
export function registerPages(
  app: FastifyInstance,
  pages: readonly StaticPage[],
  limiter: RateLimiter,
): void {
  for (const { path, html } of pages) {
    let made: { text: string; policy: string; etag: string } | undefined;
    app.get(path, async (request, reply) => {
      countRequest(limiter, 'public', addressOf(request.ip));
      made ??= madeOf(html());
      const { text, policy, etag } = made;
      reply.header('content-security-policy', policy).header('etag', etag);
      reply.header('cache-control', `public, max-age=${KEPT_SECONDS}`);
      if (request.headers['if-none-match'] === etag) return reply.code(304).send();
      return reply.type('text/html; charset=utf-8').send(text);
    });
  }
}

const madeOf = (text: string) => ({ text, policy: policyOf(text), etag: `"${sha256(text)}"` });

/** A browser that navigates here; programs do not ask for HTML. */
export const isBrowser = ({ headers }: FastifyRequest): boolean =>
  headers.accept?.includes('text/html') === true;

/** Lets a page run the scripts and styles that are written in it, and nothing else. */
export function policyOf(html: string): string {
  const hashesOf = (tag: string) =>
    Array.from(
      html.matchAll(new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`, 'g')),
      ([, text]) => `'sha256-${sha256(text!)}'`,
    ).join(' ') || "'none'";
  const directives = [
    "default-src 'none'",
    `script-src ${hashesOf('script')}`,
    `style-src ${hashesOf('style')}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  return directives.join('; ');
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
