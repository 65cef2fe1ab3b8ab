import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startSandbox } from '../sandbox/server.ts';
import { fixture } from './kit/fixture.ts';
import { startDurablePostgres } from './kit/processes/durable.ts';
import { freePorts } from './kit/processes/ports.ts';
import { startProcess } from './kit/processes/process.ts';
import { until } from './kit/until.ts';

const ROOT = resolve(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'croupier-staging-'));
const database = fixture(() => startDurablePostgres('staging'));
/** The settings that `prepare` wrote, and a copy of them with free ports. */
let prepared: Record<string, string>;
let settings: Record<string, string>;
let api: Awaited<ReturnType<typeof startProcess>>;
let worker: Awaited<ReturnType<typeof startProcess>>;
let endSandbox: () => Promise<unknown>;

/** Uses the settings that `deploy/staging/prepare` writes, with ports that are free on this machine. */
beforeAll(async () => {
  const url = database.url;
  execFileSync(join(ROOT, 'deploy/staging/prepare'), [folder, url], { stdio: 'pipe' });
  const [port, sandboxPort, smtpPort] = await freePorts(3);
  prepared = parseEnv(readFileSync(join(folder, 'croupier.env'), 'utf8')) as Record<string, string>;
  const onFreePorts = Object.entries(prepared).map(([name, value]) => [
    name,
    value
      .replaceAll('127.0.0.1:3900', `127.0.0.1:${sandboxPort}`)
      .replaceAll('127.0.0.1:3925', `127.0.0.1:${smtpPort}`),
  ]);
  const ports = {
    PORT: String(port),
    SANDBOX_PORT: String(sandboxPort),
    SANDBOX_SMTP_PORT: String(smtpPort),
  };
  settings = { ...Object.fromEntries(onFreePorts), ...ports };
  const files = { DATA_DIR: join(folder, 'data'), HOST: '127.0.0.1' };
  const child = spawn(process.execPath, [join(ROOT, 'sandbox/main.ts')], {
    env: { PATH: process.env.PATH, ...settings, APP_ENV: 'local' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  endSandbox = async () => {
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  await once(child.stdout, 'data');
  api = await startProcess({ ...settings, ...files });
  worker = await startProcess({ ...settings, ...files, WORKER_PORT: '0' }, 'worker');
});
afterAll(async () => {
  await worker?.end();
  await api?.end();
  await endSandbox?.();
  rmSync(folder, { recursive: true, force: true });
});

test('starts staging with exactly the settings that the prepare command writes', () => {
  expect([api.url !== undefined, worker.url !== undefined], `${api.output()}${worker.output()}`).toEqual([
    true,
    true,
  ]);
  expect(settings.APP_ENV).toBe('staging');
});

test("contains the sandbox's addresses and every setting that production sets", async () => {
  const sandbox = await startSandbox({ port: 0, host: '127.0.0.1' });
  await sandbox.close();
  for (const name of ['PUBLIC_CHAIN_URL', 'CRM_URL', 'CAPTCHA_VERIFY_URL', 'KYC_API_URL', 'OIDC_ISSUER'])
    expect(prepared[name], name).toBe(sandbox.env[name]!.replace(sandbox.url, 'https://127.0.0.1:3900'));
  const example = parseEnv(readFileSync(join(ROOT, 'deploy/croupier.env.example'), 'utf8'));
  expect(Object.keys(prepared)).toEqual(expect.arrayContaining(Object.keys(example)));
  for (const name of ['REALTIME_URL', 'PUBLIC_API_URL', 'SHUTDOWN_DRAIN_MS', 'MAIL_FROM'])
    expect(prepared[name], name).toBe(example[name]);
});

test('gives a shell the same settings as the systemd units', () => {
  const read = 'set -a; . "$0/croupier.env"; exec env -0';
  const inShell = execFileSync('sh', ['-euc', read, folder], { encoding: 'utf8', env: {} });
  const pairs = inShell.split('\0').filter(Boolean);
  expect(pairs).toEqual(
    expect.arrayContaining(Object.entries(prepared).map(([name, value]) => `${name}=${value}`)),
  );
});

test('uses certificates from an authority that the browser can trust', async () => {
  const ca = readFileSync(join(folder, 'ca.pem'), 'utf8');
  expect((await outside('GET', '/inbox.json')).status).toBe(200);
  expect(ca).toContain('BEGIN CERTIFICATE');
  for (const host of ['api.casino.example', '127.0.0.1'])
    execFileSync('openssl', [
      'verify',
      '-CAfile',
      join(folder, 'ca.pem'),
      ...(host === '127.0.0.1' ? ['-verify_ip', host] : ['-verify_hostname', host]),
      join(folder, 'fullchain.pem'),
    ]);
});

test('signs up a player with a sandbox captcha, an email and a deposit', async () => {
  const refused = await signUp('invented');
  expect(refused.status).toBe(400);
  const { token } = JSON.parse((await outside('POST', '/captcha/token', { action: 'sign-up' })).text);
  const signedUp = await signUp(token);
  expect(signedUp.status, signedUp.ok ? undefined : await signedUp.text()).toBe(200);
  expect(signedUp.headers.getSetCookie().every((cookie) => /^__Host-.*; Secure/.test(cookie))).toBe(true);
  const { accessToken } = (await signedUp.json()) as { accessToken: { token: string } };
  await until(async () => (await outside('GET', '/inbox.json?to=trial@casino.example')).text.length > 2);

  const get = async (path: string) => {
    const answer = await fetch(`${api.url}${path}`, {
      headers: { authorization: `Bearer ${accessToken.token}` },
    });
    return (await answer.json()) as { payAddress?: string };
  };
  const { payAddress } = await get('/payments/deposit/address?currencyId=USDT&networkId=tron');
  const coins = { address: payAddress, currencyId: 'USDT', networkId: 'tron', amount: '25' };
  expect((await outside('POST', '/payments/coins', coins)).status).toBe(200);
  await until(async () => JSON.stringify(await get('/payments/deposit')).includes('COMPLETED'));
  expect(await get('/accounting/balances')).toMatchObject([{ currencyId: 'USDT', amount: '25' }]);
});

function signUp(captcha: string): Promise<Response> {
  return fetch(`${api.url}/auth/sign-up`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-captcha-token': captcha },
    body: JSON.stringify({
      username: 'trial_player',
      email: 'trial@casino.example',
      password: 'words that nobody else knows',
    }),
  });
}

/** Calls the sandbox over TLS and trusts only the certificate authority that `prepare` created. */
function outside(method: string, path: string, body?: object): Promise<{ status: number; text: string }> {
  const ca = readFileSync(join(folder, 'ca.pem'));
  return new Promise((done, fail) => {
    const asked = request(
      { host: '127.0.0.1', port: settings.SANDBOX_PORT, path, method, ca },
      async (response) => {
        let text = '';
        for await (const chunk of response.setEncoding('utf8')) text += chunk;
        done({ status: response.statusCode!, text });
      },
    );
    asked.on('error', fail);
    asked.end(body && JSON.stringify(body));
  });
}
