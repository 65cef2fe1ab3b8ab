/**
 * npm run superadmin -- --email you@example.com --username you: appoints the first superadmin of an installation. An account
 * with this e-mail address is promoted; without one it is opened, with the password in SUPERADMIN_PASSWORD or one that is
 * printed once. Refused (exit 1) while there is an active superadmin: he appoints further ones through the API.
 */
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { createPartLog, openDatabase, readConfig } from '../boot.ts';
import { createServices } from '../services.ts';

const { values } = parseArgs({ options: { email: { type: 'string' }, username: { type: 'string' } } });
const config = readConfig();
const database = await openDatabase(config, () => {});
const services = await createServices({
  config,
  log: createPartLog('superadmin', { ...config, LOG_LEVEL: 'error' }),
  name: 'superadmin',
  databaseUrl: database.url,
});
const result = await services.access
  .appointFirst({ ...values, password: process.env.SUPERADMIN_PASSWORD })
  .then(({ user, password }) => ({ code: 0, text: told(user, password) }))
  .catch((error: Error) => ({ code: 1, text: `not done: ${reasonOf(error)}` }));
await services.close();
await database.stop();
(result.code === 0 ? console.log : console.error)(result.text);
process.exit(result.code);

function reasonOf(error: Error): string {
  if (!(error instanceof z.ZodError)) return error.message;
  return `npm run superadmin -- --email you@example.com --username you\n${z.prettifyError(error)}`;
}

function told({ username, email }: { username: string; email: string }, password: string | undefined) {
  const secret = password ? `\npassword: ${password}   (shown once; change it after signing in)` : '';
  return `${username} <${email}> is superadmin now.${secret}`;
}
