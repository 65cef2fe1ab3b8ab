import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from './server.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ port: 0, host: '127.0.0.1' });
});
afterAll(() => sandbox.close());

/** Sends the path as written, because fetch would normalise it. */
const get = (path: string) =>
  new Promise<number | undefined>((resolve, reject) => {
    request({ host: '127.0.0.1', port: sandbox.port, path }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });

test.each(['//', '///', 'http://[', '//:x'])(
  'returns 400 for the malformed path %s and keeps working',
  async (path) => {
    expect(await get(path)).toBe(400);
    expect(await get('/')).toBe(200);
    expect(await get('/nothing')).toBe(404);
  },
);

test.each(['staging', 'production'])('does not start with APP_ENV=%s', async (APP_ENV) => {
  const main = fileURLToPath(new URL('main.ts', import.meta.url));
  const env = { PATH: process.env.PATH, APP_ENV, SANDBOX_PORT: '0' };
  const child = spawn(process.execPath, [main], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  // If the sandbox starts unexpectedly, it must not continue to run after the test.
  child.stdout.on('data', () => child.kill());
  child.stderr.on('data', (chunk) => {
    output += chunk;
  });
  const [code] = await once(child, 'close');
  expect([code, output]).toEqual([2, expect.stringContaining(`does not start with APP_ENV=${APP_ENV}`)]);
});
