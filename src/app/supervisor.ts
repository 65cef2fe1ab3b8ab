import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Config } from '../platform/config/config.ts';
import type { PartName } from './apps.ts';
import { createPartLog, exitWith, isSlowLine, OF_PARENT, openDatabase, readConfig } from './boot.ts';
import { reasonOf } from './reasons.ts';

type Options = {
  fork: (file: string, args: string[], env: NodeJS.ProcessEnv) => ChildProcess;
  part: string;
  sandbox: string;
  /** Builds the pages that the main API serves, if they are missing. */
  buildPages: () => Promise<void>;
};
type Child = { name: string; process: ChildProcess; url: string };

const PARTS: readonly PartName[] = ['api', 'backoffice', 'realtime', 'worker'];

/**
 * Starts the database and one process per part, then prints one line `ready` with the URLs. If one part ends, all others are stopped,
 * because a partly running platform is worse than none. A child process exits automatically when its parent exits.
 */
export async function startAll({ fork, part, sandbox, buildPages }: Options): Promise<void> {
  const config = readConfig();
  const log = createPartLog('supervisor', config);
  console.log('starting Croupier …');
  const opening = openDatabase(config, (line) => {
    const isNews = /first start|LOCATION|data|placed|copied|slow/i.test(line) && !/LOG:/.test(line);
    if (isNews || isSlowLine(line)) console.log(line);
    else log.debug({ line }, 'postgres');
  });
  const children: Child[] = [];
  let stopping = false;
  let isOpen = false;
  const stop = async () => {
    stopping = true;
    // Until the database is open, the parts have no work to finish, so they are killed immediately.
    const signal = isOpen ? 'SIGTERM' : 'SIGKILL';
    const patienceMs = config.SHUTDOWN_DRAIN_MS + config.SHUTDOWN_MS + 500;
    await Promise.all(children.map(({ process }) => endOf(process, { signal, patienceMs })));
    await opening.then((database) => database.stop()).catch(() => undefined);
  };
  // The parts have SHUTDOWN_DRAIN_MS plus SHUTDOWN_MS to stop. The remaining time is for stopping the database.
  const exit = exitWith(stop, { ...config, SHUTDOWN_MS: config.SHUTDOWN_MS + 6000 }, log);
  // Limits the memory arenas of glibc. Otherwise each thread's arena keeps the memory of decoded images.
  const env = { MALLOC_ARENA_MAX: '2', ...process.env };
  const launch = async (name: string, file: string, args: string[]) => {
    const child: Child = { name, process: fork(file, args, env), url: '' };
    children.push(child);
    child.process.once('exit', (code, signal) => exit(`${name} ended (${signal ?? code})`, 1));
    const [message] = (await once(child.process, 'message')) as [{ ready: string }];
    child.url = message.ready;
  };
  // The parts load their modules while the database starts. Then one part migrates the schema while the others wait.
  const starting = PARTS.map((name) => launch(name, part, [name, OF_PARENT]));
  const parts = [...children];
  if (config.isDevelopment) starting.push(launch('sandbox', sandbox, []));
  const building = buildPages();
  const slow = reportSlow(() =>
    isOpen ? children.filter(({ url }) => url === '').map(({ name }) => name) : ['PostgreSQL'],
  );
  const database = await opening.catch((error: Error) =>
    exit(`not started: ${reasonOf(error, undefined, { isEmbedded: !config.DATABASE_URL })}`, 1),
  );
  if (!database || stopping) return clearInterval(slow);
  await building;
  if (stopping) return;
  isOpen = true;
  for (const { process } of parts) process.send({ databaseUrl: database.url });
  await Promise.all(starting);
  clearInterval(slow);
  if (!stopping) console.log(readyLine(children, config));
}

/** Prints every ten seconds which parts have not started yet. On a busy machine, startup may take a minute. */
function reportSlow(waitingFor: () => string[]): NodeJS.Timeout {
  const since = performance.now();
  return setInterval(() => {
    const seconds = Math.round((performance.now() - since) / 1000);
    console.log(`still starting after ${seconds} s: waiting for ${waitingFor().join(', ') || 'the pages'}`);
  }, 10_000).unref();
}

/** Waits for a part to exit, and kills it after the timeout. */
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

function readyLine(children: readonly Child[], { API_REFERENCE }: Config): string {
  const url = (name: string) => children.find((c) => c.name === name)?.url;
  const parts = [
    `main API ${url('api')}`,
    `backoffice ${url('backoffice')}`,
    `realtime ${url('realtime')}`,
    url('sandbox') ? `sandbox ${url('sandbox')}` : undefined,
    API_REFERENCE === 'on' ? `API reference ${url('api')}/docs/api/` : undefined,
  ];
  return `ready  ${parts.filter(Boolean).join('  ')}`;
}
