/** Runs the proxy and balancer of deploy/ on the loopback address, with their own certificate. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { until } from '../until.ts';
import { serverPorts } from './ports.ts';

const DEPLOY = resolve(import.meta.dirname, '../../../deploy');
const HAPROXY = join(DEPLOY, 'haproxy/haproxy.cfg');

const isInstalled = (program: string) => spawnSync(program, ['-v']).status === 0;
/** Returns true if nginx, HAProxy and openssl are installed. CI installs them first, so the tests fail there if one is missing. */
export const hasProxies = (): boolean =>
  Boolean(process.env.CI) ||
  (isInstalled('nginx') && isInstalled('haproxy') && spawnSync('openssl', ['version']).status === 0);

export type ProxyReply = { status: number; headers: Record<string, unknown>; text: string };

/**
 * Addresses (host:port) of two processes. In `Options`, `config` may change the configuration of nginx, and `balancerConfig` that of
 * HAProxy.
 */
type Pair = readonly [string, string];
type Change = (text: string) => string;
type Options = { api: Pair; realtime?: Pair; config?: Change; balancerConfig?: Change };
const NOBODY: Pair = ['127.0.0.1:1', '127.0.0.1:1'];

const unchanged: Change = (text) => text;

export async function startProxies({
  api,
  realtime = NOBODY,
  config = unchanged,
  balancerConfig = unchanged,
}: Options) {
  const folder = mkdtempSync(join(tmpdir(), 'croupier-proxy-'));
  chmodSync(folder, 0o755);
  const [apiPort, backofficePort, realtimePort, tls, plain] = await serverPorts(5);
  const file = join(folder, 'nginx.conf');
  const text = config(
    nginxConfig(folder, {
      api: apiPort!,
      backoffice: backofficePort!,
      realtime: realtimePort!,
      tls: tls!,
      plain: plain!,
    }),
  );
  writeFileSync(file, text);
  const balancerFile = join(folder, 'haproxy.cfg');
  writeFileSync(balancerFile, balancerConfig(readFileSync(HAPROXY, 'utf8')));
  const startBalancer = () =>
    spawn('haproxy', ['-db', '-f', balancerFile], {
      stdio: 'ignore',
      env: {
        PATH: process.env.PATH,
        BALANCER_API: `127.0.0.1:${apiPort}`,
        BALANCER_BACKOFFICE: `127.0.0.1:${backofficePort}`,
        BALANCER_REALTIME: `127.0.0.1:${realtimePort}`,
        API_1: api[0],
        API_2: api[1],
        BACKOFFICE: '127.0.0.1:1',
        REALTIME_1: realtime[0],
        REALTIME_2: realtime[1],
      },
    });
  const nginx = spawn('nginx', ['-c', file, '-e', 'stderr', '-g', `daemon off; pid ${folder}/nginx.pid;`], {
    stdio: 'ignore',
  });
  const balancer: ChildProcess = startBalancer();
  const agent = new Agent({
    keepAlive: true,
    maxSockets: 64,
    rejectUnauthorized: false,
    servername: 'api.casino.example',
  });

  /** Sends one request to the API's public address. Rejects with the connection error. */
  const call = (
    method: string,
    path: string,
    { headers = {}, body = '' }: { headers?: Record<string, string>; body?: string | Buffer } = {},
  ) =>
    new Promise<ProxyReply>((done, failed) => {
      const own = {
        host: 'api.casino.example',
        'content-length': String(Buffer.byteLength(body)),
        ...headers,
      };
      const sent = request({ agent, host: '127.0.0.1', port: tls, method, path, headers: own }, (reply) => {
        const parts: Buffer[] = [];
        reply.on('data', (part: Buffer) => parts.push(part)).on('error', failed);
        reply.on('end', () =>
          done({ status: reply.statusCode!, headers: reply.headers, text: Buffer.concat(parts).toString() }),
        );
      });
      sent.on('error', failed);
      sent.end(body);
    });
  await until(() => accepts(apiPort!));
  await until(() =>
    call('GET', '/metrics').then(
      ({ status }) => status === 404,
      () => false,
    ),
  );
  const end = async (child: ChildProcess) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
  return {
    call,
    /** Port for all host names: TLS with a self-signed certificate. */
    port: tls!,
    /** Kills the balancer, so that nginx cannot reach any upstream. */
    killBalancer: () => end(balancer),
    async stop() {
      agent.destroy();
      // nginx stops its workers only if a signal allows it to shut down.
      const ended = once(nginx, 'exit');
      nginx.kill('SIGTERM');
      await Promise.all([ended, end(balancer)]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Returns true if a program accepts connections on this port. */
const accepts = (port: number): Promise<boolean> =>
  new Promise((done) => {
    const socket = connect(port, '127.0.0.1', () => done(true)).once('error', () => done(false));
    socket.once('connect', () => socket.destroy());
  });

type Ports = Record<'api' | 'backoffice' | 'realtime' | 'tls' | 'plain', number>;

/** Returns the shipped configuration with other addresses and another certificate. Everything else is unchanged. */
function nginxConfig(folder: string, ports: Ports): string {
  const [certificate, key] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')];
  const made = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const { status } = spawnSync('openssl', [
    'req',
    ...made,
    '-subj',
    '/CN=casino.example',
    '-keyout',
    key,
    '-out',
    certificate,
  ]);
  if (status !== 0) throw new Error('openssl made no certificate');
  return readFileSync(join(DEPLOY, 'nginx/nginx.conf'), 'utf8')
    .replace('http {', `http {\n  client_body_temp_path ${folder}/body;\n  proxy_temp_path ${folder}/proxy;`)
    .replace('balancer:8000', `127.0.0.1:${ports.api}`)
    .replace('balancer:8001', `127.0.0.1:${ports.backoffice}`)
    .replace('balancer:8002', `127.0.0.1:${ports.realtime}`)
    .replaceAll(/listen 443 /g, `listen 127.0.0.1:${ports.tls} `)
    .replace('listen 80 ', `listen 127.0.0.1:${ports.plain} `)
    .replace(/access_log .*;/, 'access_log off;')
    .replace('worker_rlimit_nofile 131072;', '')
    .replace('worker_connections 65536', 'worker_connections 1024')
    .replace(/^(\s*ssl_certificate ).*;$/m, `$1${certificate};`)
    .replace(/^(\s*ssl_certificate_key ).*;$/m, `$1${key};`);
}
