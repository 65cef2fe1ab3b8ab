import type { z } from 'zod';
import { type Tx, transaction } from '../../../../platform/db.ts';
import { commonErrors } from '../../../../platform/errors.ts';
import { countryOfIp } from '../../../../platform/geo.ts';
import { formatUnits, type Units, units, usdToCurrencyDown } from '../../../../platform/money.ts';
import { lockPlayers } from '../../../base/players/service.ts';
import { gateErrors } from '../../../compliance/gate/errors.ts';
import type { WithdrawalFacts } from '../../../compliance/gate/rules.ts';
import { balancesOf } from '../../ledger/balances.ts';
import type { WithdrawalDeps } from '../deps.ts';
import { depositedEver } from '../stats.ts';
import { toPublicBlock } from './blocks.ts';
import type { Terms } from './pricing.ts';
import { type Applicant, findBlock, outgoingUsd, readApplicant, type WithdrawalRow } from './queries.ts';
import { beforeIdentity, KYC_HOURS, kycTierFor, needsIdentity } from './rules.ts';
import type { WithdrawEligibility } from './schemas.ts';

export type Applicants = ReturnType<typeof createApplicants>;
type Asked = {
  userId: number;
  country: string | null;
  currencyId: string;
  /** The value of the amount; null: it has no price; undefined: the smallest possible amount. */
  usdAmount?: Units | null | undefined;
};

/** Whether a player may withdraw: gate, block, identity and limits. */
export function createApplicants(deps: WithdrawalDeps) {
  const { gate, siteConfig, config } = deps;
  const rules = () => siteConfig.get('WITHDRAWALS');
  const isRefusedAsTest = ({ isTest }: Applicant) => isTest && !config.isDevelopment;

  return {
    /** Throws the first of the gate's refusals; 403 WITHDRAWAL_BLOCKED for test accounts, whose money is not real. */
    async admit(tx: Tx, asked: Asked) {
      const { applicant, facts } = await factsOf(tx, deps, asked);
      const { userId, country } = asked;
      await gate.assertMay(tx, { action: 'withdraw', userId, country, withdrawal: facts });
      if (isRefusedAsTest(applicant)) throw gateErrors.WITHDRAWAL_BLOCKED(OF_TEST_ACCOUNTS);
      return { ...applicant, isTurnoverWaived: facts.wagerRemainingUsd > 0n };
    },

    /** The same without throwing: the player, and the codes of all refusals. */
    async review(tx: Tx, asked: Asked) {
      const { applicant, facts } = await factsOf(tx, deps, asked);
      const { userId, country } = asked;
      const refusals = await gate.refusals(tx, { action: 'withdraw', userId, country, withdrawal: facts });
      const codes = refusals.map(({ code }) => code);
      if (isRefusedAsTest(applicant)) codes.push(gateErrors.WITHDRAWAL_BLOCKED.code);
      return { applicant, facts, codes: [...new Set(codes)] };
    },

    /** For a retry of a failed withdrawal: throws 403 KYC_REQUIRED where its amount needs a tier by now. */
    async assertIdentified(tx: Tx, row: WithdrawalRow): Promise<void> {
      const usdAmount = row.is_priced ? row.usd_amount : null;
      const { facts } = await factsOf(tx, deps, {
        userId: row.user_id,
        country: null,
        currencyId: row.currency_id,
        usdAmount,
      });
      if (facts.kycTier !== null) throw gateErrors.KYC_REQUIRED({ tier: facts.kycTier });
    },

    /** Dollars that may still be requested today; null: unlimited. */
    dailyRemaining({ todayUsd }: Applicant): Units | null {
      const { dailyLimitUsd } = rules();
      if (dailyLimitUsd === null) return null;
      const left = units(dailyLimitUsd) - todayUsd;
      return left > 0n ? left : 0n;
    },

    /** Dollars that may be requested before identity has to be verified; null: unlimited. */
    identityRemaining(applicant: Applicant & { recentUsd: Units | null }): Units | null {
      const left = beforeIdentity(applicant, rules().kycSingleThresholdUsd);
      return left !== null && left < 0n ? 0n : left;
    },
  };
}

