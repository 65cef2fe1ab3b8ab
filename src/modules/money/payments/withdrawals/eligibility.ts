import type { z } from 'zod';
import { type Db, transaction } from '../../../../platform/db.ts';
import { commonErrors } from '../../../../platform/errors.ts';
import { formatUnits, type Units, usdToCurrencyDown } from '../../../../platform/money.ts';
import { gateErrors } from '../../../compliance/gate/errors.ts';
import type { Currencies } from '../../currencies/service.ts';
import { balancesOf } from '../../ledger/balances.ts';
import type { Applicants } from './applicant.ts';
import type { WithdrawEligibility } from './schemas.ts';
import type { Terms } from './terms.ts';

type Deps = { db: Db; currencies: Currencies; terms: Terms; applicants: Applicants };
type Asked = { userId: number; currencyId: string; country: string | null };

/** Says beforehand why a withdrawal in a currency would be refused, whatever its amount. Throws 404 CURRENCY_NOT_FOUND. */
export function createEligibility({ db, currencies, terms, applicants }: Deps) {
  return ({ userId, currencyId, country }: Asked): Promise<z.input<typeof WithdrawEligibility>> => {
    const currency = currencies.get(currencyId);
    const methods = currency.networks.map((network) => ({ currency, network })).filter(terms.isOpen);
    const minimum = methods.map(terms.minimum).reduce<Units>(least, -1n);
    return transaction(db, async (tx) => {
      const usdAmount = minimum < 0n ? undefined : terms.usdOf(currencyId, minimum);
      const { applicant, facts, codes } = await applicants.review(tx, { userId, country, usdAmount });
      const cash = (await balancesOf(tx, userId)).find((b) => b.currencyId === currencyId)?.cash ?? 0n;
      const { wagerRemainingUsd, kycTier, block } = facts;
      const locked = wagerRemainingUsd > 0n ? cash : 0n;
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
