import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { platformPorts } from '../kit/processes/ports.ts';

/** Rate limits are off, because one browser loads more pages per minute than any user. */
const UNLIMITED = { RATE_LIMIT_PUBLIC: '0', RATE_LIMIT_READ: '0', RATE_LIMIT_AUTH: '0' };

export type Started = Awaited<ReturnType<typeof startPlatform>>;

/** Runs a command in a platform's environment. */
export async function run(file: string, env: Record<string, string>, ...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [file, ...args], { env }).catch((error) => {
    throw new Error(`${file}: ${error.stdout}${error.stderr}`);
  });
  return stdout;
}

/** Runs npx croupier reconcile on a platform's database. Returns true if the books balance. */
export async function booksAgree({ env }: { env: Record<string, string> }): Promise<boolean> {
  const refusal = await run('src/bin/croupier.ts', env, 'reconcile').then(
    () => undefined,
    (error: Error) => error.message,
  );
  console.log(refusal === undefined ? 'ok      reconcile proves the books' : `FAILED  ${refusal}`);
  return refusal === undefined;
}

/** Runs `npm start` on free ports. */
export async function startPlatform(settings: Record<string, string> = {}) {
  const dataDir = mkdtempSync(join(tmpdir(), 'croupier-browser-'));
  const { PATH = '', HOME = '' } = process.env;
  const env: Record<string, string> = {
    PATH,
    HOME,
    DATA_DIR: dataDir,
    LOG_LEVEL: 'warn',
    ...UNLIMITED,
    ...settings,
    ...(await platformPorts()),
  };
  const child = spawn(process.execPath, ['src/bin/croupier.ts', 'start'], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const ready = new Promise<void>((resolve) => {
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString();
        if (/^ready /m.test(output)) resolve();
      });
  });
  await Promise.race([
    ready,
    ended.then(() => {
      throw new Error(`the platform did not start:\n${output}`);
    }),
  ]);
  return {
    dataDir,
    env,
    api: `http://127.0.0.1:${env.PORT}`,
    realtime: `http://127.0.0.1:${env.REALTIME_PORT}`,
    sandbox: `http://127.0.0.1:${env.SANDBOX_PORT}`,
    async stop(shows: boolean) {
      child.kill('SIGTERM');
      await ended;
      if (shows) console.log(output);
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
