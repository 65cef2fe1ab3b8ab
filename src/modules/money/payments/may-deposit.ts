import type { Tx } from '../../../platform/db.ts';
import { type Units, units } from '../../../platform/money.ts';
import { lockPlayers } from '../../base/players/service.ts';
import type { SiteConfig } from '../../base/site-config/service.ts';
import { getUser } from '../../base/users/service.ts';
import { type Gate, transactionTime } from '../../compliance/gate/service.ts';
import { depositedEver, depositedOf } from './stats.ts';

export type DepositGate = ReturnType<typeof createDepositGate>;

/** The level of the tier IDENTITY. */
const IDENTITY_LEVEL = 2;

/** Asks the gate before money comes in, in whatever way, and about money that has come anyway. */
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
    /** Locks the player. Throws the first refusal: see the gate's action `deposit`. */
    async assertMay(tx: Tx, { userId, country }: { userId: number; country: string | null }): Promise<void> {
      const { user: _, ...facts } = await factsOf(tx, userId);
      await gate.assertMay(tx, { action: 'deposit', userId, country, ...facts });
    },

    /**
     * Codes of the gate's refusals for a payment that has arrived already, in the country that the player gave; locks the player.
     * DEPOSIT_DISABLED is left out: the payment was on its way.
     */
    async findings(tx: Tx, { userId, usdAmount }: { userId: number; usdAmount: Units }): Promise<string[]> {
      const { user, depositedUsd, depositKycTier } = await factsOf(tx, userId);
      // The gate refuses once nothing is left of a limit; the amount that comes is known here.
      const more = usdAmount > 0n ? usdAmount - 1n : 0n;
      const { DAY, WEEK, MONTH } = depositedUsd;
      const facts = { depositedUsd: { DAY: DAY + more, WEEK: WEEK + more, MONTH: MONTH + more } };
      const asked = { action: 'deposit', userId, country: user.country_code, depositKycTier } as const;
      const refusals = await gate.refusals(tx, { ...asked, ...facts });
      return refusals.map(({ code }) => code).filter((code) => code !== 'DEPOSIT_DISABLED');
    },
  };
}
