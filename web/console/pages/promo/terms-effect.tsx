import type { PromoAdmin } from '../../../../client/call.ts';
import { Note } from '../../../kit/note.tsx';
import { Facts, words } from '../../../kit/page.tsx';
import { Changes } from '../../changes.tsx';
import { changedIn } from '../../differences.ts';
import { audienceOf, isSet } from './audience.ts';
import { GrantBound, TotalBound } from './bounds.tsx';
import type { Draft } from './cost.ts';
import { grantLabelOf, useCost } from './use-cost.ts';

const NAMES: Readonly<Record<string, string>> = {
  kind: 'Reward type',
  currencyId: 'Currency',
  percent: 'Percent of the next deposit',
  maxAmount: 'Up to',
  freeSpins: 'Number of spins',
  freeSpinValueUsd: 'Value per spin (USD)',
  gameSlug: 'Game',
  wagerMultiplier: 'Wagering multiplier',
  wagerBase: 'Wagering of',
  maxBetUsd: 'Max bet (USD)',
  maxWithdrawalMultiplier: 'Max conversion multiplier',
  validityHours: 'Valid for (hours)',
  startAt: 'Starts',
  endAt: 'Ends',
  maxGrants: 'Grant limit',
  maxTotalUsd: 'Budget (USD)',
  minDepositUsd: 'Min deposit (USD)',
  depositSumUsd: 'Total deposits (USD)',
  depositWindowDays: 'Deposits within days',
  turnoverUsd: 'Total wagered (USD)',
  turnoverWindowDays: 'Wagered within days',
  registeredFrom: 'Signed up from',
  registeredTo: 'Signed up until',
  affiliateCodes: 'Referral codes',
  kycTier: 'Verification',
  minVipLevel: 'VIP level from',
  minAccountAgeDays: 'Days since sign-up',
  countriesAllow: 'Allowed countries',
  countriesDeny: 'Excluded countries',
  onePerIp: 'One per IP address',
};

const CODES: ReadonlySet<string> = new Set(['kind', 'wagerBase', 'kycTier']);

/** The fields of the terms. A term that is not set is null, however it is written. */
function fieldsOf({ reward, budget, conditions, ...terms }: Draft): Readonly<Record<string, unknown>> {
  const { name, description, type: _, ...others } = terms;
  const all = { name, description, ...reward, ...others, ...budget, ...conditions };
  return Object.fromEntries(
    Object.entries(all).map(([field, value]) => {
      const shown = CODES.has(field) && typeof value === 'string' ? words(value) : value;
      return [field, isSet(shown) ? shown : null];
    }),
  );
}

/** The terms alone, without other fields of a promotion. */
const termsIn = (promo: Draft): Draft => ({
  name: promo.name,
  description: promo.description,
  type: promo.type,
  reward: promo.reward,
  wagerMultiplier: promo.wagerMultiplier,
  wagerBase: promo.wagerBase,
  maxBetUsd: promo.maxBetUsd,
  maxWithdrawalMultiplier: promo.maxWithdrawalMultiplier,
  validityHours: promo.validityHours,
  startAt: promo.startAt,
  endAt: promo.endAt,
  conditions: promo.conditions,
  budget: promo.budget,
});

/** The effect of a change of the terms: the changed fields, the new bounds of the cost, and the players whom it affects. */
export function TermsEffect({ of: promo, change }: { of: PromoAdmin; change: Partial<Draft> }) {
  const costIn = useCost();
  const [before, after] = [termsIn(promo), termsIn({ ...promo, ...change })];
  const [old, next] = [costIn(before), costIn(after)];
  return (
    <>
      <Changes before={fieldsOf(before)} after={changedIn(fieldsOf(before), fieldsOf(after))} names={NAMES} />
      <Facts
        isRows
        of={{
          [grantLabelOf(promo)]: (
            <>
              <GrantBound of={old} isExact /> → <GrantBound of={next} isExact />
            </>
          ),
          'All grants, at most': (
            <>
              <TotalBound of={old} isExact /> → <TotalBound of={next} isExact />
            </>
          ),
        }}
      />
      {promo.status === 'ACTIVE' && (
        <Note kind="warn">
          The promotion is active: {audienceOf(after).toLowerCase()}. New grants get these terms immediately.
          Existing grants keep theirs.
        </Note>
      )}
    </>
  );
}
