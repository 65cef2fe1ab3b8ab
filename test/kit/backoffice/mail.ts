import { auth } from '../../../src/modules/accounts/auth/module.ts';
import { SEND_MAIL } from '../../../src/modules/base/mail/service.ts';
import { type Queue, startQueue } from '../../../src/platform/queue/queue.ts';
import type { TestApp } from '../app.ts';

/** Returns every task that sends email. */
const tasksOf = (services: TestApp['services']) => ({
  [SEND_MAIL]: services.mail.deliver,
  ...Object.fromEntries(
    Object.entries(auth.tasks?.(services) ?? {}).filter(([name]) => name.startsWith('auth.')),
  ),
});

/** Returns the number of queued emails that are not rendered or sent yet. */
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

/** Sends the emails that a service has queued in its database, from this process. */
export function startMailWorker({ database, services }: Pick<TestApp, 'database' | 'services'>): Queue {
  return startQueue({
    connectionString: database.url,
    tasks: tasksOf(services),
    concurrency: 2,
    log: services.log,
  });
}
