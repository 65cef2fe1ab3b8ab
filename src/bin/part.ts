/** One part of the platform in a process of its own: npm start -- api | backoffice | realtime | worker */
import { flushCompileCache, getCompileCacheDir } from 'node:module';
import type { PartName } from '../apps.ts';
import { createPartLog, databaseOfParent, exitWith, OF_PARENT, openDatabase, readConfig } from '../boot.ts';
import { reasonOf } from '../reasons.ts';

const PARTS: Readonly<Record<PartName, true>> = { api: true, backoffice: true, realtime: true, worker: true };

const FLUSH_MS = 2000;

const name = process.argv[2] as PartName;
if (!Object.hasOwn(PARTS, name)) {
  console.error(
    `There is no part ${name}: leave it out, or say ${[...Object.keys(PARTS), 'sandbox'].join(', ')}.`,
  );
  process.exit(2);
}
const config = readConfig();
// Listened for from the beginning: the address may come before the application is loaded.
const ofParent = process.argv[3] === OF_PARENT ? databaseOfParent() : undefined;
const endpoint = config.OTEL_EXPORTER_OTLP_ENDPOINT;
// Before anything is built that it observes; without a collector its libraries are not even loaded.
const traces =
  endpoint === undefined
    ? undefined
    : (await import('../platform/trace-export.ts')).startTraces(name, {
        ...config,
        OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
      });
// Only now: the application is large, and a refused configuration need not wait for it.
const { loadPart } = await import('../part.ts');
const startPart = await loadPart(name);
const log = createPartLog(name, config);
const opening = ofParent ?? openDatabase(config, (line) => log.debug({ line }, 'postgres'));
const starting = opening.then(({ url }) => startPart(config, log, url));
const stop = async () => {
  await starting.then((part) => part.stop());
  await traces?.close();
  await opening.then((database) => database.stop());
};
// A signal during the start waits for its end: what was opened is closed again.
exitWith(stop, config, log);
try {
  const { url } = await starting;
  // Not only at the end, which may be a kill, and not while the supervisor waits for the other parts.
  if (getCompileCacheDir()) setTimeout(flushCompileCache, FLUSH_MS).unref();
  if (process.send) process.send({ ready: url });
  else console.log(`ready  ${name} ${url}`);
} catch (error) {
  const database = await opening.catch(() => undefined);
  console.error(`${name} did not start: ${reasonOf(error, database?.url)}`);
  await database?.stop().catch(() => undefined);
  process.exit(1);
}
