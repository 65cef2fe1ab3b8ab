import { createHash } from 'node:crypto';
import { accessSync, constants, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { commonErrors } from '../../platform/errors.ts';
import type { Log } from '../../platform/observability/log.ts';
import { countFile, type RateLimiter } from '../server/rate-limit.ts';

/**
 * The operator's name, and the folder with the stylesheet and drawings that replace those of Croupier. `log` gets a warning for each entry
 * of the folder that is not served.
 */
export type Brand = { name: string; folder?: string | undefined; log?: Pick<Log, 'warn'> };

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
const FOREVER = 'public, max-age=31536000, immutable';
const SHORTLY = 'public, max-age=300';

/** A file in memory. The version is a part of its hash. */
type BrandFile = { type: string; bytes: Buffer; version: string };

/**
 * GET /brand/{name}: the files of the operator's brand, read once at start. The address in a page contains a hash of the file, so browsers
 * may keep the file forever. Throws if the folder cannot be read.
 */
export function registerBrand(
  app: FastifyInstance,
  { name, folder, log }: Brand,
  limiter: RateLimiter,
): ShownBrand {
  const files = folder === undefined ? new Map<string, BrandFile>() : readFiles(folder, log);
  type Request = { Params: { name: string }; Querystring: { v?: unknown } };
  app.get<Request>(`${PATH}/:name`, async ({ clientIp, params, query }, reply) => {
    countFile(limiter, clientIp);
    const file = files.get(params.name);
    if (!file) throw commonErrors.NOT_FOUND();
    return reply
      .header('cache-control', query.v === file.version ? FOREVER : SHORTLY)
      .header('cross-origin-resource-policy', 'same-origin')
      .type(file.type)
      .send(file.bytes);
  });
  const addressOfFile = (file: string) => {
    const found = files.get(file);
    return found && `${PATH}/${file}?v=${found.version}`;
  };
  const drawings = {
    mark: addressOfFile('mark.svg'),
    wordmark: addressOfFile('wordmark.svg'),
    wordmarkLight: addressOfFile('wordmark-light.svg'),
  };
  return {
    settings: { name, ...Object.fromEntries(Object.entries(drawings).filter(([, address]) => address)) },
    stylesheet: addressOfFile('brand.css'),
    ground: /--brand-ground:\s*(#[0-9a-f]{3,8})/i.exec(String(files.get('brand.css')?.bytes ?? ''))?.[1],
    addressOf: addressOfFile,
  };
}

/** Returns the reason why the brand's folder cannot be used, or undefined. */
export function problemWithFolder(folder: string): string | undefined {
  const path = resolve(folder);
  const explain = (problem: string) => `The folder in BRAND_DIR ${problem}: ${path}`;
  try {
    const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory();
    if (isFolder === undefined) return explain('does not exist');
    if (!isFolder) return explain('is not a folder');
    accessSync(path, constants.R_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    return explain(`cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

/** Reads the files of a brand by name. A link is followed only within the folder, as in a volume that Kubernetes mounts. */
function readFiles(folder: string, log: Brand['log']): Map<string, BrandFile> {
  const root = rootOf(folder);
  const files = new Map<string, BrandFile>();
  for (const name of readdirSync(root)) {
    if (name.startsWith('.')) continue;
    const type = typeOf(name);
    const path = type && fileWithin(root, name);
    if (type && path) files.set(name, brandFile(type, readFileSync(path)));
    else log?.warn({ name }, type ? NO_FILE : 'skipped a file of BRAND_DIR: its type is not served');
  }
  return files;
}

const NO_FILE = 'skipped an entry of BRAND_DIR: it is not a file inside the folder';

function rootOf(folder: string): string {
  const problem = problemWithFolder(folder);
  if (problem === undefined) return realpathSync(folder);
  throw new Error(`${problem}. Correct the setting, or remove it to use the shipped brand.`);
}

/** Returns the real path of a regular file that is inside the folder, or undefined. */
function fileWithin(root: string, name: string): string | undefined {
  try {
    const path = realpathSync(join(root, name));
    const isInside = path.startsWith(root.endsWith(sep) ? root : root + sep);
    return isInside && statSync(path).isFile() ? path : undefined;
  } catch {
    // A link to a missing file, or to itself.
    return undefined;
  }
}

const brandFile = (type: string, bytes: Buffer): BrandFile => ({
  type,
  bytes,
  version: createHash('sha256').update(bytes).digest('base64url').slice(0, 12),
});

function typeOf(file: string): string | undefined {
  const extension = file.split('.').at(-1)!;
  return Object.hasOwn(TYPES, extension) ? TYPES[extension] : undefined;
}
