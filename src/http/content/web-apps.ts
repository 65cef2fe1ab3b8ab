import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { commonErrors } from '../../platform/errors.ts';
import { etagOf, policyOf, queryOf } from '../docs/pages.ts';
import { acceptedEncoding, createDocument, varyBy } from '../server/compress.ts';
import { countFile, type RateLimiter } from '../server/rate-limit.ts';
import { type Brand, registerBrand, type ShownBrand } from './brand.ts';
import { manifestOf, previewOf, titled } from './installable.ts';

/**
 * A single-page application, built into a folder (web/build.ts). `base` is the path under which it is served, without a trailing slash.
 */
export type WebApp = {
  name: string;
  base: string;
  folder: string;
  about: string;
  /** Browsers that open the root of the service are redirected to this application. */
  isFront?: boolean;
  /** Provider games open in a frame within this application. */
  framesGames?: boolean;
  /** The application shows the environment in which it runs. */
  showsEnvironment?: boolean;
};

/** Origins that the pages may load from and connect to, in addition to their own origin. */
export type WebOrigins = {
  files: string;
  realtime: string;
  captchaScript: string | undefined;
  /** Origins of provider games. */
  games: readonly string[];
  /** Public address of this service, for link previews. */
  site: string;
};

/** The applications of a service, the origins that they may contact, the operator's brand, and the environment (APP_ENV). */
export type WebPages = {
  apps: readonly WebApp[];
  origins: WebOrigins;
  brand: Brand;
  environment: string;
};

type File = { type: string; plain: Buffer; gzip?: Buffer | undefined; brotli?: Buffer | undefined };

/** Content types of built files, by extension. */
export const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  md: 'text/markdown; charset=utf-8',
  txt: 'text/plain; charset=utf-8',
  json: 'application/json; charset=utf-8',
  woff2: 'font/woff2',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  webp: 'image/webp',
  png: 'image/png',
};

/** Returns only the applications that have been built. */
export const builtApps = (apps: readonly WebApp[]): WebApp[] =>
  apps.filter(({ folder }) => existsSync(join(folder, 'index.html')));

/**
 * Serves single-page applications. Files in `assets` have a hash in their names and may be cached forever. Every other path below the base
 * returns the application's page, which handles routing in the browser. Files stay in memory and are read again after a new build. Until an
 * application is built, its URLs return 404 with the command that builds it.
 */
export function registerWebApps(
  app: FastifyInstance,
  { apps, origins, brand, environment }: WebPages,
  limiter: RateLimiter,
): void {
  const admit = (request: FastifyRequest) => countFile(limiter, request.clientIp);
  const shown = registerBrand(app, brand, limiter);
  for (const { name, base, folder, framesGames = false, isFront = false, showsEnvironment } of apps) {
    // The console keeps its own colours, so that staff never mistake it for the lobby.
    const ownBrand = isFront ? shown : { ...shown, stylesheet: undefined };
    const built = readerOf(
      { base, folder, isFront, environment: showsEnvironment ? environment : undefined },
      { ...origins, ...(!framesGames && { games: [] }) },
      ownBrand,
    );
    // Reads the files now, so that the first request does not wait for them.
    built();
    app.get(`${base}/assets/:name`, async (request, reply) => {
      admit(request);
      const file = built()?.assets.get((request.params as { name: string }).name);
      if (!file) throw commonErrors.NOT_FOUND();
      reply.header('cache-control', 'public, max-age=31536000, immutable');
      return sendFile(request, reply, file);
    });
    const sendPage = async (request: FastifyRequest, reply: FastifyReply) => {
      admit(request);
      const files = built();
      if (!files) return sendNotBuilt(reply, name, 'npm run web');
      const { document, policy, etag } = files;
      reply
        .header('content-security-policy', policy)
        .header('etag', etag)
        .header('cache-control', 'no-cache');
      if (request.headers['if-none-match'] === etag) return reply.code(304).send();
      return reply.type('text/html; charset=utf-8').send(await document(request, reply));
    };
    app.get(base, async (request, reply) => {
      admit(request);
      return reply.redirect(`${base}/${queryOf(request.url)}`, 302);
    });
    if (isFront)
      app.get(`${base}/manifest.webmanifest`, async (request, reply) => {
        admit(request);
        const files = built();
        if (!files) return sendNotBuilt(reply, name, 'npm run web');
        return reply
          .header('cache-control', 'no-cache')
          .type('application/manifest+json; charset=utf-8')
          .send(files.manifest);
      });
    if (framesGames) registerLeavePage(app, { base, games: origins.games, admit });
    app.get(`${base}/`, sendPage);
    app.get(`${base}/*`, sendPage);
  }
}

/**
 * A provider's Home button opens this page inside its game's frame, and the page asks the surrounding lobby to close the game. Outside a
 * frame it opens the list of games. Provider frames may be nested.
 */
