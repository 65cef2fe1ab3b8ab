import type { Tx } from '../../../platform/db.ts';
import { attribute } from './attribute.ts';
import { type ClaimDeps, createClaim } from './claim.ts';
import { createCodes } from './codes.ts';
import { createEarnings, releaseHeld } from './earnings.ts';
import { createLists, createStaffLists } from './lists.ts';
import { createReport } from './report.ts';
import { createStreamers } from './streamers.ts';
import { createFinds, createSummaries, type ReadDeps } from './summary.ts';

export type Affiliates = ReturnType<typeof createAffiliates>;

/** Affiliates: their codes, who came through them, and what is owed for it. What bets add is written by the module rewards. */
export const createAffiliates = (deps: ReadDeps & ClaimDeps) => ({
  codes: createCodes(deps),
  claim: createClaim(deps),
  lists: { ...createLists(deps), ...createStaffLists(deps), streamers: createStreamers(deps) },
  summaries: { ...createSummaries(deps), ...createFinds(deps) },
  report: createReport(deps),
  payments: createEarnings(deps.siteConfig),
  attribute: (tx: Tx, user: Parameters<typeof attribute>[2]) => attribute(tx, deps.siteConfig, user),
  /** What an approved identity was asked for: earnings that were held back count. */
  onApproved: async (tx: Tx, userId: number, tier: string) => {
    if (tier === 'IDENTITY') await releaseHeld(tx, userId);
  },
});
