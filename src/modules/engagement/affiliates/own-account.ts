import { sql } from 'kysely';
import { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import { estimated, estimatedPage } from '../../../http/schemas.ts';
import { iso } from '../../../platform/clock.ts';
import { type Db, type Tx, transaction } from '../../../platform/database/db.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { readList } from '../../../platform/list/list.ts';
import { inOrderOf } from '../../../platform/list/page.ts';
import { currencyToUsdDown, formatUnits, type Units, usdToCurrencyDown } from '../../../platform/money.ts';
import { runIdempotently } from '../../base/idempotency/service.ts';
import { notify } from '../../base/notifications/notify.ts';
import { gateErrors } from '../../compliance/gate/errors.ts';
import { transactionTime } from '../../compliance/gate/service.ts';
import { currencyErrors } from '../../money/currencies/errors.ts';
import { payReward } from '../../money/rewards/pay.ts';
import { type AffiliateDeps, lockAccount, minClaimOf } from './accounts.ts';
import { affiliateMessages } from './messages.ts';
import { refusalOfClaim } from './rules.ts';
import {
  AffiliateClaim,
  AffiliateLevel,
  AffiliateOverview,
  AffiliateSummary,
  affiliateErrors,
  paging,
} from './schemas.ts';
import { holdSuspects } from './service.ts';
import { levelsOf, overviewOf, summaryOf } from './view.ts';

const reading = { method: 'GET', tag: 'Affiliate', access: 'auth' } as const;

export const getOwnSummary = operation({
  ...reading,
  path: '/affiliate/me',
  summary: 'Get your affiliate level and claim status',
  response: AffiliateSummary,
  handler: (deps: AffiliateDeps, { user }) => summaryOf(deps, user.id),
});

export const getOwnOverview = operation({
  ...reading,
  path: '/affiliate/overview',
  isHistory: true,
  summary: "Get your referrals' wagers and your commission",
  response: AffiliateOverview,
  handler: (deps: AffiliateDeps, { user }) => overviewOf(deps, user.id),
});

export const listLevels = operation({
  ...reading,
  path: '/affiliate/levels',
  summary: 'List affiliate levels',
  response: z.array(AffiliateLevel),
  handler: levelsOf,
});

export const listLevelsForStaff = operation({
  method: 'GET',
  path: '/admin/affiliate/levels',
  tag: 'Admin Affiliate',
  access: { permission: 'affiliate.read' },
  summary: 'List affiliate levels',
  response: z.array(AffiliateLevel),
  handler: levelsOf,
});

export const listClaims = operation({
  method: 'GET',
  path: '/affiliate/claims',
  tag: 'Affiliate',
  access: 'auth',
  isHistory: true,
  summary: 'List your commission claims',
  query: z.strictObject({ sortBy: z.enum(['createdAt', 'usdAmount']).default('createdAt'), ...paging }),
  response: estimatedPage(AffiliateClaim),
  handler: async ({ db }: AffiliateDeps, { user, query }) => {
    const claims = {
      table: 'affiliate_claims',
      id: 'n',
      key: query.sortBy === 'createdAt' ? 'n' : 'usd_amount',
      bounds: [sql`affiliate_claims.user_id = ${user.id}`],
      conditions: [],
    };
    const { rows: ids, ...found } = await readList(db, claims, query);
    return estimated(await readClaims(db, user.id, ids), query, found);
  },
});

/** Returns the claims with these numbers, in the order of the numbers. */
async function readClaims(
  db: Db,
  userId: number,
  numbers: readonly number[],
): Promise<z.input<typeof AffiliateClaim>[]> {
  if (numbers.length === 0) return [];
  const rows = await db
    .selectFrom('affiliate_claims')
    .selectAll()
    .where('user_id', '=', userId)
    .where('n', 'in', numbers)
    .execute();
  return inOrderOf(numbers, rows, (row) => row.n).map((row) => ({
    id: String(row.entry_id),
    usdAmount: formatUnits(row.usd_amount),
    currencyId: row.currency_id,
    amount: formatUnits(row.amount),
    createdAt: iso(row.created_at),
  }));
}

const CURRENCY = 'USDT';

export const claimCommission = operation({
  method: 'POST',
  path: '/affiliate/claim',
  tag: 'Affiliate',
  access: 'auth',
  gate: 'claim',
  idempotent: true,
  summary: 'Claim all available commission',
  description: 'The commission is paid in USDT.',
  response: AffiliateClaim,
  errors: [
    gateErrors.USER_BANNED,
    gateErrors.SELF_EXCLUDED,
    affiliateErrors.AFFILIATE_NOTHING_TO_CLAIM,
    affiliateErrors.AFFILIATE_CLAIM_LOCKED,
    currencyErrors.RATE_STALE,
    commonErrors.CURRENCY_NOT_FOUND,
  ],
  handler: async (deps: AffiliateDeps, { user: { id: userId }, idempotencyKey: key }) => {
    // These statements run in a separate transaction, so that earnings stay held even if the claim is rejected.
    await transaction(deps.db, (tx) => holdSuspects(tx, userId));
    return runIdempotently(deps.db, { userId, key, operation: 'affiliate.claim', input: {} }, (tx) =>
      claim(tx, deps, userId),
    );
  },
});

async function claim(
  tx: Tx,
  { gate, siteConfig, currencies }: AffiliateDeps,
  userId: number,
): Promise<z.input<typeof AffiliateClaim>> {
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
  const payout = { currencyId: CURRENCY, amount: formatUnits(amount) };
  await notify(tx, userId, affiliateMessages['affiliate.claimed'], { claimId: String(entryId), ...payout });
  return { id: String(entryId), ...payout, usdAmount: formatUnits(usdAmount), createdAt: iso(at) };
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
