import type { Area, Foundation } from '../../foundation.ts';
import type { Accounts } from '../accounts/area.ts';
import type { Base } from '../base/area.ts';
import type { Compliance } from '../compliance/area.ts';
import type { Engagement } from '../engagement/area.ts';
import { adminStatsOf } from '../engagement/user-stats/service.ts';
import type { Games } from '../games/area.ts';
import type { Money } from '../money/area.ts';
import { marksJob } from '../money/ledger/marked-list.ts';
import { createAccounting } from './accounting/service.ts';
import { accountingBackofficeRoutes, accountingStaffRoutes } from './accounting/staff.routes.ts';
import { crmJobs } from './crm/jobs.ts';
import { REDELIVER } from './crm/outbound/deliver.ts';
import { crmRoutes } from './crm/routes.ts';
import { createCrm } from './crm/service.ts';
import { createDashboards } from './dashboards/service.ts';
import { dashboardStaffRoutes } from './dashboards/staff.routes.ts';
import { createUserAdmin } from './user-admin/service.ts';
import { userAdminBackofficeRoutes, userAdminRoutes } from './user-admin/staff.routes.ts';
import { createUserNotes } from './user-notes/service.ts';
import { userNoteStaffRoutes } from './user-notes/staff.routes.ts';

type Before = Foundation & Base & Compliance & Accounts & Money & Games & Engagement;

export type Backoffice = ReturnType<typeof createBackoffice>;

/** What staff looks at and changes across the other areas: users, the statement over the ledger. */
export function createBackoffice(before: Before) {
  const { db, reads, config, files, currencies, mail, siteConfig, wallet, bets, mfa, grants } = before;
  const { metrics, databaseClock: clock } = before;
  return {
    userNotes: createUserNotes(db),
    userAdmin: createUserAdmin({
      db,
      reads,
      currencies,
      siteConfig,
      files,
      brand: config.BRAND_NAME,
      statsOf: (userIds) => adminStatsOf(reads, userIds),
      stepUp: mfa.stepUp.within,
      mail,
      grants,
    }),
    accounting: createAccounting({ db, reads, currencies, wallet, bets }),
    crm: createCrm({
      ...before,
      clock,
      onConsumed: (consumer, effects) => metrics.consumerBets.inc({ consumer }, effects),
    }),
    dashboards: createDashboards({
      db,
      reads,
      clock: before.databaseClock,
      currencies,
      labels: before.gameLabels,
      bandsOf: before.returns.bandsOf,
      sharedMs: config.DASHBOARD_SHARED_SECONDS * 1000,
    }),
  };
}

export const backoffice: Area<Before & Backoffice> = {
  routes: (s) => [
    ...userNoteStaffRoutes(s.userNotes),
    ...userAdminRoutes(s.userAdmin),
    ...accountingStaffRoutes(s.accounting),
    ...crmRoutes(s.crm),
    ...dashboardStaffRoutes(s.dashboards),
  ],
  backofficeRoutes: (s) => [
    ...userAdminBackofficeRoutes(s.userAdmin),
    ...accountingBackofficeRoutes(s.accounting),
  ],
  jobs: (s) => [
    marksJob('statement.marks', s.accounting, s.idsTaken),
    ...crmJobs(s.crm),
    { name: 'dashboards.pack', everyMs: 300_000, run: s.dashboards.pack },
  ],
  tasks: (s) => ({ [REDELIVER]: s.crm.redeliver }),
  subscriptions: (s) => (s.crm.isTold ? [s.crm.subscription] : []),
  consumers: (s) => (s.crm.isTold ? [s.crm.minutes.consumer] : []),
  watch: (s) => {
    s.metrics.watchAll(
      {
        crm_messages_waiting: 'Messages that the CRM has not taken yet',
        crm_oldest_waiting_seconds: 'How long the oldest of them has waited',
      },
      async () => {
        const { waiting, oldestSeconds } = await s.crm.backlog();
        return { crm_messages_waiting: waiting, crm_oldest_waiting_seconds: oldestSeconds };
      },
    );
  },
  start: async (s) => s.crm.start(),
};
