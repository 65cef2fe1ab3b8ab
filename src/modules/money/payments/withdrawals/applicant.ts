import type { DbOrTx, Tx } from '../../../../platform/database/db.ts';
import { type Units, units } from '../../../../platform/money.ts';
import { lockPlayers } from '../../../base/players/service.ts';
import type { SiteConfig } from '../../../base/site-config/service.ts';
import { gateErrors } from '../../../compliance/gate/errors.ts';
import type { WithdrawalFacts } from '../../../compliance/gate/rules.ts';
import { assertNoClaims, claimsRefusal } from '../../ledger/claims.ts';
import { depositedEver } from '../stats.ts';
import { type Applicant, outgoingUsd, readApplicant, type WithdrawalRow } from './queries.ts';
import { beforeIdentity, KYC_HOURS, kycTierFor, needsIdentity } from './rules.ts';
import type { WithdrawalDeps } from './service.ts';
import { findBlock, toPublicBlock } from './stopped.ts';

type Inquiry = {
  userId: number;
  country: string | null;
  currencyId: string;
  /** The value in US dollars. Null: the amount has no price. Undefined: the smallest possible amount is assumed. */
  usdAmount?: Units | null | undefined;
};

const TEST_ACCOUNT_BLOCK = {
  reasonPublic: 'Withdrawals are not available for test accounts.',
  blockUntil: null,
};

const isBlockedAsTest = ({ config }: WithdrawalDeps, { isTest }: Applicant) =>
  isTest && !config.isDevelopment;

/**
 * Throws if a player may not withdraw: the gate's first refusal, 403 WITHDRAWAL_BLOCKED for test accounts, or 409 CLAIMS_OPEN if the player
 * owes money in any currency.
 */
export async function assertMayWithdraw(tx: Tx, deps: WithdrawalDeps, inquiry: Inquiry) {
  const { applicant, facts } = await factsOf(tx, deps, inquiry);
  const { userId, country } = inquiry;
  await deps.gate.assertMay(tx, { action: 'withdraw', userId, country, withdrawal: facts });
  if (isBlockedAsTest(deps, applicant)) throw gateErrors.WITHDRAWAL_BLOCKED(TEST_ACCOUNT_BLOCK);
  await assertNoClaims(tx, userId);
  return { ...applicant, isTurnoverWaived: facts.wagerRemainingUsd > 0n };
}

/** Returns the player's facts, and all errors that a withdrawal would cause with their codes. */
export async function findObstacles(tx: Tx, deps: WithdrawalDeps, inquiry: Inquiry) {
  const { applicant, facts } = await factsOf(tx, deps, inquiry);
  const { userId, country } = inquiry;
  const refusals = await deps.gate.refusals(tx, { action: 'withdraw', userId, country, withdrawal: facts });
  if (isBlockedAsTest(deps, applicant)) refusals.push(gateErrors.WITHDRAWAL_BLOCKED(TEST_ACCOUNT_BLOCK));
  const claims = await claimsRefusal(tx, userId);
  if (claims) refusals.push(claims);
  const codes = refusals.map(({ code }) => code);
  return { applicant, facts, refusals, codes: [...new Set(codes)] };
}

/** Throws 403 KYC_REQUIRED if a failed withdrawal now requires a higher KYC tier. */
export async function assertIdentified(tx: Tx, deps: WithdrawalDeps, row: WithdrawalRow): Promise<void> {
  const { facts } = await factsOf(tx, deps, {
    userId: row.user_id,
    country: null,
    currencyId: row.currency_id,
    usdAmount: row.is_priced ? row.usd_amount : null,
  });
  if (facts.kycTier !== null) throw gateErrors.KYC_REQUIRED({ tier: facts.kycTier });
}

/** Returns how many US dollars the player may still request today, or null if there is no limit. */
export function dailyRemaining({ siteConfig }: WithdrawalDeps, { todayUsd }: Applicant): Units | null {
  const { dailyLimitUsd } = siteConfig.get('WITHDRAWALS');
  if (dailyLimitUsd === null) return null;
  const left = units(dailyLimitUsd) - todayUsd;
  return left > 0n ? left : 0n;
}

/** Returns how many US dollars the player may request before identity verification is required, or null if there is no limit. */
export function identityRemaining(
  { siteConfig }: WithdrawalDeps,
  applicant: Applicant & { recentUsd: Units | null },
): Units | null {
  const left = beforeIdentity(applicant, siteConfig.get('WITHDRAWALS').kycSingleThresholdUsd);
  return left !== null && left < 0n ? 0n : left;
}

/** Locks the player and reads the facts that determine whether the player may withdraw. */
async function factsOf(
  tx: Tx,
  { siteConfig, rollover, grants }: WithdrawalDeps,
  { userId, currencyId, usdAmount }: Inquiry,
) {
  await lockPlayers(tx, [userId]);
  const recentUsd = await outgoingUsd(tx, { userId, hours: KYC_HOURS });
  const applicant = { ...(await readApplicant(tx, userId)), recentUsd };
  const block = await findBlock(tx, userId);
  const { openUsd, keptUsd } = await rollover.open(tx, userId);
  const facts: WithdrawalFacts = {
    block: block ? toPublicBlock(block) : null,
    kycTier: kycTierFor({ ...applicant, usdAmount }, siteConfig.get('WITHDRAWALS')),
    wagerRemainingUsd: openUsd,
    keptWagerUsd: keptUsd,
    openGrant: (await grants.openIn(tx, userId, currencyId)) ?? null,
  };
  return { applicant, facts };
}

/** Returns the actions for which a player's deposits and withdrawals require a higher KYC level (`requiredFor` of KycState). */
export const createKycNeeds =
  ({ db, siteConfig }: { db: DbOrTx; siteConfig: Pick<SiteConfig, 'get'> }) =>
  async (userId: number, kycLevel: number): Promise<('WITHDRAW' | 'DEPOSIT')[]> => {
    const depositsUsd = await depositedEver(db, userId);
    const recentUsd = await outgoingUsd(db, { userId, hours: KYC_HOURS });
    const config = siteConfig.get('WITHDRAWALS');
    const threshold = config.kycDepositThresholdUsd;
    const player = { kycLevel, depositsUsd, recentUsd };
    const isForDeposits = threshold !== null && needsIdentity(player, threshold);
    return [
      ...(kycTierFor(player, config) === null ? [] : (['WITHDRAW'] as const)),
      ...(isForDeposits ? (['DEPOSIT'] as const) : []),
    ];
  };
