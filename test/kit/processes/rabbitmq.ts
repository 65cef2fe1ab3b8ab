import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { until } from '../until.ts';
import { freePorts } from './ports.ts';

/** Paths of the server in Debian and other distributions. Every user can read them. */
const PROGRAMS = ['/usr/lib/rabbitmq/bin/rabbitmq-server', '/opt/rabbitmq/sbin/rabbitmq-server'];
const UP_MS = 240_000;

/**
 * Starts an empty RabbitMQ on the loopback address. `stop` ends the server; `start` restarts it with its content. Throws if it is not
 * installed, so that tests which need it cannot pass without it.
 */
export async function startRabbit() {
  const program = PROGRAMS.find((path) => existsSync(path));
  if (!program) throw new Error('RabbitMQ is not installed: apt-get install rabbitmq-server');
  const [port, distribution, epmd] = await freePorts(3);
  const home = mkdtempSync(join(tmpdir(), 'croupier-rabbitmq-'));
  writeFileSync(join(home, 'rabbitmq.conf'), `listeners.tcp.1 = 127.0.0.1:${port}\nlog.console = false\n`);
  writeFileSync(join(home, 'enabled_plugins'), '[].');
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    RABBITMQ_NODENAME: `croupier${port}@localhost`,
    RABBITMQ_DIST_PORT: String(distribution),
    RABBITMQ_CONFIG_FILE: join(home, 'rabbitmq.conf'),
    RABBITMQ_ENABLED_PLUGINS_FILE: join(home, 'enabled_plugins'),
    RABBITMQ_MNESIA_BASE: join(home, 'db'),
    RABBITMQ_LOG_BASE: join(home, 'log'),
    RABBITMQ_PID_FILE: join(home, 'pid'),
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: '-kernel inet_dist_use_interface {127,0,0,1}',
    ERL_EPMD_ADDRESS: '127.0.0.1',
    ERL_EPMD_PORT: String(epmd),
  };
  let server: ChildProcess | undefined;

  const start = async () => {
    const output: string[] = [];
    const child = spawn(program, { env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => output.push(String(chunk)));
    server = child;
    await until(async () => {
      if (child.exitCode !== null) throw new Error(`RabbitMQ ended: ${output.join('')}`);
      return answers(port!);
    }, UP_MS);
  };
  const stop = async () => {
    const child = server;
    server = undefined;
    if (!child || child.exitCode !== null) return;
    const ended = once(child, 'exit');
    // The signal is sent to the process group, because the server is a child process of its start script.
    process.kill(-child.pid!, 'SIGTERM');
    await ended;
    await until(async () => !(await answers(port!)));
  };
  await start();
  return {
    url: `amqp://guest:guest@127.0.0.1:${port}`,
    port: port!,
    start,
    stop,
    async end() {
      await stop();
      // Also stops epmd, Erlang's registry of servers, which would keep running.
      await promisify(execFile)('epmd', ['-kill'], { env }).catch(() => undefined);
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** Returns true if an AMQP server listens. Such a server responds to an unknown protocol header with its own header. */
function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' }, () => socket.write('AMQP????'));
    socket.on('data', () => finish(true));
    socket.on('error', () => finish(false));
    socket.on('close', () => finish(false));
    const finish = (is: boolean) => {
      socket.destroy();
      resolve(is);
    };
  });
}
