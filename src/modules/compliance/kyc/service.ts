import type { z } from 'zod';
import type { StaffCall } from '../../../http/access.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Config } from '../../../platform/config.ts';
import { type DbOrTx, transaction } from '../../../platform/db.ts';
import type { Log } from '../../../platform/log.ts';
import { createOutbound } from '../../../platform/outbound.ts';
import { sightOf } from '../../base/users/service.ts';
import type { Webhooks } from '../../base/webhooks/service.ts';
import { transactionTime } from '../gate/service.ts';
import { expireTiers, type OnApproved, shownToPlayer } from './level.ts';
import { listTiers } from './list.ts';
import {
  createPersons,
  type PersonDeps,
  statedCountryOf,
  statedPersonOf,
  submitBasic,
  underageAmong,
} from './persons.ts';
import type { KycProvider } from './provider.ts';
import { createSandboxProvider } from './provider-sandbox.ts';
import { createSumsubProvider } from './provider-sumsub.ts';
import { findExpired, readTiers } from './queries.ts';
import { decide, detailOf } from './review.ts';
import { asOfNow, isApproved, levelOf } from './rules.ts';
import type { KycDecision, KycQuery, KycState, NewKycSession, Person } from './schemas.ts';
import { openSession } from './session.ts';
import { processWebhook, providerNamed } from './webhooks.ts';

export type Kyc = ReturnType<typeof createKyc>;

type Deps = Omit<PersonDeps, 'persons'> & {
  config: Config;
  log: Log;
  clock: Clock;
  webhooks: Webhooks;
  /** Which of WITHDRAW, DEPOSIT and PLAY need a higher level of a player. */
  requiredFor: (userId: number, level: number) => Promise<string[]>;
  onApproved: OnApproved;
};

/** Who players say they are, and what of it is proven. */
export function createKyc(given: Deps) {
  const { db, requiredFor } = given;
  const persons = createPersons(given.config.DATA_SECRET);
  const deps = { ...given, persons, provider: createProvider(given) };
  given.webhooks.on('kyc', (tx, event) => processWebhook(deps, tx, event));
  return {
    async state(userId: number): Promise<z.input<typeof KycState>> {
      const now = await transactionTime(db);
      const tiers = await readTiers(db, userId);
      const level = levelOf(tiers, now);
      return {
        level,
        tiers: tiers.map((tier) => shownToPlayer(asOfNow(tier, now))),
        requiredFor: await requiredFor(userId, level),
      };
    },
    submitBasic: (userId: number, person: Person) => submitBasic(deps, userId, person),
    statedCountryOf: (tx: DbOrTx, userId: number) => statedCountryOf(tx, persons, userId),
    underageAmong: (tx: DbOrTx, userIds: readonly number[]) => underageAmong(tx, deps, userIds),
    /** What a player has stated about themselves, and when their identity was approved, as far as either is known. */
    async identityOf(userId: number): Promise<{ person: Person | undefined; approvedAt: Date | null }> {
      const now = await transactionTime(db);
      const tiers = await readTiers(db, userId);
      const identity = asOfNow(tiers.find(({ tier }) => tier === 'IDENTITY')!, now);
      const person = await statedPersonOf(db, persons, userId);
      return { person, approvedAt: isApproved(identity) ? identity.decidedAt : null };
    },
    openSession: (userId: number, input: z.output<typeof NewKycSession>) => openSession(deps, userId, input),
    receiveWebhook: given.webhooks.receiver('kyc', (id) => providerNamed(deps, id)),

    list: (by: StaffCall, query: z.output<typeof KycQuery>) => listTiers(db, query, sightOf(by.user)),
    detail: (by: StaffCall, userId: number) => detailOf(db, persons, by, userId),
    decide: (by: StaffCall, userId: number, input: z.output<typeof KycDecision>) =>
      decide(deps, by, { ...input, userId }),

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

/** A session takes two requests or three, and a player waits for it. */
const TIMEOUT_MS = 3000;

/** The provider of the configuration; undefined where staff alone decides. */
function createProvider({ config, log, clock }: Deps): KycProvider | undefined {
  const { KYC_PROVIDER: id, KYC_API_URL: baseUrl } = config;
  if (!id || !baseUrl) return undefined;
  const outbound = createOutbound({ name: `kyc ${id}`, baseUrl, log, timeoutMs: TIMEOUT_MS });
  const [IDENTITY = '', ADDRESS = '', SOURCE_OF_FUNDS = ''] = config.KYC_LEVELS;
  const create = id === 'sumsub' ? createSumsubProvider : createSandboxProvider;
  return create({ config, clock, outbound, levels: { IDENTITY, ADDRESS, SOURCE_OF_FUNDS } });
}
