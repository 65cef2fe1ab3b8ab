import type { Tx } from '../../../platform/database/db.ts';
import { type Units, units } from '../../../platform/money.ts';
import type { Log } from '../../../platform/observability/log.ts';
import type { Metrics } from '../../../platform/observability/metrics.ts';
import { lockPlayers } from '../../base/players/service.ts';
import type { SiteConfig } from '../../base/site-config/service.ts';
import { getUser } from '../../base/users/service.ts';
import { type Gate, transactionTime } from '../../compliance/gate/service.ts';
import { depositedEver, depositedOf } from './stats.ts';

export type DepositGate = ReturnType<typeof createDepositGate>;

/** The KYC level that corresponds to the tier IDENTITY. */
const IDENTITY_LEVEL = 2;

/** Checks deposits with the gate, before a deposit and again when its money has arrived. */
export function createDepositGate({ gate, siteConfig }: { gate: Gate; siteConfig: SiteConfig }) {
  const factsOf = async (tx: Tx, userId: number) => {
    await lockPlayers(tx, [userId]);
    const user = await getUser(tx, userId);
    const threshold = siteConfig.get('WITHDRAWALS').kycDepositThresholdUsd;
    const needsTier =
      threshold !== null &&
      user.kyc_level < IDENTITY_LEVEL &&
      (await depositedEver(tx, userId)) >= units(threshold);
    const depositedUsd = await depositedOf(tx, userId, await transactionTime(tx));
    return { user, depositedUsd, depositKycTier: needsTier ? 'IDENTITY' : null };
  };
  return {
    /** Locks the player. Throws the first error with which the gate refuses the action `deposit`. */
    async assertMay(tx: Tx, { userId, country }: { userId: number; country: string | null }): Promise<void> {
      const { user: _, ...facts } = await factsOf(tx, userId);
      await gate.assertMay(tx, { action: 'deposit', userId, country, ...facts });
    },

    /** Locks the player. Returns all errors with which the gate refuses the action `deposit`. */
    async refusals(tx: Tx, { userId, country }: { userId: number; country: string | null }) {
      const { user: _, ...facts } = await factsOf(tx, userId);
      return gate.refusals(tx, { action: 'deposit', userId, country, ...facts });
    },

    /**
     * Locks the player. Returns the gate's refusal codes for a payment that has already arrived. Uses the player's registered country.
     * Omits DEPOSIT_DISABLED, because the payment was already in transit.
     */
    async findings(tx: Tx, { userId, usdAmount }: { userId: number; usdAmount: Units }): Promise<string[]> {
      const { user, depositedUsd, depositKycTier } = await factsOf(tx, userId);
      // The gate rejects deposits once a limit is used up, so a payment that exactly reaches the limit must still pass.
      const more = usdAmount > 0n ? usdAmount - 1n : 0n;
      const { DAY, WEEK, MONTH } = depositedUsd;
      const facts = { depositedUsd: { DAY: DAY + more, WEEK: WEEK + more, MONTH: MONTH + more } };
      const inquiry = { action: 'deposit', userId, country: user.country_code, depositKycTier } as const;
      const refusals = await gate.refusals(tx, { ...inquiry, ...facts });
      return refusals.map(({ code }) => code).filter((code) => code !== 'DEPOSIT_DISABLED');
    },
  };
}

/** Adds reasons to those of a deposit, and counts and logs the new ones. Returns null if the deposit has no reasons. */
export function withReasons(
  { log, metrics }: { log: Log; metrics: Metrics },
  { id, review_reason }: { id: string; review_reason: string | null },
  reasons: readonly string[],
): string | null {
  const existing = review_reason?.split(',') ?? [];
  const fresh = reasons.filter((reason) => !existing.includes(reason));
  for (const reason of fresh) metrics.depositFindings.inc({ reason });
  if (fresh.length > 0) log.warn({ depositId: id, reasons: fresh }, 'deposit needs review');
  return [...existing, ...fresh].join(',') || null;
}
