import type { Clock } from '../../../platform/clock.ts';
import type { Config } from '../../../platform/config/config.ts';
import { type Db, type DbOrTx, transaction } from '../../../platform/database/db.ts';
import { errors } from '../../../platform/errors.ts';
import { createOutbound } from '../../../platform/net/outbound.ts';
import type { Log, Logs } from '../../../platform/observability/log.ts';
import { dataSecret } from '../../../platform/secrets/encryption.ts';
import type { PartnerReports } from '../../base/findings/service.ts';
import type { Webhooks } from '../../base/webhooks/service.ts';
import type { Countries } from '../countries/service.ts';
import { transactionTime } from '../gate/service.ts';
import { expireTiers, type OnApproved } from './level.ts';
import { createPersons, identityCountriesOf, statedPersonOf, underageAmong } from './persons.ts';
import { createSandboxProvider, type KycProvider } from './provider.ts';
import { createSumsubProvider } from './provider-sumsub.ts';
import { findExpired, readTiers } from './queries.ts';
import { asOfNow, isApproved } from './rules.ts';
import type { Person } from './schemas.ts';
import { createDocumentCountryJob, processWebhook, providerNamed } from './webhooks.ts';

export type KycDeps = {
  db: Db;
  log: Logs;
  countries: Pick<Countries, 'isBlocked' | 'exists' | 'givenCountries'>;
  kyc: Kyc;
};

export const kycErrors = errors({
  KYC_UNDERAGE: [400, 'This person is below the minimum age.'],
  KYC_BASIC_REQUIRED: [409, 'Submit your basic identity details first: POST /kyc/basic.'],
  KYC_ALREADY_APPROVED: [409, 'This tier is already approved.'],
  KYC_FINALLY_REJECTED: [409, 'The rejection of this tier is final. Contact support.'],
  KYC_UNDER_REVIEW: [409, 'This tier is under review. Wait for the decision.'],
  KYC_PROVIDER_MISSING: [409, 'Documents cannot be uploaded here. Contact support to verify your identity.'],
  REASON_REQUIRED: [400, 'Enter a `reason`.'],
});

export type Kyc = ReturnType<typeof createKyc>;

export type KycOptions = {
  db: Db;
  countries: Pick<Countries, 'givenCountries'>;
  minimumAge: () => number;
  config: Config;
  log: Log;
  clock: Clock;
  webhooks: Webhooks;
  partnerReports: PartnerReports;
  /** Returns the actions among WITHDRAW, DEPOSIT and PLAY for which the player needs a higher level. */
  requiredFor: (userId: number, level: number) => Promise<string[]>;
  onApproved: OnApproved;
};

/** Creates the KYC service, which holds the encryption keys of identities and the connection to the provider. */
export function createKyc(given: KycOptions) {
  const { db, minimumAge, requiredFor, onApproved } = given;
  const persons = createPersons(dataSecret(given.config));
  const deps = { ...given, persons, provider: createProvider(given) };
  given.webhooks.on('kyc', (tx, event) => processWebhook(deps, tx, event));
  return {
    persons,
    provider: deps.provider,
    minimumAge,
    requiredFor,
    onApproved,
    identityCountriesOf: (tx: DbOrTx, userIds: readonly number[]) =>
      identityCountriesOf(tx, persons, userIds),
    underageAmong: (tx: DbOrTx, userIds: readonly number[]) => underageAmong(tx, deps, userIds),
    /** Returns the identity that a player has stated and the time of its approval, if any. */
    async identityOf(userId: number): Promise<{ person: Person | undefined; approvedAt: Date | null }> {
      const now = await transactionTime(db);
      const tiers = await readTiers(db, userId);
      const identity = asOfNow(tiers.find(({ tier }) => tier === 'IDENTITY')!, now);
      const person = await statedPersonOf(db, persons, userId);
      return { person, approvedAt: isApproved(identity) ? identity.decidedAt : null };
    },
    receive: given.webhooks.receiver('kyc', (id) => providerNamed(deps, id)),

    /** Runs the job DOCUMENT_COUNTRY. */
    fetchDocumentCountry: createDocumentCountryJob(deps),

    isAnyExpired: async () => (await findExpired(db, 1)).length > 0,
    /** Ends approvals that have expired. */
    async expire(): Promise<void> {
      for (;;) {
        const players = await findExpired(db, 100);
        for (const userId of players) await transaction(db, (tx) => expireTiers(tx, userId));
        if (players.length < 100) return;
      }
    },
  };
}

/** The timeout is short, because the player waits for a session, and starting one needs two or three requests. */
const TIMEOUT_MS = 3000;

/** Returns the configured provider; undefined if only staff verify identities. */
function createProvider({ config, log, clock }: KycOptions): KycProvider | undefined {
  const { KYC_PROVIDER: id, KYC_API_URL: baseUrl } = config;
  if (!id || !baseUrl) return undefined;
  const outbound = createOutbound({ name: `kyc ${id}`, baseUrl, log, timeoutMs: TIMEOUT_MS });
  const [IDENTITY = '', ADDRESS = '', SOURCE_OF_FUNDS = ''] = config.KYC_LEVELS;
  const create = id === 'sumsub' ? createSumsubProvider : createSandboxProvider;
  return create({ config, clock, outbound, levels: { IDENTITY, ADDRESS, SOURCE_OF_FUNDS } });
}