/** Locks the player and reads what their withdrawal is judged by. */
async function factsOf(
  tx: Tx,
  { siteConfig, rollover, grants }: WithdrawalDeps,
  { userId, currencyId, usdAmount }: Asked,
) {
  await lockPlayers(tx, [userId]);
  const recentUsd = await outgoingUsd(tx, { userId, hours: KYC_HOURS });
  const applicant = { ...(await readApplicant(tx, userId)), recentUsd };
  const block = await findBlock(tx, userId);
  const facts: WithdrawalFacts = {
    block: block ? toPublicBlock(block) : null,
    kycTier: kycTierFor({ ...applicant, usdAmount }, siteConfig.get('WITHDRAWALS')),
    wagerRemainingUsd: await rollover.remaining(tx, userId),
    openGrant: (await grants.openIn(tx, userId, currencyId)) ?? null,
  };
  return { applicant, facts };
}

const OF_TEST_ACCOUNTS = { reasonPublic: 'Test accounts are not paid out.', blockUntil: null };

type EligibilityDeps = WithdrawalDeps & { terms: Terms; applicants: Applicants };

type Question = { userId: number; ip: string; currencyId: string };

/** Why a withdrawal in a currency would be refused now, whatever its amount. Throws 404 CURRENCY_NOT_FOUND. */
export function createEligibility({ db, currencies, terms, applicants }: EligibilityDeps) {
  return ({ userId, ip, currencyId }: Question): Promise<z.input<typeof WithdrawEligibility>> => {
    const country = countryOfIp(ip);
    const currency = currencies.get(currencyId);
    const methods = currency.networks.map((network) => ({ currency, network })).filter(terms.isOpen);
    const minimum = methods.map(terms.minimum).reduce<Units>(least, -1n);
    return transaction(db, async (tx) => {
      const usdAmount = minimum < 0n ? undefined : terms.usdOf(currencyId, minimum);
      const { applicant, facts, codes } = await applicants.review(tx, {
        userId,
        country,
        currencyId,
        usdAmount,
      });
      const cash = (await balancesOf(tx, userId)).find((b) => b.currencyId === currencyId)?.cash ?? 0n;
      const { wagerRemainingUsd, openGrant, kycTier, block } = facts;
      const locked = wagerRemainingUsd > 0n || openGrant ? cash : 0n;
      const left = applicants.dailyRemaining(applicant);
      const { rate } = currencies.rateOf(currencyId);
      const within = (usd: Units | null): Units =>
        usd === null || rate === 0n ? cash : usdToCurrencyDown(usd, rate, currency.decimals);
      const [byDay, byIdentity] = [within(left), within(applicants.identityRemaining(applicant))];
      if (methods.length === 0) codes.push(gateErrors.WITHDRAW_DISABLED.code);
      if (minimum >= 0n && cash < minimum) codes.push(commonErrors.INSUFFICIENT_BALANCE.code);
      if (left !== null && (left === 0n || (minimum >= 0n && byDay < minimum)))
        codes.push(commonErrors.AMOUNT_OUT_OF_RANGE.code);
      const reasons = [...new Set(codes)];
      return {
        canWithdraw: reasons.length === 0,
        available: formatUnits(cash),
        lockedByRollover: formatUnits(locked),
        wagerRemainingUsd: formatUnits(wagerRemainingUsd),
        kyc: { required: kycTier !== null, tier: kycTier as 'IDENTITY' | null },
        block,
        mfaRequired: applicant.hasSecondFactor,
        minAmount: formatUnits(minimum < 0n ? 0n : minimum),
        maxAmount: formatUnits(reasons.length === 0 ? [byDay, byIdentity, cash].reduce(least) : 0n),
        dailyRemainingUsd: left === null ? null : formatUnits(left),
        reasons,
      };
    });
  };
}

/** -1: none yet. */
const least = (a: Units, b: Units): Units => (a < 0n || b < a ? b : a);

/** What a player can only do with a higher level of identity, by their deposits and withdrawals: `requiredFor` of KycState. */
export const createKycNeeds =
  ({ db, siteConfig }: Pick<WithdrawalDeps, 'db' | 'siteConfig'>) =>
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
