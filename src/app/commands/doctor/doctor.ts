import { constants, existsSync } from 'node:fs';
import { access, statfs } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { problemWithFolder } from '../../../http/content/brand.ts';
import { type Config, ConfigError, describeSettings, loadConfig } from '../../../platform/config/config.ts';
import { isGuessable } from '../../../platform/config/guessable.ts';
import { openDatabase } from '../../boot.ts';
import { reasonOf } from '../../reasons.ts';
import { checkDatabase } from './database.ts';
import { checkEndpoints } from './endpoints.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

type Environment = Record<string, string | undefined>;

const NODE_MAJOR = 24;
const PROBE_MS = 2000;
const GIB = 1024 ** 3;
const PORTS = ['PORT', 'BACKOFFICE_PORT', 'REALTIME_PORT', 'WORKER_PORT'] as const;
const KEYS = ['JWT_SECRET', 'SEED_SECRET', 'DATA_SECRET'] as const;

/** Checks this installation with the settings of `env`. It changes nothing. `wait` is called with the current work. */
export async function examine(env: Environment, wait: (work: string) => void): Promise<Finding[]> {
  const node = checkNode();
  let config: Config;
  try {
    config = loadConfig(env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const remedy = 'correct the setting; npx croupier config check shows all settings';
    return [node, ...error.problems.map((message) => problem('configuration', message, remedy))];
  }
  const given = new Set(Object.keys(env).filter((name) => env[name]?.trim()));
  wait('checking ports and endpoints');
  const endpoints = checkEndpoints(config, given);
  const ports = await Promise.all(PORTS.map((name) => checkPort(name, config)));
  const database = await onDatabase(config, wait);
  return [
    node,
    ok('configuration', `usable, APP_ENV is ${config.APP_ENV}`),
    ...checkSecrets(config, env),
    ...ports,
    ...database,
    await checkDisk(config),
    ...checkBrand(config),
    ...(await endpoints),
  ];
}

function checkNode(): Finding {
  const { node } = process.versions;
  return Number.parseInt(node, 10) >= NODE_MAJOR
    ? ok('node', `version ${node}`)
    : problem('node', `version ${node} is too old`, `use Node ${NODE_MAJOR} (node_modules/.bin/node)`);
}

/** In staging and production, loadConfig rejects weak secrets. In development, generated secrets are strong. */
function checkSecrets(config: Config, env: Environment): Finding[] {
  const weak = KEYS.filter((name) => isGuessable(config[name]));
  const areEqual = new Set(KEYS.map((name) => config[name])).size < KEYS.length;
  const { unsafe } = describeSettings(env);
  if (weak.length > 0)
    return [warning('secrets', `${weak.join(', ')} can be guessed`, 'set each from openssl rand -hex 32')];
  if (areEqual)
    return [warning('secrets', `${KEYS.join(', ')} do not all differ`, 'set each from openssl rand -hex 32')];
  if (unsafe.length === 0) return [ok('secrets', 'strong')];
  const count = `the secrets are strong, but ${unsafe.length} settings are only for ${config.APP_ENV}`;
  return [ok('secrets', `${count} (npx croupier config check)`)];
}

/** A port is fine if it is free, or if one of our processes listens on it. */
async function checkPort(name: (typeof PORTS)[number], { HOST, ...config }: Config): Promise<Finding> {
  const port = config[name];
  if (port === 0) return ok(name, 'any free port');
  const twin = PORTS.find((other) => other !== name && config[other] === port);
  if (twin !== undefined)
    return problem(name, `${port} is also the port of ${twin}`, `set ${name} or ${twin}`);
  const code = await listenCode(port, HOST);
  if (code === undefined) return ok(name, `${port} is free`);
  if (code !== 'EADDRINUSE')
    return problem(name, `this process cannot listen on ${HOST}:${port} (${code})`, `set ${name} or HOST`);
  return (await isOurs(port, HOST))
    ? ok(name, `${port} is used by this platform`)
    : problem(name, `${port} is used by another program`, `stop that program, or set ${name}`);
}

/** Returns the code of the error with which listening fails, or undefined. */
function listenCode(port: number, host: string): Promise<string | undefined> {
  return new Promise((done) => {
    const server = createServer();
    server.once('error', ({ code }: NodeJS.ErrnoException) => done(code ?? 'unknown'));
    server.listen(port, host, () => server.close(() => done(undefined)));
  });
}

/** Every part answers `/version`, except the backoffice, which names itself at `/`. */
async function isOurs(port: number, host: string): Promise<boolean> {
  const name =
    host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : host.includes(':') ? `[${host}]` : host;
  const read = async (path: string): Promise<Record<string, unknown>> => {
    const response = await fetch(`http://${name}:${port}${path}`, { signal: AbortSignal.timeout(PROBE_MS) });
    return response.ok ? ((await response.json()) as Record<string, unknown>) : {};
  };
  try {
    const version = await read('/version');
    if ('version' in version && 'commit' in version && 'time' in version) return true;
    const { service } = await read('/');
    return typeof service === 'string' && service.startsWith('Croupier ');
  } catch {
    return false;
  }
}

/** Checks the free space of DATA_DIR, or of the nearest folder that exists, and whether this user may write to it. */
async function checkDisk({ DATA_DIR, DATABASE_URL, FILE_STORAGE }: Config): Promise<Finding> {
  let folder = resolve(DATA_DIR);
  while (!existsSync(folder)) folder = dirname(folder);
  const isUsed = !DATABASE_URL || FILE_STORAGE === 'disk';
  const unusable =
    isUsed && (await unusableFolder([folder, join(DATA_DIR, 'secrets'), join(DATA_DIR, 'files')]));
  if (unusable)
    return problem(
      'disk',
      unusable,
      'run as the user of the services, or set DATA_DIR to a folder that it may write to',
    );
  const { bavail, blocks, bsize } = await statfs(folder);
  const free = bavail * bsize;
  const share = Math.round((100 * bavail) / Math.max(1, blocks));
  const message = `${(free / GIB).toFixed(1)} GiB (${share} %) free in ${folder}`;
  if (free < GIB) return problem('disk', message, 'free some space, or set DATA_DIR to another disk');
  return free < 5 * GIB || share < 5
    ? warning('disk', message, 'free some space, or enlarge the disk')
    : ok('disk', message);
}

/** Returns the reason why one of these folders cannot be used. Folders that do not exist yet can be created. */
async function unusableFolder(folders: readonly string[]): Promise<string | undefined> {
  for (const folder of folders) {
    // The slash makes it an error if it is a file.
    const failure = await access(`${folder}/`, constants.R_OK | constants.W_OK | constants.X_OK).catch(
      (error: NodeJS.ErrnoException) => error,
    );
    if (failure && failure.code !== 'ENOENT') return reasonOf(failure);
  }
  return undefined;
}

function checkBrand({ BRAND_DIR }: Config): Finding[] {
  if (BRAND_DIR === undefined) return [];
  const failure = problemWithFolder(BRAND_DIR);
  const remedy = 'correct BRAND_DIR, or remove it to use the shipped brand';
  return [failure ? problem('brand', failure, remedy) : ok('brand', `the folder ${BRAND_DIR} can be read`)];
}

async function onDatabase(config: Config, wait: (work: string) => void): Promise<Finding[]> {
  const isEmbedded = !config.DATABASE_URL;
  if (isEmbedded && !existsSync(join(resolve(config.DATA_DIR, 'postgres'), 'PG_VERSION')))
    return [ok('database', 'embedded; the first start creates it')];
  wait('checking the database');
  let url: string | undefined;
  let stop = async () => {};
  try {
    const database = await openDatabase(config, () => {});
    ({ url, stop } = database);
    return await checkDatabase(url, config);
  } catch (error) {
    const message = reasonOf(error, url ?? config.DATABASE_URL, { isEmbedded });
    return [problem('database', message, 'then run npx croupier doctor again')];
  } finally {
    await stop();
  }
}
