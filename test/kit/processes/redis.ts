import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { until } from '../until.ts';
import { freePorts } from './ports.ts';

const PASSWORD = 'a-password-of-redis';

/**
 * Starts an in-memory Redis on the loopback address. It is empty again after `stop` and `start`. Throws if it is not installed, so that
 * tests which need it cannot pass without it.
 */
export async function startRedis() {
  const [port] = await freePorts(1);
  let server: ChildProcess | undefined;
  const start = async () => {
    const settings = [
      '--port',
      String(port),
      '--bind',
      '127.0.0.1',
      '--save',
      '',
      '--appendonly',
      'no',
      '--requirepass',
      PASSWORD,
    ];
    const child = spawn('redis-server', settings, { stdio: 'ignore' });
    server = child;
    let failure: Error | undefined;
    child.on('error', (error) => {
      failure = new Error(`Redis is not installed: apt-get install redis-server (${error.message})`);
    });
    await until(async () => {
      if (failure) throw failure;
      return answers(port!);
    });
  };
  const stop = async () => {
    const child = server;
    server = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
  await start();
  return { url: `redis://:${PASSWORD}@127.0.0.1:${port}`, start, stop };
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' }, () => socket.write('PING\r\n'));
    const finish = (is: boolean) => {
      socket.destroy();
      resolve(is);
    };
    socket.on('data', () => finish(true));
    socket.on('error', () => finish(false));
  });
}
