import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../until.ts';
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts';
import { freePorts } from './ports.ts';

const PROGRAM = '/usr/sbin/pgbouncer';
/** An unprivileged user, because pgbouncer refuses to run as root. */
const NOBODY = 65_534;

export const hasPgbouncer = existsSync(PROGRAM);

/** Starts pgbouncer as packaged by Debian, without ignore_startup_parameters, in front of a PostgreSQL that listens on a Unix socket. */
export async function startPgbouncer(url: string, settings: Record<string, string>) {
  const socket = /host=([^&]+)/.exec(url)![1]!;
  const bridge: FaultProxy = await startFaultProxy({ target: { path: `${socket}/.s.PGSQL.5432` } });
  const folder = mkdtempSync(join(tmpdir(), 'croupier-pgbouncer-'));
  chmodSync(folder, 0o755);
  const [port] = (await freePorts(1)) as [number];
  const all = {
    listen_addr: '127.0.0.1',
    listen_port: String(port),
    unix_socket_dir: '',
    auth_type: 'trust',
    auth_file: join(folder, 'users'),
    max_client_conn: '200',
    default_pool_size: '60',
    ...settings,
  };
  writeFileSync(join(folder, 'users'), '"croupier" ""\n');
  const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}`);
  const databases = `[databases]\n* = host=127.0.0.1 port=${bridge.port}\n`;
  writeFileSync(join(folder, 'pgbouncer.ini'), `${databases}[pgbouncer]\n${lines.join('\n')}\n`);
  let child: ChildProcess;
  const start = async () => {
    const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
    child = spawn(PROGRAM, [join(folder, 'pgbouncer.ini')], { ...user, stdio: 'ignore' });
    await until(() => answers(port));
  };
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  await start();
  const database = /@\/([^?]+)/.exec(url)![1]!;
  return {
    url: `postgres://croupier@127.0.0.1:${port}/${database}`,
    start,
    kill: stop,
    async stop() {
      await stop();
      await bridge.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
