import type { Foundation } from '../../app/foundation.ts';
import { areaOf } from '../../http/module.ts';
import { access } from './access/module.ts';
import { effectiveRights } from './access/rules.ts';
import { createAccess } from './access/service.ts';
import { audit } from './audit/module.ts';
import { createAudit } from './audit/service.ts';
import { events } from './events/module.ts';
import { createPartnerReports } from './findings/service.ts';
import { idempotency } from './idempotency/module.ts';
import { createMail, SEND_MAIL } from './mail/service.ts';
import { notifications } from './notifications/module.ts';
import { registrationInfo } from './registration-info/module.ts';
import { siteConfig } from './site-config/module.ts';
import { createSiteConfig } from './site-config/service.ts';
import { staffValue } from './staff-value/module.ts';
import { createUsers } from './users/me.ts';
import { users } from './users/module.ts';
import { webhooks } from './webhooks/module.ts';
import { createWebhooks } from './webhooks/service.ts';

/** Functions of later areas. */
type Handed = Pick<Parameters<typeof createAccess>[0], 'register' | 'hashPassword' | 'sendVerification'> &
  Pick<Parameters<typeof createUsers>[0], 'balances' | 'exclusionOf'> &
  Pick<Parameters<typeof createSiteConfig>[0], 'currencies'>;

export type Base = ReturnType<typeof createBase>;

/** The services that all areas use: users, events, mail, notifications, the audit log, site settings. */
export function createBase(foundation: Foundation, handed: Handed) {
  const { db, config, log, databaseClock, metrics } = foundation;
  const partnerReports = createPartnerReports({ log: log.named('webhooks'), metrics });
  return {
    mail: createMail({ config, log: log.named('mail') }),
    audit: createAudit({ db }),
    siteConfig: createSiteConfig({ db, databaseClock, log, config, currencies: handed.currencies }),
    partnerReports,
    webhooks: createWebhooks({ db, log: log.named('webhooks'), partnerReports }),
    access: createAccess({ db, ...handed }),
    users: createUsers({ db, rightsOf: effectiveRights, ...handed }),
  };
}

export const base = areaOf<Foundation & Base>(
  [
    siteConfig,
    users,
    notifications,
    registrationInfo,
    access,
    audit,
    staffValue,
    idempotency,
    events,
    webhooks,
  ],
  {
    tasks: ({ mail }) => ({ [SEND_MAIL]: mail.deliver }),
    close: ({ mail }) => mail.close(),
  },
);
