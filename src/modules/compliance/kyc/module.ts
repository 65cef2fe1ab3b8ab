import { defineModule } from '../../../http/module.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Logs } from '../../../platform/observability/log.ts';
import type { SiteConfig } from '../../base/site-config/service.ts';
import { decideKyc } from './decide.ts';
import { kycMessages } from './messages.ts';
import { getKyc, getOwnKyc, listKyc } from './read.ts';
import { receiveKycWebhook } from './receive.ts';
import { kycEvents } from './schemas.ts';
import type { KycDeps } from './service.ts';
import { createKyc, type KycOptions } from './service.ts';
import { openKycSession } from './session.ts';
import { submitBasic } from './submit.ts';
import { DOCUMENT_COUNTRY } from './webhooks.ts';

type Before = Omit<KycOptions, 'clock' | 'log' | 'minimumAge'> & {
  databaseClock: Clock;
  log: Logs;
  siteConfig: SiteConfig;
};

export const kyc = defineModule({
  name: 'kyc',
  tags: {
    KYC: 'Identity verification in four tiers.',
    'KYC Admin': 'Review of identity verifications.',
  },
  events: kycEvents,
  messages: kycMessages,
  create: ({ databaseClock: clock, log, ...before }: Before) => ({
    kyc: createKyc({
      ...before,
      clock,
      log: log.named('kyc'),
      minimumAge: () => before.siteConfig.get('COMMON').minimumAge,
    }),
  }),
  operations: [getOwnKyc, submitBasic, openKycSession, receiveKycWebhook, listKyc, getKyc, decideKyc],
  jobs: ({ kyc }: KycDeps) => [
    { name: 'kyc.expire', everyMs: 10_000, isDue: kyc.isAnyExpired, run: () => kyc.expire() },
  ],
  tasks: ({ kyc }: KycDeps) => ({ [DOCUMENT_COUNTRY]: kyc.fetchDocumentCountry }),
});
