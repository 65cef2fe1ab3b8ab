import type { Db, Tx } from '../../../../platform/db.ts';
import { type Units, units } from '../../../../platform/money.ts';
import { lockPlayers } from '../../../base/players/service.ts';
import type { SiteConfig } from '../../../base/site-config/service.ts';
import { gateErrors } from '../../../compliance/gate/errors.ts';
import type { WithdrawalFacts } from '../../../compliance/gate/rules.ts';
import type { Gate } from '../../../compliance/gate/service.ts';
import type { Rollover } from '../rollover.ts';
import { depositedEver } from '../stats.ts';
import { toPublicBlock } from './blocks.ts';
import { KYC_HOURS, outgoingUsd } from './outgoing.ts';
import { type Applicant, findBlock, readApplicant, type WithdrawalRow } from './queries.ts';
import { beforeIdentity, kycTierFor, needsIdentity } from './rules.ts';

export type Applicants = ReturnType<typeof createApplicants>;
type Asked = {
  userId: number;
  country: string | null;
  /** Of the amount; null: it has no price; undefined: no amount is meant, only the least that there is. */
  usdAmount?: Units | null | undefined;
};

/** What a withdrawal asks of its player: their gate, block, identity and limits. */
export function createApplicants({
  gate,
  siteConfig,
  rollover,
  paysTestAccounts,
}: {
  gate: Gate;
  siteConfig: SiteConfig;
  rollover: Rollover;
  paysTestAccounts: boolean;
}) {
  const rules = () => siteConfig.get('WITHDRAWALS');

  /** Locks the player. */
  const read = async (tx: Tx, { userId, usdAmount }: Asked) => {
    await lockPlayers(tx, [userId]);
    const recentUsd = await outgoingUsd(tx, { userId, hours: KYC_HOURS });
    const applicant = { ...(await readApplicant(tx, userId)), recentUsd };
    const block = await findBlock(tx, userId);
    const facts: WithdrawalFacts = {
      block: block ? toPublicBlock(block) : null,
      kycTier: kycTierFor({ ...applicant, usdAmount }, rules()),
      wagerRemainingUsd: await rollover.remaining(tx, userId),
    };
    return { applicant, facts };
  };
  const isRefusedAsTest = ({ isTest }: Applicant) => isTest && !paysTestAccounts;

  return {
    /** Throws the first of the gate's refusals; 403 WITHDRAWAL_BLOCKED for test accounts, whose money is none. */
    async admit(tx: Tx, asked: Asked) {
      const { applicant, facts } = await read(tx, asked);
      const { userId, country } = asked;
      await gate.assertMay(tx, { action: 'withdraw', userId, country, withdrawal: facts });
      if (isRefusedAsTest(applicant)) throw gateErrors.WITHDRAWAL_BLOCKED(OF_TEST_ACCOUNTS);
      return { ...applicant, isTurnoverWaived: facts.wagerRemainingUsd > 0n };
    },

    /** The same without refusing: who he is, and the codes of everything that speaks against it. */
    async review(tx: Tx, asked: Asked) {
      const { applicant, facts } = await read(tx, asked);
      const { userId, country } = asked;
      const refusals = await gate.refusals(tx, { action: 'withdraw', userId, country, withdrawal: facts });
      const codes = refusals.map(({ code }) => code);
      if (isRefusedAsTest(applicant)) codes.push(gateErrors.WITHDRAWAL_BLOCKED.code);
      return { applicant, facts, codes: [...new Set(codes)] };
    },

    /** Throws 403 KYC_REQUIRED where what has failed would be asked for anew, and its amount now needs a tier. */
    async assertIdentified(tx: Tx, row: WithdrawalRow): Promise<void> {
      const usdAmount = row.is_priced ? row.usd_amount : null;
      const { kycTier } = (await read(tx, { userId: row.user_id, country: null, usdAmount })).facts;
      if (kycTier !== null) throw gateErrors.KYC_REQUIRED({ tier: kycTier });
    },

    /** Dollars that may still be asked for today; null: any. */
    dailyRemaining({ todayUsd }: Applicant): Units | null {
      const { dailyLimitUsd } = rules();
      if (dailyLimitUsd === null) return null;
      const left = units(dailyLimitUsd) - todayUsd;
      return left > 0n ? left : 0n;
    },

    /** Dollars that may be asked for before identity has to be verified; null: any. */
    identityRemaining(applicant: Applicant & { recentUsd: Units | null }): Units | null {
      const left = beforeIdentity(applicant, rules().kycSingleThresholdUsd);
      return left !== null && left < 0n ? 0n : left;
    },
  };
}

const OF_TEST_ACCOUNTS = { reasonPublic: 'Test accounts are not paid out.', blockUntil: null };

/** What a player can do only with a higher level of identity now, by their deposits and withdrawals: `requiredFor` of KycState. */
export const createKycNeeds =
  ({ db, siteConfig }: { db: Db; siteConfig: SiteConfig }) =>
  async (userId: number, kycLevel: number): Promise<('WITHDRAW' | 'DEPOSIT')[]> => {
    const depositsUsd = await depositedEver(db, userId);
    const recentUsd = await outgoingUsd(db, { userId, hours: KYC_HOURS });
    const config = siteConfig.get('WITHDRAWALS');
    const threshold = config.kycDepositThresholdUsd;
    const who = { kycLevel, depositsUsd, recentUsd };
    const isForDeposits = threshold !== null && needsIdentity(who, threshold);
    return [
      ...(kycTierFor(who, config) === null ? [] : (['WITHDRAW'] as const)),
      ...(isForDeposits ? (['DEPOSIT'] as const) : []),
    ];
  };
