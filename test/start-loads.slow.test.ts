import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { PartName } from '../src/app/apps.ts';
import { fixture } from './kit/fixture.ts';
import { startDurablePostgres } from './kit/processes/durable.ts';
import { startProcess } from './kit/processes/process.ts';

const server = fixture(() => startDurablePostgres('loads'));

/** Returns a flag that makes a process record every file that it loads, and functions that read this record. */
function watchLoads(name: string) {
  const file = join(server.dataDir, `${name}.loaded`);
  const hook = `import { registerHooks } from 'node:module';
    import { appendFileSync } from 'node:fs';
    registerHooks({ load(url, context, next) { appendFileSync(${JSON.stringify(file)}, url + '\\n'); return next(url, context); } });`;
  return {
    flag: `--import=data:text/javascript,${encodeURIComponent(hook)}`,
    files: () => readFileSync(file, 'utf8').trim().split('\n'),
    packages: () =>
      new Set(
        readFileSync(file, 'utf8')
          .split('\n')
          .map((url) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1]),
      ),
  };
}

/** Packages that are loaded on first use, or if a setting requires them. Each of them would slow down every start of every part. */
const LATER = [
  '@aws-sdk/client-s3',
  '@fastify/ajv-compiler',
  '@fastify/fast-json-stringify-compiler',
  '@node-rs/argon2',
  '@opentelemetry/exporter-trace-otlp-http',
  '@opentelemetry/sdk-trace',
  '@redis/client',
  '@scalar/fastify-api-reference',
  '@simplewebauthn/server',
  '@socket.io/redis-streams-adapter',
  '@zxcvbn-ts/language-common',
  'ajv',
  'cockatiel',
  'eta',
  'file-type',
  'flydrive',
  'jose',
  'multicoin-address-validator',
  'nodemailer',
  'openid-client',
  'otplib',
  'qrcode',
  'rabbitmq-client',
  'sharp',
];
const SOCKETS = ['@socket.io/postgres-adapter', 'socket.io'];
/** Packages that are needed only by the worker and by the part that starts first. */
const JOBS = ['graphile-worker'];

test('lists only installed packages', () => {
  const installed = (name: string) =>
    existsSync(new URL(`../node_modules/${name}/package.json`, import.meta.url));
  expect([...LATER, ...SOCKETS].filter((name) => !installed(name))).toEqual([]);
});

describe('a started service', () => {
  test.each<[PartName, string[]]>([
    ['api', SOCKETS],
    ['backoffice', [...SOCKETS, ...JOBS]],
    ['realtime', JOBS],
    ['worker', SOCKETS],
  ])('does not load modules in %s that only some requests or installations need', async (name, others) => {
    const loads = watchLoads(name);
    const started = await startProcess(
      {
        APP_ENV: 'local',
        DATA_DIR: server.dataDir,
        DATABASE_URL: server.url,
        NODE_OPTIONS: loads.flag,
        BACKOFFICE_PORT: '0',
        REALTIME_PORT: '0',
        WORKER_PORT: '0',
      },
      name,
    );
    try {
      expect(started.url, started.output()).toBeDefined();
      const packages = loads.packages();
      expect(packages).toContain('fastify');
      expect([...LATER, ...others].filter((later) => packages.has(later))).toEqual([]);
    } finally {
      expect(await started.end()).toBe(0);
    }
  });
});

test('loads neither the application nor its SQL libraries in the supervisor', async () => {
  const loads = watchLoads('supervisor');
  const root = fileURLToPath(new URL('../', import.meta.url));
  await promisify(execFile)(
    process.execPath,
    [loads.flag, '--input-type=module', '--eval', "await import('./src/app/supervisor.ts')"],
    { cwd: root },
  );
  expect(loads.files().some((url) => url.endsWith('/src/app/supervisor.ts'))).toBe(true);
  expect(loads.files().filter((url) => /\/src\/(http|modules|realtime)\//.test(url))).toEqual([]);
  expect(['fastify', 'graphile-worker', 'kysely'].filter((name) => loads.packages().has(name))).toEqual([]);
});
