import type { FastifyReply, FastifyRequest } from 'fastify';
import { etagOf } from '../docs/pages.ts';
import type { Route } from '../route.ts';

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
  reply.header('etag', etag).header('cache-control', `${cache.scope}, max-age=${cache.seconds}`);
  if (request.headers['if-none-match'] !== etag) return true;
  reply.code(304);
  return false;
}
