/** One part of the platform in a process of its own: npm start -- api | backoffice | realtime | worker */
import type { PartName } from '../apps.ts';
import { createPartLog, exitWith, openDatabase, readConfig } from '../boot.ts';

const PARTS: Readonly<Record<PartName, true>> = { api: true, backoffice: true, realtime: true, worker: true };

const name = process.argv[2] as PartName;
if (!Object.hasOwn(PARTS, name)) {
  console.error(
    `There is no part ${name}: leave it out, or say ${[...Object.keys(PARTS), 'sandbox'].join(', ')}.`,
  );
  process.exit(2);
}
const config = readConfig();
// Only now: the application is large, and a refusal need not wait for it.
const { startPart } = await import('../part.ts');
const log = createPartLog(name, config);
const opening = openDatabase(config, (line) => log.debug({ line }, 'postgres'));
const starting = opening.then(({ url }) => startPart(name, config, log, url));
const stop = async () => {
  await starting.then((part) => part.stop());
  await opening.then((database) => database.stop());
};
// A signal during the start waits for its end: what was opened is closed again.
exitWith(stop, config, log);
try {
  const { url } = await starting;
  if (process.send) process.send({ ready: url });
  else console.log(`ready  ${name} ${url}`);
} catch (error) {
  console.error(`${name} did not start: ${error instanceof Error ? error.message : error}`);
  await opening.then((database) => database.stop()).catch(() => undefined);
  process.exit(1);
}
