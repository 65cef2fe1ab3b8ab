import type { z } from 'zod';
import type { StaffCall } from '../../../../http/access.ts';
import type { Db } from '../../../../platform/db.ts';
import type { Log } from '../../../../platform/log.ts';
import type { Metrics } from '../../../../platform/metrics.ts';
import { sightOf } from '../../../base/users/service.ts';
import type { Settlement } from '../../betting/settlement.ts';
import type { KnownProvider } from '../provider.ts';
import { applyFinding } from './apply.ts';
import { askAboutOpenRounds } from './ask.ts';
import { compareAll } from './compare.ts';
import { decideFinding } from './decide.ts';
import { expireRounds } from './expire.ts';
import { listFindings } from './list.ts';
import { countOpen, purgeSessions } from './queries.ts';
import type { FindingClosure, FindingQuery } from './schemas.ts';

type Deps = Parameters<typeof applyFinding>[0] & {
  db: Db;
  settlement: Pick<Settlement, 'settle' | 'settleWithin'>;
  /** Those that are configured. */
  providers: () => readonly KnownProvider[];
  log: Log;
};

export type ProviderReports = ReturnType<typeof createProviderReports>;

/** Launches that are removed together. */
const PURGED_AT_ONCE = 1000;

/** Providers' books beside ours: differences are findings, which staff decides about. Nothing mends itself. */
export function createProviderReports(deps: Deps) {
  const { db } = deps;
  return {
    compare: () => compareAll(deps),
    /** Of rounds that are open for long. */
    async lookAfterRounds(): Promise<void> {
      await askAboutOpenRounds(deps);
      await expireRounds(deps);
    },
    async purge(): Promise<void> {
      while ((await purgeSessions(db, PURGED_AT_ONCE)) === PURGED_AT_ONCE);
    },

    list: (by: StaffCall, query: z.output<typeof FindingQuery>) => listFindings(db, query, sightOf(by.user)),
    apply: (by: StaffCall, id: string, key: string | undefined) => applyFinding(deps, by, { id, key }),
    /** Nothing is booked. Throws as decideFinding does. */
    close: (by: StaffCall, id: string, { reason }: z.output<typeof FindingClosure>) =>
      decideFinding(
        db,
        { by, id, operation: 'finding.close', key: undefined, status: 'CLOSED', reason },
        async () => undefined,
      ),
  };
}

/** Every process reports the findings in its metrics. */
export function watchFindings(db: Db, metrics: Metrics): void {
  const figures = { provider_findings_open: 'Findings about a provider that staff has not decided about' };
  metrics.watchEach('provider', figures, async () =>
    (await countOpen(db)).map(({ slug, open }) => ({
      label: slug,
      figures: { provider_findings_open: open },
    })),
  );
}
