/** The outside world in a process of its own. Ends with its parent, or on SIGTERM. */
import { startSandbox } from './server.ts';

const host = process.env.HOST || '127.0.0.1';
const sandbox = await startSandbox({ port: Number(process.env.SANDBOX_PORT || 3900), host });
const url = `http://${host}:${sandbox.port}`;

if (process.send) process.send({ ready: url });
else console.log(`ready  sandbox ${url}`);

for (const event of ['SIGTERM', 'SIGINT', 'disconnect']) {
  process.once(event, () => void sandbox.close().then(() => process.exit(0)));
}
