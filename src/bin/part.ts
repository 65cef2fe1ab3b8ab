/** Runs one part of the platform in this process: `node src/bin/part.ts api`. The supervisor and the service units start this file. */
import { flushCompileCache, getCompileCacheDir } from 'node:module';
import type { PartName } from '../app/apps.ts';
import {
  createPartLog,
  databaseOfParent,
  exitWith,
  isSlowLine,
  OF_PARENT,
  openDatabase,
  readConfig,
} from '../app/boot.ts';
import { reasonOf } from '../app/reasons.ts';

const PARTS: Readonly<Record<PartName, true>> = { api: true, backoffice: true, realtime: true, worker: true };

const FLUSH_MS = 2000;

/** Starts a part and prints its URL. With `isOfParent` the parent process sends the URL of the database, and gets the URL of the part. */
export async function runPart(name: PartName, isOfParent = false): Promise<void> {
  const config = readConfig();
  // This listener is registered early, because the parent may send the URL before the application is loaded.
  const ofParent = isOfParent ? databaseOfParent() : undefined;
  const endpoint = config.OTEL_EXPORTER_OTLP_ENDPOINT;
  // Tracing starts before the libraries that it instruments are loaded. Without a collector, the tracing libraries are not loaded.
  const traces =
    endpoint === undefined
      ? undefined
      : (await import('../platform/observability/trace-export.ts')).startTraces(name, {
          ...config,
          OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
        });
  // The application is large, so it is loaded only after the configuration has been validated.
  const { loadPart } = await import('../app/part.ts');
  const startPart = await loadPart(name);
  const log = createPartLog(name, config);
  const opening =
    ofParent ??
    openDatabase(config, (line) => log[isSlowLine(line) ? 'warn' : 'debug']({ line }, 'postgres'));
  const starting = opening.then(({ url }) => startPart(config, log, url));
  const stop = async () => {
    await starting.then((part) => part.stop());
    await traces?.close();
    await opening.then((database) => database.stop());
  };
  // A signal that arrives during startup takes effect only after startup, so that everything that was opened is closed.
  exitWith(stop, config, log);
  try {
    const { url } = await starting;
    // Node normally writes the compile cache at exit, but the process may be killed. It is therefore written while the process runs, after a
    // delay so that the supervisor does not wait for it.
    if (getCompileCacheDir()) setTimeout(flushCompileCache, FLUSH_MS).unref();
    if (process.send) process.send({ ready: url });
    else console.log(`ready  ${name} ${url}`);
  } catch (error) {
    const database = await opening.catch(() => undefined);
    console.error(
      `${name} did not start: ${reasonOf(error, database?.url, { isEmbedded: !config.DATABASE_URL })}`,
    );
    await database?.stop().catch(() => undefined);
    process.exit(1);
  }
}

if (import.meta.main) {
  const [name = '', parent] = process.argv.slice(2);
  if (!isPart(name)) {
    console.error(`Unknown part ${name}: use ${Object.keys(PARTS).join(', ')}.`);
    process.exit(2);
  }
  await runPart(name, parent === OF_PARENT);
}

function isPart(name: string): name is PartName {
  return Object.hasOwn(PARTS, name);
}
