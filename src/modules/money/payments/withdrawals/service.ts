import type { StaffCall } from '../../../../http/access.ts';
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
import { createApplicants, createEligibility } from './applicant.ts';
import { type CancelDeps, createCancel } from './cancel.ts';
import { createEstimate, createQuotes, createTerms } from './pricing.ts';
import { createApplyStatus, createPayoutWebhooks } from './provider-status.ts';
import { createRequest, type ProveMfa } from './request.ts';
import { createFetch, createRetry } from './retry.ts';
import { createApprove, createFourEyes, createReject } from './review.ts';
import { createSending } from './send.ts';
import { createPlayerList, createStaffReads } from './view.ts';

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

/** Withdrawals: requested by players, reviewed by staff, sent by the worker, confirmed by providers. */
export function createWithdrawals(deps: Deps) {
  const { db, config, log, clock, currencies, siteConfig, gate, webhooks, providers, countryOf } = deps;
  const quotes = createQuotes({ secret: config.DATA_SECRET, clock });
  const terms = createTerms({ currencies, siteConfig, quotes, hasProvider: providers.active !== undefined });
  const applicants = createApplicants({
    gate,
    siteConfig,
    rollover: deps.rollover,
    paysTestAccounts: config.isDevelopment,
  });
  const cancel = createCancel(deps);
  const eligibility = createEligibility({ db, currencies, terms, applicants });
  const isForTwo = createFourEyes({ siteConfig });
  const applyStatus = createApplyStatus({ currencies, log });
  return {
    estimate: createEstimate({ terms, quotes }),
    request: createRequest({ ...deps, terms, applicants }),
    cancel: ({ ip, ...caller }: { userId: number; ip: string; key: string | undefined }, id: string) =>
      cancel({ ...caller, country: countryOf(ip) }, id),
    eligibility: ({ userId, ip, currencyId }: { userId: number; ip: string; currencyId: string }) =>
      eligibility({ userId, currencyId, country: countryOf(ip) }),

    list: createPlayerList({ db, currencies }),

    staff: {
      ...createStaffReads({ db }),
      approve: createApprove({ db, isForTwo, stepUp: deps.stepUp }),
      reject: createReject({ db }),
      retry: createRetry({ db, providers, applyStatus, isForTwo, applicants }),
      fetch: createFetch({ db, providers, applyStatus }),
    },
    sending: createSending({ db, providers, applyStatus, log }),
    receive: createPayoutWebhooks({ webhooks, providers, applyStatus, log }),
  };
}
