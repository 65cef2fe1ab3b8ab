/**
 * Runs the sandbox as a separate process. Exits when its parent process exits, or on SIGTERM. If SANDBOX_CERTIFICATE and SANDBOX_KEY name
 * PEM files, the sandbox serves HTTPS.
 */
import { readFileSync } from 'node:fs';
import { reachable } from './listen.ts';
import { startSandbox } from './server.ts';

const setting = (name: string) => process.env[name] || undefined;
const environment = setting('APP_ENV');
// The sandbox must not run in staging or production: its CAPTCHA always passes, and its identity providers let anyone sign in as anyone
// without a password.
if (environment === 'staging' || environment === 'production') {
  console.error(`The sandbox is for development only: it does not start with APP_ENV=${environment}.`);
  process.exit(2);
}
const host = setting('HOST') ?? '127.0.0.1';
const port = Number(setting('SANDBOX_PORT') ?? 3900);

const [certificate, key] = [setting('SANDBOX_CERTIFICATE'), setting('SANDBOX_KEY')];
const tls =
  certificate && key
    ? { cert: readFileSync(certificate, 'utf8'), key: readFileSync(key, 'utf8') }
    : undefined;

const sandbox = await startSandbox({
  tls,
  port,
  host,
  // A caller that requests a free HTTP port may run several sandboxes, which would all use the default mail port and conflict.
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
