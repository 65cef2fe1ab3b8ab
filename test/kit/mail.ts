import { FORGOT_PASSWORD } from '../../src/modules/accounts/auth/account/reset-password.ts';
import { EMAIL_CHANGE } from '../../src/modules/accounts/auth/email-change/request.ts';
import { mailJobs } from '../../src/modules/base/mail/jobs.ts';
import { type Queue, startQueue } from '../../src/platform/queue.ts';
import type { TestApp } from './app.ts';

type Services = Pick<TestApp['services'], 'mail' | 'passwordResets' | 'emailChanges'>;
const tasksOf = ({ mail, passwordResets, emailChanges }: Services) => ({
  ...mailJobs(mail),
  [FORGOT_PASSWORD]: passwordResets.sendLink,
  [EMAIL_CHANGE]: emailChanges.sendLinks,
});

/** How many letters wait in the queue to be written or sent. */
export async function lettersLeft({
  db,
  services,
  sql,
}: Pick<TestApp, 'db' | 'services' | 'sql'>): Promise<number> {
  const tasks = Object.keys(tasksOf(services));
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from graphile_worker.jobs where task_identifier = any(${tasks})`.execute(db);
  return rows[0]!.n;
}

/** Sends in this process the mails that a service has put into its database's queue. */
export function startMailWorker({ database, services }: Pick<TestApp, 'database' | 'services'>): Queue {
  return startQueue({
    connectionString: database.url,
    tasks: tasksOf(services),
    concurrency: 2,
    log: services.log,
  });
}
