import { defineModule } from '../../../http/module.ts';
import type { Db } from '../../../platform/database/db.ts';
import type { Logs } from '../../../platform/observability/log.ts';
import { createRollover, type RolloverDeps } from '../payments/rollover/service.ts';
import { createCashGrants } from './cash.ts';
import { checks } from './checks.ts';
import type { GrantDeps } from './grants/deps.ts';
import { bonusEvents } from './grants/schemas.ts';
import { createGrants, type Grants } from './grants.ts';
import { bonusMessages } from './messages.ts';

type Before = RolloverDeps & Omit<GrantDeps, 'cashGrants' | 'rollover'> & { db: Db; log: Logs };
type Services = { grants: Grants };

/** Required turnover before withdrawals, and grants of bonus money. */
export const bonus = defineModule({
  name: 'bonus',
  events: bonusEvents,
  messages: bonusMessages,
  checks,
  create(before: Before) {
    const rollover = createRollover(before);
    const cashGrants = createCashGrants({ rollover });
    const log = before.log.named('payments');
    return { rollover, cashGrants, grants: createGrants({ ...before, log, cashGrants, rollover }) };
  },
  jobs: ({ grants }: Services) => [
    {
      name: 'grants.settle',
      everyMs: 2_000,
      quietMs: 10_000,
      isDue: grants.isAnyDue,
      run: grants.settleDue,
    },
  ],
  close: async ({ grants }: Services) => grants.close(),
});