function registerLeavePage(
  app: FastifyInstance,
  {
    base,
    games,
    admit,
  }: { base: string; games: readonly string[]; admit: (request: FastifyRequest) => void },
): void {
  const html = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8" /><title>Back to the games</title></head>
<body>
<p><a href="${base}/games" target="_top">Back to the games</a></p>
<script>if (top === self) location.replace('${base}/games'); else top.postMessage({ type: 'croupier-leave' }, location.origin);</script>
</body>
</html>
`;
  const policy = policyOf(html, ["'self'", ...games]);
  app.get(`${base}/leave`, async (request, reply) => {
    admit(request);
    reply.removeHeader('x-frame-options').header('content-security-policy', policy);
    return reply.type('text/html; charset=utf-8').send(html);
  });
}

/** Responds with 404 and the command that builds the missing pages. */
export const sendNotBuilt = (reply: FastifyReply, name: string, command: string) =>
  reply
    .code(404)
    .header('cache-control', 'no-store')
    .type('text/plain; charset=utf-8')
    .send(
      `The ${name} is not built on this server. Run "${command}" in its checkout, then reload this page.\n`,
    );

/**
 * Returns a function that provides what `read` returns for the last complete build, even while a new build is running. That function
 * returns undefined until the first build is complete. `mark` is a file of which every build writes a new one.
 */
export function lastBuild<T>(mark: string, read: () => T): () => T | undefined {
  let at: number | undefined;
  let files: T | undefined;
  return () => {
    const now = statSync(mark, { throwIfNoEntry: false })?.mtimeMs;
    if (now !== undefined && now !== at) {
      files = read();
      at = now;
    }
    return files;
  };
}

type BuiltApp = Pick<Required<WebApp>, 'base' | 'folder' | 'isFront'> & { environment: string | undefined };

/** Provides the application's last complete build. */
function readerOf(app: BuiltApp, origins: WebOrigins, brand: ShownBrand) {
  const index = join(app.folder, 'index.html');
  return lastBuild(index, () => {
    const assets = assetsOf(app.folder);
    const shown = { base: app.base, assets: [...assets.keys()], brand, site: origins.site };
    const head = app.isFront ? previewOf(shown) : '';
    return {
      assets,
      manifest: manifestOf(shown),
      ...pageOf(index, { head, environment: app.environment, brand }, origins),
    };
  });
}

/** Sends the smallest encoding that the browser accepts. */
function sendFile(request: FastifyRequest, reply: FastifyReply, file: File) {
  varyBy(reply, 'Accept-Encoding');
  reply.header('cross-origin-resource-policy', 'same-origin').type(file.type);
  const forms = { br: file.brotli, gzip: file.gzip };
  const encoding = acceptedEncoding(
    request,
    (['br', 'gzip'] as const).filter((one) => forms[one]),
  );
  if (encoding) reply.header('content-encoding', encoding);
  return reply.send(encoding ? forms[encoding] : file.plain);
}

type Assets = ReadonlyMap<string, File>;

/** Shared by all servers of a process, because the files of one build take megabytes. */
const assetReaders = new Map<string, () => Assets | undefined>();

/** Returns the files of an application's last complete build. */
function assetsOf(folder: string): Assets {
  let read = assetReaders.get(folder);
  if (!read) {
    read = lastBuild(join(folder, 'index.html'), () => readAssets(join(folder, 'assets')));
    assetReaders.set(folder, read);
  }
  return read() ?? new Map();
}

function readAssets(folder: string): Assets {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const bytesOf = (name: string) => (names.includes(name) ? readFileSync(join(folder, name)) : undefined);
  const files = names.flatMap((name) => {
    const type = TYPES[name.split('.').at(-1)!];
    if (!type) return [];
    const packed = { gzip: bytesOf(`${name}.gz`), brotli: bytesOf(`${name}.br`) };
    return [[name, { type, plain: bytesOf(name)!, ...packed }] as const];
  });
  return new Map(files);
}

/** Returns the page with its settings embedded, and the Content-Security-Policy that restricts it to these origins. */
function pageOf(
  file: string,
  { head, environment, brand }: { head: string; environment: string | undefined; brand: ShownBrand },
  { files, realtime, captchaScript, games }: WebOrigins,
) {
  const hasCaptcha = captchaScript !== undefined;
  const settings = JSON.stringify({
    realtime,
    hasCaptcha,
    brand: brand.settings,
    environment,
  }).replaceAll('<', '\\u003c');
  const styles = brand.stylesheet ? `<link rel="stylesheet" href="${brand.stylesheet}" />` : '';
  const script = captchaScript ? `<script src="${captchaScript}" async defer></script>` : '';
  const html = titled(readFileSync(file, 'utf8'), brand.settings.name).replace(
    '<!-- settings -->',
    () => `<script type="application/json" id="settings">${settings}</script>${styles}${head}${script}`,
  );
  const captcha = captchaScript ? ` ${new URL(captchaScript).origin}` : '';
  // A game's frame may navigate to the lobby's page that closes the game.
  const frames = new Set([
    ...(captcha ? [captcha.trim()] : []),
    ...(games.length > 0 ? ["'self'"] : []),
    ...games,
  ]);
  const socket = realtime.replace(/^http/, 'ws');
  const directives = [
    "default-src 'none'",
    `script-src 'self'${captcha}`,
    "style-src 'self'",
    `img-src ${[...new Set(["'self'", 'data:', 'blob:', new URL(files).origin, ...games])].join(' ')}`,
    "font-src 'self'",
    "manifest-src 'self'",
    `connect-src 'self' ${realtime} ${socket}${captcha}`,
    `frame-src ${[...frames].join(' ') || "'none'"}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    ...(captcha ? [] : ["require-trusted-types-for 'script'"]),
  ];
  return { document: createDocument(html), policy: directives.join('; '), etag: etagOf(html) };
}
