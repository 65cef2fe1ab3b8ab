import type { FastifyReply, FastifyRequest } from 'fastify';
import { etagOf } from '../docs/pages.ts';
import type { Cache, Route, Versioned } from '../route.ts';

/**
 * Sets the headers of a response that clients may cache. Returns false if the client already has this response, and then the status is 304.
 */
export function isNewTo(
  request: FastifyRequest,
  reply: FastifyReply,
  { cache }: Route,
  text: string,
): boolean {
  if (!cache || reply.statusCode !== 200) return true;
  const etag = etagOf(text);
  reply.header('etag', etag).header('cache-control', cacheControl(cache, request));
  if (request.headers['if-none-match'] !== etag) return true;
  reply.code(304);
  return false;
}

function cacheControl({ scope, seconds, isFixed }: Cache, request: Versioned): string {
  if (isFixed?.(request)) return 'public, max-age=31536000, immutable';
  return `${scope}, max-age=${seconds}`;
}
