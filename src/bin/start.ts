/** npm start: the whole platform on one machine; npm start -- api (or backoffice, realtime, worker, sandbox): one part. */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { startAll } from '../supervisor.ts';

const PART = fileURLToPath(new URL('./part.ts', import.meta.url));
const SANDBOX = fileURLToPath(new URL('../../sandbox/main.ts', import.meta.url));

const [part] = process.argv.slice(2);
if (part === undefined)
  await startAll({ fork: (file, args, env) => fork(file, args, { env }), part: PART, sandbox: SANDBOX });
else if (part === 'sandbox') await import(SANDBOX);
else await import(PART);
