import type { Foundation } from '../../app/foundation.ts';
import { areaOf, createAll, type MadeBy } from '../../http/module.ts';
import type { Accounts } from '../accounts/area.ts';
import type { Base } from '../base/area.ts';
import type { Compliance } from '../compliance/area.ts';
import type { Engagement } from '../engagement/area.ts';
import type { Games } from '../games/area.ts';
import type { Money } from '../money/area.ts';
import { accounting } from './accounting/module.ts';
import { crm } from './crm/module.ts';
import { dashboards } from './dashboards/module.ts';
import { savedViews } from './saved-views/module.ts';
import { adminSearch } from './search/module.ts';
import { userAdmin } from './user-admin/module.ts';
import { userNotes } from './user-notes/module.ts';
import { userOverview } from './user-overview/module.ts';

type Before = Foundation & Base & Compliance & Accounts & Money & Games & Engagement;

/** User administration, the search, saved views of the console, the ledger statement, the CRM connection and dashboards. */
const modules = [
  userNotes,
  savedViews,
  userAdmin,
  userOverview,
  adminSearch,
  accounting,
  dashboards,
  crm,
] as const;

export type Backoffice = MadeBy<typeof modules>;

export const createBackoffice = (before: Before): Backoffice => createAll(modules, before);

export const backoffice = areaOf<Before & Backoffice>(modules);
