import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { commonErrors } from '../../platform/errors.ts';
import { addressOf } from '../../platform/net/address.ts';
import { countRequest, type RateLimiter } from '../server/rate-limit.ts';

/** The operator's name, and the folder with the stylesheet and drawings that replace those of Croupier. */
export type Brand = { name: string; folder?: string | undefined };

/** The brand as pages show it: addresses of its files, which are absent if the operator has none. */
export type ShownBrand = {
  settings: { name: string; mark?: string; wordmark?: string; wordmarkLight?: string };
  stylesheet: string | undefined;
  /** The ground colour of the dark theme, if the stylesheet sets it. */
  ground: string | undefined;
  /** Returns the address of one of the operator's files, such as `icon-192.png`. */
  addressOf: (file: string) => string | undefined;
};

const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  webp: 'image/webp',
  woff2: 'font/woff2',
};
const PATH = '/brand';

/**
 * GET /brand/{name}: the files of the operator's brand, read once at start. The address in a page contains a hash of the file, so browsers
 * may keep the file forever.
 */
export function registerBrand(
  app: FastifyInstance,
  { name, folder }: Brand,
  limiter: RateLimiter,
): ShownBrand {
  const names = folder && existsSync(folder) ? readdirSync(folder).filter((file) => typeOf(file)) : [];
  const files = new Map(names.map((file) => [file, readFileSync(join(folder!, file))]));
  app.get<{ Params: { name: string } }>(`${PATH}/:name`, async (request, reply) => {
    countRequest(limiter, 'public', addressOf(request.clientIp));
    const bytes = files.get(request.params.name);
    if (!bytes) throw commonErrors.NOT_FOUND();
    return reply
      .header('cache-control', 'public, max-age=31536000, immutable')
      .header('cross-origin-resource-policy', 'same-origin')
      .type(typeOf(request.params.name)!)
      .send(bytes);
  });
  const addressOfFile = (file: string) => {
    const bytes = files.get(file);
    if (!bytes) return undefined;
    return `${PATH}/${file}?v=${createHash('sha256').update(bytes).digest('base64url').slice(0, 12)}`;
  };
  const drawings = {
    mark: addressOfFile('mark.svg'),
    wordmark: addressOfFile('wordmark.svg'),
    wordmarkLight: addressOfFile('wordmark-light.svg'),
  };
  return {
    settings: { name, ...Object.fromEntries(Object.entries(drawings).filter(([, address]) => address)) },
    stylesheet: addressOfFile('brand.css'),
    ground: /--brand-ground:\s*(#[0-9a-f]{3,8})/i.exec(String(files.get('brand.css') ?? ''))?.[1],
    addressOf: addressOfFile,
  };
}

const typeOf = (file: string): string | undefined => TYPES[file.split('.').at(-1)!];
