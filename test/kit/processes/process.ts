import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { assertNothingLeaked, keepSecret, seeOutput } from '../http/canaries.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/**
 * Starts `node src/bin/part.ts` with only these settings and waits until it listens or has ended. `output` returns everything that the
 * process has printed. `url` is undefined if the process did not start. `root` is the checkout or a copy of it.
 */
export async function startProcess(env: Record<string, string>, part = 'api', root = ROOT) {
  const { listening, ...started } = spawnProcess(env, part, root);
  return { ...started, url: await listening };
}

/** Like `startProcess`, but does not wait. `listening` resolves to the URL, or to undefined if the process has ended. */
export function spawnProcess(env: Record<string, string>, part = 'api', root = ROOT) {
  keepSecret(env);
  const child = spawn(process.execPath, [join(root, 'src/bin/part.ts'), part], {
    env: { PATH: process.env.PATH, PORT: '0', LOG_LEVEL: 'warn', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  let output = '';
  const ready = new Promise<string>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        output += chunk;
        const url = /^ready {2}\w+ (\S+)$/m.exec(output)?.[1];
        if (url) resolve(url);
      });
    }
  });
  return {
    listening: Promise.race([ready, ended.then(() => undefined)]),
    pid: child.pid!,
    output: () => output,
    /** Sends SIGTERM if the process is still running. Returns the exit code. */
    async end(): Promise<number | null> {
      child.kill('SIGTERM');
      const [exitCode] = await ended;
      seeOutput(part, output);
      assertNothingLeaked();
      return exitCode;
    },
  };
}
