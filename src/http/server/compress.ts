import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Route } from '../route.ts';

/** Bodies below this size fit into one packet anyway. Bet responses are smaller than this, so this comparison is their only cost. */
const LEAST_BYTES = 1024;
/** Brotli quality 5 takes a tenth of the time of the highest quality and saves nearly as much. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

type Encoding = 'br' | 'gzip';
type Asking = Pick<FastifyRequest, 'headers'>;

const pack: Readonly<Record<Encoding, (body: Buffer | string) => Promise<Buffer>>> = {
  br: (body) => promisify(brotliCompress)(body, BROTLI),
  gzip: promisify(gzip),
};

/** Returns the first of `encodings` that a request accepts (RFC 9110: `q=0` rejects one), or undefined if it accepts none. */
export function acceptedEncoding(
  { headers }: Asking,
  encodings: readonly Encoding[] = ['br', 'gzip'],
): Encoding | undefined {
  const accepted = new Set<string>();
  for (const one of String(headers['accept-encoding'] ?? '').split(',')) {
    const [name = '', weight = ''] = one.toLowerCase().split(';');
    if (!/^\s*q=0(\.0*)?\s*$/.test(weight)) accepted.add(name.trim());
  }
  return encodings.find((encoding) => accepted.has(encoding));
}

/** Adds a header name to Vary, for a response that depends on this request header. Names that are already listed are kept. */
export function varyBy(reply: FastifyReply, name: string): void {
  const names = [reply.getHeader('vary')].flat().filter(Boolean).join(', ');
  if (!names.includes(name)) reply.header('vary', [names, name].filter(Boolean).join(', '));
}

/** Prepares a body that is sent many times. Each encoding is created only once, for the first request that accepts the encoding. */
export function createDocument(body: string | Buffer) {
  const plain = Buffer.from(body);
  const made = new Map<Encoding, Promise<Buffer>>();
  return async (request: FastifyRequest, reply: FastifyReply): Promise<Buffer> => {
    if (plain.length < LEAST_BYTES) return plain;
    varyBy(reply, 'Accept-Encoding');
    const encoding = acceptedEncoding(request);
    if (!encoding) return plain;
    reply.header('content-encoding', encoding);
    const packed = made.get(encoding) ?? pack[encoding](plain);
    made.set(encoding, packed);
    return packed;
  };
}

/**
 * Returns true if a route's responses are compressed. Responses that contain tokens are excluded, because their compressed length would
 * reveal something about the token (the BREACH attack). GETs with a side effect are also excluded, as are money routes, whose responses are
 * small and must not be delayed.
 */
export const isCompressed = (route: Route): boolean =>
  route.limit !== 'auth' &&
  !route.hasSideEffect &&
  route.access !== 'signature' &&
  (route.method === 'GET' || route.gate === 'none');

/**
 * Returns true if a response is worth compressing. Never true for requests from pages of other sites, which could measure the response's
 * length.
 */
export const isWorthCompressing = (text: string, { headers }: Asking): boolean =>
  text.length >= LEAST_BYTES && headers['sec-fetch-site'] !== 'cross-site';

/** Compresses a response that is sent once, with gzip if the client accepts it, because Brotli would cost more time than it saves. */
export async function compressed(
  text: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<string | Buffer> {
  varyBy(reply, 'Accept-Encoding');
  const encoding = acceptedEncoding(request, ['gzip', 'br']);
  if (!encoding) return text;
  const body = await pack[encoding](text);
  reply.header('content-encoding', encoding);
  return body;
}
