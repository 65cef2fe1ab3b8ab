import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { PartName } from './apps.ts';
import { createPartLog, exitWith, openDatabase, readConfig } from './boot.ts';
import { reasonOf } from './reasons.ts';

type Options = {
  fork: (file: string, args: string[], env: NodeJS.ProcessEnv) => ChildProcess;
  part: string;
  sandbox: string;
};
type Child = { name: string; process: ChildProcess; url: string };

const PARTS: readonly PartName[] = ['api', 'backoffice', 'realtime', 'worker'];

/**
 * Database first, then one process per part, then one line `ready` with the URLs. When one part ends, the rest ends too: a
 * half-running platform is worse than none. A child whose parent is gone ends by itself.
 */
export async function startAll({ fork, part, sandbox }: Options): Promise<void> {
  const config = readConfig();
  const log = createPartLog('supervisor', config);
  console.log('starting Croupier …');
  const opening = openDatabase(config, (line) => {
    if (/first start|LOCATION|data|placed|copied/i.test(line) && !/LOG:/.test(line)) console.log(line);
    else log.debug({ line }, 'postgres');
  });
  const children: Child[] = [];
  let stopping = false;
  const stop = async () => {
    stopping = true;
    await Promise.all(children.map(({ process }) => endOf(process, config.SHUTDOWN_MS + 500)));
    await opening.then((database) => database.stop()).catch(() => undefined);
  };
  // The parts have SHUTDOWN_MS; what is left is for the database.
  const exit = exitWith(stop, { ...config, SHUTDOWN_MS: config.SHUTDOWN_MS + 1500 }, log);
  const database = await opening.catch((error: Error) => exit(`not started: ${reasonOf(error)}`, 1));
  if (!database) return;
  // glibc keeps what images took while they were decoded once for every thread, unless it is told to share.
  const env = { MALLOC_ARENA_MAX: '2', ...process.env, DATABASE_URL: database.url };
  const launch = async (name: string, file: string, args: string[]) => {
    if (stopping) return;
    const child: Child = { name, process: fork(file, args, env), url: '' };
    children.push(child);
    child.process.once('exit', (code, signal) => exit(`${name} ended (${signal ?? code})`, 1));
    const [message] = (await once(child.process, 'message')) as [{ ready: string }];
    child.url = message.ready;
  };
  // The first part migrates the database; the others then find it ready.
  await launch('api', part, ['api']);
  const others = PARTS.slice(1).map((name) => launch(name, part, [name]));
  if (config.isDevelopment) others.push(launch('sandbox', sandbox, []));
  await Promise.all(others);
  if (!stopping) console.log(readyLine(children));
}

/** Parts end by themselves in time; one that hangs is ended. */
async function endOf(child: ChildProcess, patienceMs: number): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const hard = setTimeout(() => child.kill('SIGKILL'), patienceMs);
  await ended;
  clearTimeout(hard);
}

function readyLine(children: readonly Child[]): string {
  const url = (name: string) => children.find((c) => c.name === name)?.url;
  const parts = [
    `main API ${url('api')}`,
    `backoffice ${url('backoffice')}`,
    `realtime ${url('realtime')}`,
    url('sandbox') ? `sandbox ${url('sandbox')}` : undefined,
    `API reference ${url('api')}/docs`,
  ];
  return `ready  ${parts.filter(Boolean).join('  ')}`;
}
