import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import { operation } from '../../../http/operation.ts';
import { CurrencyId, Decimal, object } from '../../../http/schemas.ts';
import { countryOfIp } from '../../../platform/countries/geo.ts';
import type { Tx } from '../../../platform/database/db.ts';
import { commonErrors, errors } from '../../../platform/errors.ts';
import { formatUnits, type Units } from '../../../platform/money.ts';
import { runIdempotently } from '../../base/idempotency/service.ts';
import { gateErrors } from '../../compliance/gate/errors.ts';
import { payReward } from '../../money/rewards/pay.ts';
import { type Balance, claimable, expiryDaysOf, type RakebackDeps, readBalances, rests } from './balances.ts';
import { PERIODS, type Period } from './rules.ts';

const rakebackErrors = errors({
  RAKEBACK_NOTHING_TO_CLAIM: [
    409,
    'No rakeback to claim for this period. GET /rakeback shows when the next one unlocks.',
  ],
});

const ClaimRequest = z.strictObject({
  period: z.enum(PERIODS),
  currencyId: CurrencyId.optional().meta({ description: 'If omitted, every currency is claimed.' }),
});

const RakebackClaim = object('RakebackClaim', {
  claimed: z.array(z.object({ currencyId: CurrencyId, amount: Decimal, usdAmount: Decimal })),
  totalUsd: Decimal,
});

export const claimRakeback = operation({
  method: 'POST',
  path: '/rakeback/claim',
  tag: 'Rakeback',
  access: 'auth',
  gate: 'bonus',
  idempotent: true,
  summary: 'Claim the rakeback of a period',
  description: 'Pays the claimable amount in one currency or in all currencies into cash.',
  body: ClaimRequest,
  response: RakebackClaim,
  errors: [
    gateErrors.USER_BANNED,
    gateErrors.SELF_EXCLUDED,
    gateErrors.AUTH_GEO_BLOCKED,
    commonErrors.CURRENCY_NOT_FOUND,
    rakebackErrors.RAKEBACK_NOTHING_TO_CLAIM,
  ],
  handler: (deps: RakebackDeps, { user: { id: userId }, ip, body: input, idempotencyKey: key }) => {
    if (input.currencyId !== undefined) deps.currencies.get(input.currencyId);
    return runIdempotently(deps.db, { userId, key, operation: 'rakeback.claim', input }, async (tx) => {
      await deps.gate.assertMay(tx, { action: 'bonus', userId, country: countryOfIp(ip) });
      const expiryDays = expiryDaysOf(deps);
      const chosen = await lockPeriods(tx, { ...input, userId });
      const paid: Paid[] = [];
      for (const balance of await readBalances(tx, chosen, expiryDays)) {
        const amount = claimable(deps.currencies, balance);
        if (amount > 0n) paid.push(await pay(tx, deps, { balance, amount, expiryDays }));
      }
      if (paid.length === 0) throw rakebackErrors.RAKEBACK_NOTHING_TO_CLAIM({ period: input.period });
      return {
        claimed: paid.map(({ currencyId, amount, usdAmount }) => ({
          currencyId,
          amount: formatUnits(amount),
          usdAmount: formatUnits(usdAmount),
        })),
        totalUsd: formatUnits(paid.reduce((sum, { usdAmount }) => sum + usdAmount, 0n)),
      };
    });
  },
});

/**
 * Locks a player's rows of a period and returns a condition that selects them. In each currency, the row that starts at -infinity is
 * locked first, and created if it is missing. Claims merge finished periods into this row.
 */
async function lockPeriods(
  tx: Tx,
  { userId, period, currencyId }: { userId: number; period: Period; currencyId?: string | undefined },
): Promise<RawBuilder<unknown>> {
  const chosen = sql`user_id = ${userId} and period = ${period} and currency_id = coalesce(${currencyId ?? null}, currency_id)`;
  await sql`
    insert into rakeback_periods as r (user_id, currency_id, period, start)
    select distinct user_id, currency_id, period, '-infinity'::date from rakeback_periods where ${chosen} order by currency_id
    on conflict (user_id, currency_id, period, start) do update set accrued = r.accrued`.execute(tx);
  await sql`select from rakeback_periods where ${chosen} order by user_id, currency_id, period, start for update`.execute(
    tx,
  );
  return chosen;
}

type Paid = { currencyId: string; amount: Units; usdAmount: Units };
type Payment = { balance: Balance; amount: Units; expiryDays: number | null };

async function pay(tx: Tx, deps: RakebackDeps, payment: Payment): Promise<Paid> {
  const { userId, period, currencyId } = payment.balance;
  const { amount } = payment;
  const claims = await mergePeriods(tx, payment);
  const usdAmount = deps.currencies.toUsd(currencyId, amount);
  await payReward(tx, {
    userId,
    currencyId,
    amount,
    usdAmount,
    kind: 'rakeback.claim',
    from: 'rakeback',
    key: `rakeback:${userId}:${currencyId}:${period}:${claims}`,
  });
  return { currencyId, amount, usdAmount };
}

/** Adds a claim, and merges finished periods into the row that starts at -infinity. Returns the number of claims, including this one. */
async function mergePeriods(tx: Tx, { balance, amount, expiryDays }: Payment): Promise<number> {
  const { userId, period, currencyId } = balance;
  const chosen = sql`user_id = ${userId} and period = ${period} and currency_id = ${currencyId}`;
  const { rows } = await sql<{ claims: number }>`
    with over as materialized (select * from (${rests(chosen, expiryDays)}) r where is_over and start > '-infinity'),
    gone as (
      delete from rakeback_periods r using over o
      where r.user_id = o.user_id and r.currency_id = o.currency_id and r.period = o.period and r.start = o.start)
    update rakeback_periods r set accrued = r.accrued + s.accrued, claimed = r.claimed + s.claimed + ${amount}::numeric,
      expired = r.expired + s.expired, claims = r.claims + 1, updated_at = now()
    from (
      select coalesce(sum(accrued), 0) as accrued, coalesce(sum(claimed), 0) as claimed,
        coalesce(sum(expired + case when is_lost then rest else 0 end), 0) as expired from over) s
    where r.user_id = ${userId} and r.period = ${period} and r.currency_id = ${currencyId} and r.start = '-infinity'
    returning r.claims`.execute(tx);
  return rows[0]!.claims;
}
