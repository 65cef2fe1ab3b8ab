import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import {
  type Account,
  type FromGenerator,
  type FromServer,
  isBare,
  type Order,
  type RunResult,
  type ToGenerator,
  type ToServer,
  type Variant,
} from './protocol.ts';

export type Server = {
  pid: number;
  port: number;
  prime(players: readonly Account[]): Promise<void>;
  /** Sets the responses that bare Fastify sends to read requests. */
  answers(texts: Readonly<Record<string, string>>): void;
  stop(): Promise<void>;
};

export type Generator = {
  pid: number;
  players(group: string, players: readonly Account[]): void;
  /** Sends an order (protocol.ts) to the generator. `at` is called when the measurement begins and when it ends. */
  run(order: Order, at: (moment: 'measuring' | 'measured') => void): Promise<RunResult>;
  acknowledged(): Promise<{ betIds: Float64Array; userIds: Int32Array }>;
  stop(): Promise<void>;
};

const PATIENCE_MS = 120_000;

/** Starts a variant's server. `execArgv` are Node options (for profiling). */
export async function startServer(
  variant: Variant,
  { env, execArgv }: { env: Record<string, string>; execArgv: readonly string[] },
): Promise<Server> {
  const file = isBare(variant) ? 'bare.ts' : 'server.ts';
  const child = start(file, { args: [variant], env: { ...process.env, ...env }, execArgv });
  const message = await answer<FromServer>(child, 'listening');
  return {
    pid: child.pid!,
    port: message.type === 'listening' ? message.port : 0,
    async prime(players) {
      child.send({ type: 'prime', players } satisfies ToServer);
      await answer<FromServer>(child, 'primed');
    },
    answers: (texts) => void child.send({ type: 'answers', texts } satisfies ToServer),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.send({ type: 'stop' } satisfies ToServer);
      await ended(child, 10_000);
    },
  };
}

export function startGenerator(): Generator {
  const child = start('load.ts', { args: [], env: process.env, execArgv: [] });
  const send = (message: ToGenerator): void => void child.send(message);
  return {
    pid: child.pid!,
    players: (group, players) => send({ type: 'players', group, players }),
    async run(order, at) {
      const listen = ({ type }: FromGenerator) => {
        if (type === 'measuring' || type === 'measured') at(type);
      };
      child.on('message', listen);
      try {
        send({ type: 'run', ...order });
        const message = await answer<FromGenerator>(child, 'finished');
        if (message.type !== 'finished') throw new Error(message.type);
        return message.result;
      } finally {
        child.off('message', listen);
      }
    },
    async acknowledged() {
      send({ type: 'acknowledged' });
      const message = await answer<FromGenerator>(child, 'acknowledged');
      if (message.type !== 'acknowledged') throw new Error(message.type);
      return message;
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.disconnect();
      await ended(child, 2000);
    },
  };
}

type Start = { args: readonly string[]; env: NodeJS.ProcessEnv; execArgv: readonly string[] };

function start(file: string, { args, env, execArgv }: Start): ChildProcess {
  return fork(fileURLToPath(new URL(file, import.meta.url)), args, {
    env,
    execArgv: [...execArgv],
    serialization: 'advanced',
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
}

/** Waits for the next message of this type. Throws if the process ends first or sends nothing for two minutes. */
function answer<M extends { type: string }>(child: ChildProcess, type: M['type']): Promise<M> {
  return new Promise((resolve, reject) => {
    const heard = (message: unknown) => {
      if ((message as M).type === type) finish(() => resolve(message as M));
    };
    const gone = () => finish(() => reject(new Error(`${child.spawnargs.slice(1).join(' ')} ended`)));
    const timer = setTimeout(
      () => finish(() => reject(new Error(`waited too long for "${type}"`))),
      PATIENCE_MS,
    );
    const finish = (end: () => void) => {
      clearTimeout(timer);
      child.off('message', heard);
      child.off('exit', gone);
      end();
    };
    child.on('message', heard);
    child.once('exit', gone);
  });
}

/** Waits for a process to exit, and kills it after the timeout. */
async function ended(child: ChildProcess, patienceMs: number): Promise<void> {
  const timer = setTimeout(() => child.kill('SIGKILL'), patienceMs);
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  clearTimeout(timer);
}
