/** The outside world in a process of its own. Ends with its parent, or on SIGTERM. */
import { reachable } from './listen.ts';
import { startSandbox } from './server.ts';

const setting = (name: string) => process.env[name] || undefined;
const environment = setting('APP_ENV');
// It lets anybody in as anybody: its captcha passes, its identity providers ask for no password.
if (environment === 'staging' || environment === 'production') {
  console.error(`The sandbox is for development: it does not start where APP_ENV is ${environment}.`);
  process.exit(2);
}
const host = setting('HOST') ?? '127.0.0.1';
const port = Number(setting('SANDBOX_PORT') ?? 3900);

const sandbox = await startSandbox({
  port,
  host,
  // Who asks for any free port has several sandboxes: they would fight over the default.
  smtpPort: Number(setting('SANDBOX_SMTP_PORT') ?? (port === 0 ? 0 : 3925)),
  apiUrl: `http://${reachable(host)}:${setting('PORT') ?? 3000}`,
}).catch((error: Error) => {
  console.error(`sandbox did not start: ${error.message}`);
  process.exit(1);
});

if (process.send) process.send({ ready: sandbox.url });
else console.log(`ready  sandbox ${sandbox.url}`);

for (const event of ['SIGTERM', 'SIGINT', 'disconnect']) {
  process.once(event, () => void sandbox.close().then(() => process.exit(0)));
}
