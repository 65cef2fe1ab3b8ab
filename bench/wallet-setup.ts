import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { FromServer } from './protocol.ts';
import type { Later } from './undo.ts';
import type {
  Acknowledged,
  FromWalletLoad,
  GamesDialect,
  ToWalletLoad,
  WalletOrder,
  WalletResult,
} from './wallet-protocol.ts';
import { fillWalletWorld, providerSettings } from './wallet-world.ts';
import { createWorld, type World } from './world.ts';

export type WalletPlan = {
  rounds: number;
  attempts: number;
  warmUpMs: number;
  measureMs: number;
  openMs: number;
};

export type WalletBench = {
  plan: WalletPlan;
  say: (line: string) => void;
  world: World;
  port: number;
  pids: { server: number; generator: number };
  order: (order: WalletOrder, at: () => void) => Promise<WalletResult>;
  sign: (dialect: GamesDialect, rounds: number) => Promise<void>;
  acknowledged: () => Promise<Acknowledged>;
  stopServer: () => Promise<void>;
};

const PLAYERS = 1024;
const GAMES = 20_000;

type Options = { plan: WalletPlan; say: (line: string) => void; later: Later };

/** Starts the database, inserts players and a catalogue, and starts a server and a generator. They run until the end. */
export async function prepareWallet({ plan, say, later }: Options): Promise<WalletBench> {
  say('starting PostgreSQL');
  const creating = createWorld({ timed: false });
  later(async () => (await creating.catch(() => undefined))?.close());
  const world = await creating;
  say(`${PLAYERS} players, ${GAMES} games`);
  const players = await fillWalletWorld(world.db, world.env, { players: PLAYERS, games: GAMES });
  const env = { ...process.env, ...world.env, GAME_PROVIDERS: providerSettings() };
  const server = start('wallet-server.ts', env);
  const stopServer = async (): Promise<void> => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    server.send({ type: 'stop' });
    const timer = setTimeout(() => server.kill('SIGKILL'), 10_000);
    await once(server, 'exit');
    clearTimeout(timer);
  };
  later(stopServer);
  const { port } = await heard<FromServer & { type: 'listening' }>(server, 'listening');
  const generator = start('wallet-load.ts', process.env);
  later(async () => {
    if (generator.connected) generator.disconnect();
  });
  const tell = (message: ToWalletLoad): void => void generator.send(message);
  tell({ type: 'players', players });
  return {
    plan,
    say,
    world,
    port,
    pids: { server: server.pid!, generator: generator.pid! },
    async order(order, at) {
      const listen = ({ type }: FromWalletLoad) => {
        if (type === 'measuring' || type === 'measured') at();
      };
      generator.on('message', listen);
      tell({ type: 'run', order });
      const { result } = await heard<FromWalletLoad & { type: 'finished' }>(generator, 'finished');
      generator.off('message', listen);
      return result;
    },
    async sign(dialect, rounds) {
      tell({ type: 'sign', dialect, rounds });
      await heard(generator, 'signed');
    },
    async acknowledged() {
      tell({ type: 'acknowledged' });
      return (await heard<FromWalletLoad & { type: 'acknowledged' }>(generator, 'acknowledged')).acknowledged;
    },
    stopServer,
  };
}

type Child = ReturnType<typeof fork>;

const start = (file: string, env: NodeJS.ProcessEnv): Child =>
  fork(fileURLToPath(new URL(file, import.meta.url)), [], {
    env,
    execArgv: [],
    serialization: 'advanced',
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });

/** Waits for the next message of this type. Throws if the process ends first. */
function heard<M extends { type: string }>(child: Child, type: M['type']): Promise<M> {
  return new Promise((resolve, reject) => {
    const listen = (message: unknown) => {
      if ((message as M).type !== type) return;
      child.off('message', listen);
      child.off('exit', gone);
      resolve(message as M);
    };
    const gone = () => reject(new Error(`${child.spawnargs.slice(1).join(' ')} ended`));
    child.on('message', listen);
    child.once('exit', gone);
  });
}
