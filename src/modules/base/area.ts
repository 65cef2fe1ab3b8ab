import type { Foundation } from '../../app/foundation.ts';
import { areaOf, createAll, type MadeBy } from '../../http/module.ts';
import { access } from './access/module.ts';
import type { createAccess } from './access/service.ts';
import { audit } from './audit/module.ts';
import { events } from './events/module.ts';
import { findings } from './findings/module.ts';
import { idempotency } from './idempotency/module.ts';
import { mail } from './mail/module.ts';
import { notifications } from './notifications/module.ts';
import { registrationInfo } from './registration-info/module.ts';
import { siteConfig } from './site-config/module.ts';
import type { createSiteConfig } from './site-config/service.ts';
import { staffValue } from './staff-value/module.ts';
import type { createUsers } from './users/me.ts';
import { users } from './users/module.ts';
import { webhooks } from './webhooks/module.ts';

/** Functions from areas that are created after this one. */
export type NeededByBase = Pick<
  Parameters<typeof createAccess>[0],
  'register' | 'hashPassword' | 'sendVerification'
> &
  Pick<Parameters<typeof createUsers>[0], 'balances' | 'exclusionOf'> &
  Pick<Parameters<typeof createSiteConfig>[0], 'currencies'>;
type Before = Foundation & NeededByBase;

/** Services that all areas use: users, events, email, notifications, the audit log, site settings. */
const modules = [
  siteConfig,
  access,
  users,
  notifications,
  registrationInfo,
  audit,
  staffValue,
  idempotency,
  events,
  findings,
  webhooks,
  mail,
] as const;

export type Base = MadeBy<typeof modules>;

export const createBase = (before: Before): Base => createAll(modules, before);

export const base = areaOf<Foundation & Base, Before & Base>(modules);
