import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { platformPorts } from '../kit/processes/ports.ts';

export type Platform = Awaited<ReturnType<typeof startPlatform>>;
export type SignIn = { email: string; password: string };

const CROUPIER = 'src/bin/croupier.ts';

/** Rate limits are off, because one browser loads more pages per minute than any user. */
const UNLIMITED = {
  RATE_LIMIT_PUBLIC: '0',
  RATE_LIMIT_FILE: '0',
  RATE_LIMIT_READ: '0',
  RATE_LIMIT_AUTH: '0',
};

/** Runs `npm start` on free ports with a separate database. */
export async function startPlatform(settings: Record<string, string> = {}) {
  const dataDir = mkdtempSync(join(tmpdir(), 'croupier-browser-'));
  const { PATH = '', HOME = '' } = process.env;
  const ports = await platformPorts();
  const env = { PATH, HOME, DATA_DIR: dataDir, LOG_LEVEL: 'warn', ...UNLIMITED, ...settings, ...ports };
  let output = '';
  const begin = async () => {
    const from = output.length;
    const child = spawn(process.execPath, [CROUPIER, 'start'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    const ready = new Promise<void>((resolve) => {
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (chunk: Buffer) => {
          output += chunk.toString();
          if (/^ready /m.test(output.slice(from))) resolve();
        });
    });
    const failed = ended.then(() => Promise.reject(new Error(`The platform did not start:\n${output}`)));
    await Promise.race([ready, failed]);
    const end = async () => {
      child.kill('SIGTERM');
      await ended;
    };
    return { pid: child.pid!, end };
  };
  let running = await begin();
  return {
    /** Returns the process id of the supervisor. */
    pid: () => running.pid,
    api: `http://127.0.0.1:${env.PORT}`,
    realtime: `http://127.0.0.1:${env.REALTIME_PORT}`,
    sandbox: `http://127.0.0.1:${env.SANDBOX_PORT}`,
    debugToken: settings.DEBUG_TOKEN ?? '',
    log: () => output,
    /** Runs a command of `croupier` in the platform's environment. Returns its output. */
    async run(...args: string[]): Promise<string> {
      const { stdout } = await promisify(execFile)(process.execPath, [CROUPIER, ...args], { env }).catch(
        (error) => Promise.reject(new Error(`croupier ${args[0]}: ${error.stdout}${error.stderr}`)),
      );
      return stdout;
    },
    /** Stops all processes and starts them again with the same data. `meanwhile` runs while nothing responds. */
    async restart(meanwhile: () => Promise<void>): Promise<void> {
      await running.end();
      await meanwhile();
      running = await begin();
    },
    async stop(): Promise<void> {
      await running.end();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Calls a control endpoint of the sandbox. */
export async function tellSandbox({ sandbox }: Platform, path: string, body: object): Promise<void> {
  const response = await fetch(`${sandbox}${path}`, { method: 'POST', body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
}

/** Fills a platform with demo data. Returns the first superadmin, and a player. */
export async function fillWithDemo(
  platform: Platform,
  options: { players: number; days: number; seed: number },
) {
  const flags = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const output = await platform.run('demo', ...flags);
  const userOf = (role: string): SignIn => {
    const [, email = '', password = ''] = new RegExp(`${role}\\s+(\\S+)\\s+(\\S+)`).exec(output) ?? [];
    return { email, password };
  };
  return { superadmin: userOf('SUPERADMIN'), player: userOf('  player') };
}
