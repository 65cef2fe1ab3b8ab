/**
 * npm run superadmin -- --email you@example.com --username you: appoints the first superadmin of an installation. An existing account with
 * this email address is promoted. Otherwise an account is created, with the password in SUPERADMIN_PASSWORD or a random password that is
 * printed once. Exits with 1 if an active superadmin exists, because that person can appoint others through the API.
 */
import { z } from 'zod';
import { createPartLog, readConfig, runOnDatabase } from '../app/boot.ts';
import { readArguments } from '../app/commands/arguments.ts';

const usage = 'npm run superadmin -- --email you@example.com --username you';
const { values } = readArguments(usage, {
  options: { email: { type: 'string' }, username: { type: 'string' } },
  check: ({ values }) =>
    values.email && values.username ? undefined : '--email and --username are required.',
});
const isGiven = (name: string) => Boolean(process.env[name]?.trim());
// The secrets must be configured. With generated secrets the account could be created, but the services could not verify its password or
// decrypt its seeds.
const absent = isGiven('DATABASE_URL') ? ['DATA_SECRET', 'SEED_SECRET'].filter((name) => !isGiven(name)) : [];
if (absent.length > 0) {
  console.error(
    `Set ${absent.join(' and ')} together with DATABASE_URL, to the values that the services on this database use.`,
  );
  process.exit(2);
}
const password = isGiven('SUPERADMIN_PASSWORD') ? process.env.SUPERADMIN_PASSWORD : undefined;
const config = readConfig();
process.exit(await runOnDatabase(config, appoint));

async function appoint(databaseUrl: string): Promise<number> {
  const { createServices } = await import('../app/services.ts');
  const log = createPartLog('superadmin', { ...config, LOG_LEVEL: 'error' });
  const services = await createServices({ config, log, name: 'superadmin', databaseUrl });
  try {
    const made = await services.access.appointFirst({ ...values, password });
    console.log(told(made.user, made.password));
    return 0;
  } catch (error) {
    throw error instanceof z.ZodError ? new Error(z.prettifyError(error)) : error;
  } finally {
    await services.close();
  }
}

function told({ username, email }: { username: string; email: string }, password: string | undefined) {
  const secret = password ? `\npassword: ${password}   (shown once; change it after signing in)` : '';
  return `${username} <${email}> is now a superadmin.${secret}`;
}
