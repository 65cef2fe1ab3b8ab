import type { z } from 'zod';
import type { StaffCall } from '../../../../http/access.ts';
import { offsetOf, type Page, paginated } from '../../../../http/schemas.ts';
import type { Clock } from '../../../../platform/clock.ts';
import type { Config } from '../../../../platform/config.ts';
import type { Db, Tx } from '../../../../platform/db.ts';
import type { Log } from '../../../../platform/log.ts';
import type { SiteConfig } from '../../../base/site-config/service.ts';
import type { Webhooks } from '../../../base/webhooks/service.ts';
import type { Gate } from '../../../compliance/gate/service.ts';
import type { Currencies } from '../../currencies/service.ts';
import type { PaymentProviders } from '../providers/registry.ts';
import type { Rollover } from '../rollover.ts';
import { createApplicants } from './applicant.ts';
import { createApprove } from './approve.ts';
import { createAsk } from './ask.ts';
import { type CancelDeps, createCancel } from './cancel.ts';
import { createEligibility } from './eligibility.ts';
import { createEstimate } from './estimate.ts';
import { createNotices } from './notice.ts';
import { createFourEyes } from './outgoing.ts';
import { createProgress } from './progress.ts';
import { countByStatus, listWithdrawals } from './queries.ts';
import { createQuotes } from './quote.ts';
import { createReject } from './reject.ts';
import { createRequest, type ProveMfa } from './request.ts';
import { createFetch, createRetry } from './retry.ts';
import type { WithdrawalStatus } from './rules.ts';
import type { PlayerWithdrawalQuery } from './schemas.ts';
import { createSending } from './send.ts';
import { createStaffReads } from './staff-view.ts';
import { createTerms } from './terms.ts';
import { type PlayerView, toPlayerWithdrawal } from './view.ts';

export type Withdrawals = ReturnType<typeof createWithdrawals>;

type Deps = {
  db: Db;
  config: Pick<Config, 'DATA_SECRET' | 'isDevelopment'>;
  log: Log;
  clock: Clock;
  currencies: Currencies;
  siteConfig: SiteConfig;
  gate: Gate;
  rollover: Rollover;
  webhooks: Webhooks;
  providers: Pick<PaymentProviders, 'active' | 'get'>;
  proveMfa: ProveMfa;
  stepUp: (tx: Tx, by: StaffCall) => Promise<void>;
  countryOf: (ip: string) => string | null;
  statedCountryOf: CancelDeps['statedCountryOf'];
};

/** Money out: what players ask for, what staff decides, what the worker sends, and what providers say of it. */
export function createWithdrawals(needs: Deps) {
  const { db, config, log, clock, currencies, siteConfig, gate, webhooks, providers, countryOf } = needs;
  const quotes = createQuotes({ secret: config.DATA_SECRET, clock });
  const terms = createTerms({ currencies, siteConfig, quotes, hasProvider: providers.active !== undefined });
  const applicants = createApplicants({
    gate,
    siteConfig,
    rollover: needs.rollover,
    paysTestAccounts: config.isDevelopment,
  });
  const cancel = createCancel(needs);
  const eligibility = createEligibility({ db, currencies, terms, applicants });
  const isForTwo = createFourEyes({ siteConfig });
  const progress = createProgress({ currencies, log });
  const ask = createAsk({ db, providers, progress, log });
  return {
    estimate: createEstimate({ terms, quotes }),
    request: createRequest({ ...needs, terms, applicants }),
    cancel: ({ ip, ...caller }: { userId: number; ip: string; key: string | undefined }, id: string) =>
      cancel({ ...caller, country: countryOf(ip) }, id),
    eligibility: ({ userId, ip, currencyId }: { userId: number; ip: string; currencyId: string }) =>
      eligibility({ userId, currencyId, country: countryOf(ip) }),

    /** A player's own. */
    async list(userId: number, query: z.output<typeof PlayerWithdrawalQuery>): Promise<Page<PlayerView>> {
      const { status, ...order } = query;
      const counts = await countByStatus(db, userId);
      const statuses = status ? statusesShownAs(status) : [...counts.keys()];
      const total = statuses.reduce((sum, one) => sum + (counts.get(one) ?? 0), 0);
      const offset = offsetOf(query, total);
      if (offset === undefined) return paginated<PlayerView>([], query, total);
      const rows = await listWithdrawals(db, { userId, statuses: status && statuses }, { ...order, offset });
      return paginated(
        rows.map((row) => toPlayerWithdrawal(row, currencies)),
        query,
        total,
      );
    },

    staff: {
      ...createStaffReads({ db }),
      approve: createApprove({ db, isForTwo, stepUp: needs.stepUp }),
      reject: createReject({ db }),
      retry: createRetry({ db, ask, progress, isForTwo, applicants }),
      fetch: createFetch({ db, ask, progress }),
    },
    sending: createSending({ db, providers, ask, log }),
    receive: createNotices({ webhooks, providers, progress, log }),
  };
}

const statusesShownAs = (status: WithdrawalStatus): WithdrawalStatus[] =>
  status === 'PROCESSING' ? ['PROCESSING', 'UNKNOWN_OUTCOME'] : [status];
