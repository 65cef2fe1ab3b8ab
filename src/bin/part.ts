/** One part of the platform in a process of its own: npm start -- api | backoffice | realtime | worker */
import { PARTS, type PartName } from '../apps.ts';
import { createPartLog, exitWith, openDatabase, readConfig, startPart } from '../boot.ts';

const name = process.argv[2] as PartName;
if (!Object.hasOwn(PARTS, name)) {
  console.error(
    `There is no part ${name}: leave it out, or say ${[...Object.keys(PARTS), 'sandbox'].join(', ')}.`,
  );
  process.exit(2);
}
const config = readConfig();
const log = createPartLog(name, config);
try {
  const database = await openDatabase(config, (line) => log.debug({ line }, 'postgres'));
  const part = await startPart(name, config, log, database.url);
  exitWith(() => part.stop().then(database.stop), config, log);
  if (process.send) process.send({ ready: part.url });
  else console.log(`ready  ${name} ${part.url}`);
} catch (error) {
  console.error(`${name} did not start: ${error instanceof Error ? error.message : error}`);
  process.exit(1);
}
