import type { z } from 'zod';
import type { Clock } from '../../../platform/clock.ts';
import { iso } from '../../../platform/clock.ts';
import type { Config } from '../../../platform/config.ts';
import { type Db, type DbOrTx, transaction } from '../../../platform/db.ts';
import { commonErrors } from '../../../platform/errors.ts';
import type { Log } from '../../../platform/log.ts';
import type { Webhooks } from '../../base/webhooks/service.ts';
import { countryErrors } from '../countries/errors.ts';
import type { Countries } from '../countries/service.ts';
import { transactionTime } from '../gate/service.ts';
import { kycErrors } from './errors.ts';
import { changeTiers, expireTiers, lockStanding, type Standing, tierIn } from './level.ts';
import { createNotices } from './notices.ts';
import { createPersons } from './persons.ts';
import { createProvider } from './providers.ts';
import { findExpired, findPerson, noteUnderage, readTiers, storePerson } from './queries.ts';
import { createReview } from './review.ts';
import {
  ageOn,
  asOfNow,
  canResubmit,
  isApproved,
  isClosed,
  isInReview,
  levelOf,
  nothingIn,
  shownStatus,
  type TierState,
} from './rules.ts';
import type { KycState, KycTier, Person } from './schemas.ts';
import { createSessions } from './session.ts';

export type Kyc = ReturnType<typeof createKyc>;

/** Which of WITHDRAW, DEPOSIT and PLAY need a higher level of a player. */
export type RequiredFor = (userId: number, level: number) => Promise<string[]>;

export type KycDeps = {
  db: Db;
  config: Config;
  log: Log;
  clock: Clock;
  webhooks: Webhooks;
  countries: Pick<Countries, 'isBlocked' | 'exists'>;
  minimumAge: () => number;
  requiredFor: RequiredFor;
};

/** Who players say they are, and what has been shown of it. */
export function createKyc(needs: KycDeps) {
  const { db, config, log, webhooks, requiredFor } = needs;
  const provider = createProvider(needs);
  const persons = createPersons(config.DATA_SECRET);
  const notices = createNotices({ provider, webhooks, log });
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

    /**
     * Takes what players state about themselves; approved immediately. Throws 400 VALIDATION_FAILED (unknown country), KYC_UNDERAGE,
     * 403 AUTH_GEO_BLOCKED, 409 KYC_ALREADY_APPROVED, KYC_FINALLY_REJECTED, KYC_UNDER_REVIEW.
     */
    async submitBasic(userId: number, person: Person): Promise<z.input<typeof KycTier>> {
      await assertServed(needs, person.country);
      if (ageOn(person.birthDate, await transactionTime(db)) < needs.minimumAge()) {
        await noteUnderage(db, userId);
        throw kycErrors.KYC_UNDERAGE({ minimumAge: needs.minimumAge() });
      }
      return transaction(db, async (tx) => {
        const standing = await lockStanding(tx, userId);
        assertOpen(tierIn(standing, 'BASIC'));
        const { now } = standing;
        const known = await findPerson(tx, userId);
        const stated = persons.seal(person);
        await storePerson(tx, userId, stated);
        const isOther = known?.person_key != null && !known.person_key.equals(stated.personKey);
        const approved = { submittedAt: now, decidedAt: now, status: 'APPROVED' } as const;
        const basic: TierState = { ...nothingIn('BASIC', now), ...approved };
        const next = isOther ? [basic, ...provenOfAnother(standing)] : [basic];
        const reason = isOther ? 'the player has stated that they are somebody else' : null;
        await changeTiers(tx, standing, next, { actorId: userId, reason });
        return shownToPlayer(basic);
      });
    },

    /** The country that a player has stated to live in; null: none. */
    async statedCountryOf(db: DbOrTx, userId: number): Promise<string | null> {
      const sealed = (await findPerson(db, userId))?.sealed;
      return sealed ? persons.open(sealed).country : null;
    },

    /** Lets a player show documents for a tier. Throws what createSessions names. */
    openSession: createSessions({ db, provider, persons, log }),

    notify: notices.receive,
    ...createReview({ db, persons }),

    /** Ends approvals that are past their end. */
    async expire(): Promise<void> {
      for (;;) {
        const players = await findExpired(db, 100);
        for (const userId of players) await transaction(db, (tx) => expireTiers(tx, userId));
        if (players.length < 100) return;
      }
    },
  };
}

/** Throws 400 VALIDATION_FAILED, 403 AUTH_GEO_BLOCKED. */
async function assertServed({ countries }: KycDeps, country: string): Promise<void> {
  if (!(await countries.exists(country)))
    throw commonErrors.VALIDATION_FAILED({ fields: [{ path: 'country', message: 'is not known' }] });
  if (countries.isBlocked(country)) throw countryErrors.AUTH_GEO_BLOCKED({ countryCode: country });
}

function assertOpen(basic: TierState): void {
  if (isApproved(basic)) throw kycErrors.KYC_ALREADY_APPROVED();
  if (isClosed(basic)) throw kycErrors.KYC_FINALLY_REJECTED();
  if (isInReview(basic)) throw kycErrors.KYC_UNDER_REVIEW();
}

/** Documents of one person prove nothing about another. */
const provenOfAnother = ({ tiers, now }: Standing): TierState[] =>
  tiers
    .filter((state) => state.tier !== 'BASIC' && (isApproved(state) || isInReview(state)))
    .map(({ tier }) => ({ ...nothingIn(tier, now), status: 'RESUBMIT', decidedAt: now }));

/** What a provider says for staff alone is not for the player. */
const shownToPlayer = (state: TierState): z.input<typeof KycTier> => ({
  tier: state.tier,
  status: shownStatus(state.status),
  submittedAt: state.submittedAt && iso(state.submittedAt),
  decidedAt: state.decidedAt && iso(state.decidedAt),
  expiresAt: state.expiresAt && iso(state.expiresAt),
  moderationComment: state.moderationComment,
  rejectLabels: [...state.rejectLabels],
  canResubmit: canResubmit(state),
});
