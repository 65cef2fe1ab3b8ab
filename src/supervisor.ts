import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { PartName } from './apps.ts';
import { createPartLog, exitWith, OF_PARENT, openDatabase, readConfig } from './boot.ts';
import { reasonOf } from './reasons.ts';

type Options = {
  fork: (file: string, args: string[], env: NodeJS.ProcessEnv) => ChildProcess;
  part: string;
  sandbox: string;
  /** Where Node keeps what it has compiled, for the next start. */
  compileCache: string;
  /** Makes sure that the pages which the main API serves are there. */
  buildPages: () => Promise<void>;
};
type Child = { name: string; process: ChildProcess; url: string };

const PARTS: readonly PartName[] = ['api', 'backoffice', 'realtime', 'worker'];

/**
 * The database and one process per part, then one line `ready` with the URLs. When one part ends, the rest ends too: a
 * half-running platform is worse than none. A child whose parent is gone ends by itself.
 */
export async function startAll({ fork, part, sandbox, compileCache, buildPages }: Options): Promise<void> {
  const config = readConfig();
  const log = createPartLog('supervisor', config);
  console.log('starting Croupier …');
  const opening = openDatabase(config, (line) => {
    if (/first start|LOCATION|data|placed|copied/i.test(line) && !/LOG:/.test(line)) console.log(line);
    else log.debug({ line }, 'postgres');
  });
  const children: Child[] = [];
  let stopping = false;
  let isOpen = false;
  const stop = async () => {
    stopping = true;
    // Before they have a database, parts have nothing to finish.
    const signal = isOpen ? 'SIGTERM' : 'SIGKILL';
    await Promise.all(
      children.map(({ process }) => endOf(process, { signal, patienceMs: config.SHUTDOWN_MS + 500 })),
    );
    await opening.then((database) => database.stop()).catch(() => undefined);
  };
  // The parts have SHUTDOWN_MS; what is left is for the database.
  const exit = exitWith(stop, { ...config, SHUTDOWN_MS: config.SHUTDOWN_MS + 1500 }, log);
  // glibc keeps what images took while they were decoded once for every thread, unless it is told to share.
  const env = { MALLOC_ARENA_MAX: '2', NODE_COMPILE_CACHE: compileCache, ...process.env };
  const launch = async (name: string, file: string, args: string[]) => {
    const child: Child = { name, process: fork(file, args, env), url: '' };
    children.push(child);
    child.process.once('exit', (code, signal) => exit(`${name} ended (${signal ?? code})`, 1));
    const [message] = (await once(child.process, 'message')) as [{ ready: string }];
    child.url = message.ready;
  };
  // They load their modules while the database starts; one of them then brings the schema up to date, the others wait for it.
  const starting = PARTS.map((name) => launch(name, part, [name, OF_PARENT]));
  const parts = [...children];
  if (config.isDevelopment) starting.push(launch('sandbox', sandbox, []));
  const building = buildPages();
  const database = await opening.catch((error: Error) => exit(`not started: ${reasonOf(error)}`, 1));
  if (!database || stopping) return;
  await building;
  if (stopping) return;
  isOpen = true;
  for (const { process } of parts) process.send({ databaseUrl: database.url });
  await Promise.all(starting);
  if (!stopping) console.log(readyLine(children));
}

/** Parts end by themselves in time; one that hangs is ended. */
async function endOf(
  child: ChildProcess,
  { signal, patienceMs }: { signal: NodeJS.Signals; patienceMs: number },
): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill(signal);
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
