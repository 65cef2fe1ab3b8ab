import { z } from 'zod';
import { createPartLog, readConfig, runOnDatabase } from '../../app/boot.ts';
import { type CommandFile, type Output, print } from '../command.ts';

type Person = { email: string; username: string };

export const file: CommandFile = {
  details:
    'An existing account with this email address is promoted. Otherwise an account is created, with the password in SUPERADMIN_PASSWORD or ' +
    'a random password that is printed once. Exits with 1 if an active superadmin exists, because that person can appoint others through the API.',
  examples: ['npx croupier superadmin --email you@example.com --username you'],
  define: (command) =>
    command
      .requiredOption('--email <address>', 'email address of the account')
      .requiredOption('--username <name>', 'username of the account')
      .action(async ({ email, username, ...output }: Person & Output) => {
        assertSecrets();
        process.exit(await appoint({ email, username }, output));
      }),
};

const isGiven = (name: string) => Boolean(process.env[name]?.trim());

/**
 * Exits with 2 unless the secrets are configured. With generated secrets the account could be created, but the services could not verify
 * its password or decrypt its seeds.
 */
function assertSecrets(): void {
  const absent = isGiven('DATABASE_URL')
    ? ['DATA_SECRET', 'SEED_SECRET'].filter((name) => !isGiven(name))
    : [];
  if (absent.length === 0) return;
  console.error(
    `Set ${absent.join(' and ')} together with DATABASE_URL, to the values that the services on this database use.`,
  );
  process.exit(2);
}

function appoint(person: Person, output: Output): Promise<number> {
  const password = isGiven('SUPERADMIN_PASSWORD') ? process.env.SUPERADMIN_PASSWORD : undefined;
  const config = readConfig();
  return runOnDatabase(config, async (databaseUrl) => {
    const { createServices } = await import('../../app/services.ts');
    const log = createPartLog('superadmin', { ...config, LOG_LEVEL: 'error' });
    const services = await createServices({ config, log, name: 'superadmin', databaseUrl });
    try {
      const made = await services.access.appointFirst({ ...person, password });
      const { username, email } = made.user;
      print(output, { username, email, password: made.password }, [
        `${username} <${email}> is now a superadmin.`,
        ...(made.password ? [`password: ${made.password}   (shown once; change it after signing in)`] : []),
      ]);
      return 0;
    } catch (error) {
      throw error instanceof z.ZodError ? new Error(z.prettifyError(error)) : error;
    } finally {
      await services.close();
    }
  });
}
