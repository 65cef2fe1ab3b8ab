import { defineModule } from '../../../http/module.ts';
import { decideKyc } from './decide.ts';
import { getKyc, getOwnKyc, listKyc } from './read.ts';
import { receiveKycWebhook } from './receive.ts';
import type { KycDeps } from './service.ts';
import { openKycSession } from './session.ts';
import { submitBasic } from './submit.ts';
import { DOCUMENT_COUNTRY } from './webhooks.ts';

export const kyc = defineModule({
  name: 'kyc',
  operations: [getOwnKyc, submitBasic, openKycSession, receiveKycWebhook, listKyc, getKyc, decideKyc],
  jobs: ({ kyc }: KycDeps) => [{ name: 'kyc.expire', everyMs: 10_000, run: () => kyc.expire() }],
  tasks: ({ kyc }: KycDeps) => ({ [DOCUMENT_COUNTRY]: kyc.fetchDocumentCountry }),
});
