import type { Foundation } from '../../app/foundation.ts';
import { areaOf } from '../../http/module.ts';
import type { Accounts } from '../accounts/area.ts';
import type { Base } from '../base/area.ts';
import type { Compliance } from '../compliance/area.ts';
import type { Engagement } from '../engagement/area.ts';
import type { Games } from '../games/area.ts';
import type { Money } from '../money/area.ts';
import { accounting } from './accounting/module.ts';
import { createAccounting } from './accounting/service.ts';
import { crm } from './crm/module.ts';
import { createCrm } from './crm/service.ts';
import { dashboards } from './dashboards/module.ts';
import { createDashboards } from './dashboards/service.ts';
import { createMarks } from './user-admin/marks.ts';
import { userAdmin } from './user-admin/module.ts';
import { userNotes } from './user-notes/module.ts';

type Before = Foundation & Base & Compliance & Accounts & Money & Games & Engagement;

export type Backoffice = ReturnType<typeof createBackoffice>;

/** The services of this area: user administration, the ledger statement, the CRM connection and dashboards. */
export function createBackoffice(before: Before) {
  const { db, reads, config, currencies, bets, metrics, databaseClock: clock } = before;
  return {
    userAdmin: { marks: createMarks(reads) },
    accounting: createAccounting({ db, reads, currencies, bets }),
    crm: createCrm({
      ...before,
      clock,
      onConsumed: (consumer, effects) => metrics.consumerBets.inc({ consumer }, effects),
    }),
    dashboards: createDashboards({ sharedMs: config.DASHBOARD_SHARED_SECONDS * 1000 }),
  };
}

export const backoffice = areaOf<Before & Backoffice>([userNotes, userAdmin, accounting, dashboards, crm]);
