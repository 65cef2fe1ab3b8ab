import { sql } from 'kysely';
import type { z } from 'zod';
import { iso } from '../../../platform/clock.ts';
import type { Db, Tx } from '../../../platform/db.ts';
import { currencyToUsdDown, formatUnits, type Units, usdToCurrencyDown } from '../../../platform/money.ts';
import { runIdempotently } from '../../base/idempotency/service.ts';
import { notify } from '../../base/notifications/notify.ts';
import type { SiteConfig } from '../../base/site-config/service.ts';
import { type Gate, transactionTime } from '../../compliance/gate/service.ts';
import type { Currencies } from '../../money/currencies/service.ts';
import { payReward } from '../../money/rewards/pay.ts';
import { lockAccount, minClaimOf } from './accounts.ts';
import { affiliateErrors } from './errors.ts';
import { refusalOfClaim } from './rules.ts';
import type { AffiliateClaim } from './schemas.ts';

export type ClaimDeps = { db: Db; gate: Gate; siteConfig: SiteConfig; currencies: Currencies };
type Claim = z.input<typeof AffiliateClaim>;

/** What commission is paid in. */
const CURRENCY = 'USDT';

/**
 * Pays out all that can be claimed. Throws 409 AFFILIATE_NOTHING_TO_CLAIM, AFFILIATE_CLAIM_LOCKED, RATE_STALE, and as the gate does for
 * the action `claim`.
 */
export const createClaim =
  (deps: ClaimDeps) =>
  (userId: number, key: string | undefined): Promise<Claim> =>
    runIdempotently(deps.db, { userId, key, operation: 'affiliate.claim', input: {} }, (tx) =>
      claim(tx, deps, userId),
    );

async function claim(tx: Tx, { gate, siteConfig, currencies }: ClaimDeps, userId: number): Promise<Claim> {
  await gate.assertMay(tx, { action: 'claim', userId, country: null });
  const settings = siteConfig.get('AFFILIATES');
  const account = await lockAccount(tx, userId, { settings, now: await transactionTime(tx) });
  const { claimableUsd, referralCount } = account;
  const minClaimUsd = minClaimOf(settings);
  const required = account.current.minReferralCountForClaim;
  const refusal = refusalOfClaim({ claimableUsd, minClaimUsd, referralCount, required });
  if (refusal === 'NOTHING_TO_CLAIM')
    throw affiliateErrors.AFFILIATE_NOTHING_TO_CLAIM({ claimableUsd: formatUnits(claimableUsd) });
  if (refusal === 'LOCKED') throw affiliateErrors.AFFILIATE_CLAIM_LOCKED({ referralCount, required });
  const currency = currencies.get(CURRENCY);
  const rate = currencies.freshRate(currency);
  const amount = usdToCurrencyDown(claimableUsd, rate, currency.decimals);
  const usdAmount = currencyToUsdDown(amount, rate);
  const n = account.claims + 1;
  const paid = { userId, currencyId: CURRENCY, amount, usdAmount };
  const { entryId, at } = await payReward(tx, {
    ...paid,
    kind: 'affiliate.claim',
    from: 'affiliate',
    key: `affiliate:${userId}:${n}`,
    actorId: userId,
  });
  await book(tx, { ...paid, n, entryId });
  const shown = { currencyId: CURRENCY, amount: formatUnits(amount) };
  await notify(tx, userId, 'affiliate.claimed', { claimId: String(entryId), ...shown });
  return { id: String(entryId), ...shown, usdAmount: formatUnits(usdAmount), createdAt: iso(at) };
}

type Booked = {
  userId: number;
  n: number;
  currencyId: string;
  amount: Units;
  usdAmount: Units;
  entryId: bigint;
};

async function book(tx: Tx, { userId, n, currencyId, amount, usdAmount, entryId }: Booked): Promise<void> {
  await tx
    .insertInto('affiliate_claims')
    .values({ user_id: userId, n, currency_id: currencyId, amount, usd_amount: usdAmount, entry_id: entryId })
    .execute();
  await sql`
    update affiliates set claimed_usd = claimed_usd + ${usdAmount}, claims = ${n} where user_id = ${userId}`.execute(
    tx,
  );
}
