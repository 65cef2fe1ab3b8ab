import { mulDivDown, type Units } from '../../../platform/money.ts';
import type { Kind } from '../ledger/kinds.ts';

/** Increase this number when the definition of NGR changes. Figures with different versions are not compared. */
export const NGR_VERSION = '1';

/** The amounts by which gross and net gaming revenue differ, in US dollars × 10^8. All of them except `adminDeductions` reduce NGR. */
export type Deductions = {
  convertedBonus: Units;
  rakeback: Units;
  affiliate: Units;
  prizes: Units;
  adminTips: Units;
  adminDeductions: Units;
  providerFees: Units;
};

type Part = Exclude<keyof Deductions, 'providerFees'>;

/** Maps each kind of payment to the deduction it belongs to. The sign is -1 for a reversal. */
const PARTS = {
  'promo.conversion': ['convertedBonus', 1n],
  'promo.conversion.back': ['convertedBonus', -1n],
  'promo.grant': ['convertedBonus', 1n],
  'crm.funds': ['convertedBonus', 1n],
  'rakeback.claim': ['rakeback', 1n],
  'affiliate.claim': ['affiliate', 1n],
  'leaderboard.prize': ['prizes', 1n],
  'challenge.reward': ['prizes', 1n],
  'challenge.rollback': ['prizes', -1n],
  'admin.tip': ['adminTips', 1n],
  'admin.deduction': ['adminDeductions', 1n],
} as const satisfies Partial<Record<Kind, readonly [Part, bigint]>>;

/** All kinds of money that players receive, except bets and payments. NGR includes all of them. */
export type GivenKind = keyof typeof PARTS;
export const GIVEN_KINDS = Object.keys(PARTS) as GivenKind[];

export type GivenSum = { kind: GivenKind; usdAmount: Units };
/** A provider's gross gaming revenue. The fee is in millionths of a positive revenue. */
export type ProviderRevenue = { ggr: Units; feePpm: bigint };

/** Returns the deductions for one time range, computed from the sums by kind and by provider. */
export function deductionsOf(given: readonly GivenSum[], providers: readonly ProviderRevenue[]): Deductions {
  const all = noDeductions();
  for (const { kind, usdAmount } of given) {
    const [part, sign] = PARTS[kind];
    all[part] += sign * usdAmount;
  }
  all.providerFees = providerFeesOf(providers);
  return all;
}

const noDeductions = (): Deductions => ({
  convertedBonus: 0n,
  rakeback: 0n,
  affiliate: 0n,
  prizes: 0n,
  adminTips: 0n,
  adminDeductions: 0n,
  providerFees: 0n,
});

/** Returns the total fees. A provider with negative revenue gets no fee. Each fee is rounded down. */
export const providerFeesOf = (providers: readonly ProviderRevenue[]): Units =>
  providers.reduce((sum, { ggr, feePpm }) => sum + (ggr > 0n ? mulDivDown(ggr, feePpm, 1_000_000n) : 0n), 0n);

/** Returns net gaming revenue as defined by version NGR_VERSION. Every report uses this definition. */
export const ngrOf = (ggr: Units, d: Deductions): Units =>
  ggr -
  d.convertedBonus -
  d.rakeback -
  d.affiliate -
  d.prizes -
  d.adminTips +
  d.adminDeductions -
  d.providerFees;
