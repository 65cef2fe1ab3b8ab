import type { Area, Foundation } from '../../foundation.ts';
import { effectiveRights } from './access/rules.ts';
import { accessStaffRoutes } from './access/staff.routes.ts';
import { createAccess } from './access/staff.ts';
import { auditJobs } from './audit/jobs.ts';
import { createAudit } from './audit/service.ts';
import { auditStaffRoutes } from './audit/staff.routes.ts';
import { eventJobs } from './events/jobs.ts';
import { idempotencyJobs } from './idempotency/jobs.ts';
import { mailJobs } from './mail/jobs.ts';
import { createMail } from './mail/service.ts';
import { notificationJobs } from './notifications/jobs.ts';
import { notificationRoutes } from './notifications/routes.ts';
import { createNotifications } from './notifications/service.ts';
import { createRegistrationInfos } from './registration-info/service.ts';
import { registrationInfoStaffRoutes } from './registration-info/staff.routes.ts';
import { siteConfigRoutes } from './site-config/routes.ts';
import { createSiteConfig } from './site-config/service.ts';
import { siteConfigBackofficeRoutes, siteConfigStaffRoutes } from './site-config/staff.routes.ts';
import { userJobs } from './users/jobs.ts';
import { createUsers } from './users/profile.ts';
import { userRoutes } from './users/routes.ts';
import { webhookJobs } from './webhooks/jobs.ts';
import { createWebhooks } from './webhooks/service.ts';

/** What later areas do for this one. */
type Handed = Pick<Parameters<typeof createAccess>[0], 'register' | 'hashPassword' | 'sendVerification'> &
  Pick<Parameters<typeof createUsers>[0], 'balances' | 'exclusionOf'> &
  Pick<Parameters<typeof createSiteConfig>[0], 'currencies'>;

export type Base = ReturnType<typeof createBase>;

/** Users and what all other areas speak through: events, mail, notifications, the audit, settings. */
export function createBase(foundation: Foundation, handed: Handed) {
  const { db, config, log, reads, databaseClock, files } = foundation;
  return {
    mail: createMail({ config, log: log.named('mail') }),
    audit: createAudit({ db, reads }),
    notifications: createNotifications({ db }),
    siteConfig: createSiteConfig({ db, databaseClock, log, config, currencies: handed.currencies }),
    webhooks: createWebhooks({ db, log: log.named('webhooks') }),
    registrationInfos: createRegistrationInfos(db),
    access: createAccess({ db, ...handed }),
    users: createUsers({ db, config, files, rightsOf: effectiveRights, ...handed }),
  };
}

export const base: Area<Foundation & Base> = {
  routes: (s) => [
    ...siteConfigRoutes(s.siteConfig),
    ...siteConfigStaffRoutes(s.siteConfig),
    ...userRoutes(s.users),
    ...notificationRoutes(s.notifications),
    ...registrationInfoStaffRoutes(s.registrationInfos),
    ...accessStaffRoutes(s.access),
    ...auditStaffRoutes(s.audit),
  ],
  backofficeRoutes: (s) => [
    ...siteConfigBackofficeRoutes(s.siteConfig),
    ...registrationInfoStaffRoutes(s.registrationInfos).map((r) => ({
      ...r,
      path: '/registration-info/{userId}',
      tag: 'Registration Info',
    })),
    ...accessStaffRoutes(s.access).map((r) => ({
      ...r,
      path: r.path.replace('/admin', ''),
      tag: 'User',
      access: r.path.endsWith('/{id}/permissions') ? r.access : ('superadmin' as const),
    })),
  ],
  jobs: (s) => [
    ...auditJobs(s.audit),
    ...userJobs(s.db, s.config),
    ...idempotencyJobs(s.db, s.config),
    ...eventJobs(s.db, s.config),
    ...webhookJobs(s.webhooks, s.config),
    ...notificationJobs(s.notifications, s.config),
  ],
  tasks: (s) => mailJobs(s.mail),
  start: (s) => s.siteConfig.start(),
  close: (s) => Promise.all([s.siteConfig.close(), s.mail.close()]),
};
