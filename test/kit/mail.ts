import { FORGOT_PASSWORD } from '../../src/modules/accounts/auth/account/reset-password.ts';
import { mailJobs } from '../../src/modules/base/mail/jobs.ts';
import { type Queue, startQueue } from '../../src/platform/queue.ts';
import type { TestApp } from './app.ts';

/** Sends in this process the mails that a service has put into its database's queue. */
export function startMailWorker({ database, services }: Pick<TestApp, 'database' | 'services'>): Queue {
  return startQueue({
    connectionString: database.url,
    tasks: { ...mailJobs(services.mail), [FORGOT_PASSWORD]: services.passwordResets.sendLink },
    concurrency: 2,
    log: services.log,
  });
}
