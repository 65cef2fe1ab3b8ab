import type { z } from 'zod';
import type { Db, Tx } from '../../../platform/db.ts';
import { countryOfIp } from '../../../platform/geo.ts';
import { formatUnits, type Units } from '../../../platform/money.ts';
import { runIdempotently } from '../../base/idempotency/service.ts';
import type { SiteConfig } from '../../base/site-config/service.ts';
import type { Gate } from '../../compliance/gate/service.ts';
import type { Currencies } from '../../money/currencies/service.ts';
import { payReward } from '../../money/rewards/pay.ts';
import { rakebackErrors } from './errors.ts';
import { type Balance, lockPeriod, mergePeriods, readBalances } from './queries.ts';
import { claimableOf } from './rules.ts';
import type { ClaimRequest, RakebackClaim } from './schemas.ts';

export type ClaimDeps = {
  db: Db;
  gate: Gate;
  currencies: Currencies;
  siteConfig: Pick<SiteConfig, 'get'>;
};
type Caller = { userId: number; ip: string; key: string | undefined };
type Paid = { currencyId: string; amount: Units; usdAmount: Units };

/**
 * Pays what can be claimed of a period, in one currency or in all. Throws 409 RAKEBACK_NOTHING_TO_CLAIM, 404 CURRENCY_NOT_FOUND, and what
 * the gate refuses.
 */
export function claimRakeback(
  deps: ClaimDeps,
  { userId, ip, key }: Caller,
  input: z.output<typeof ClaimRequest>,
): Promise<z.input<typeof RakebackClaim>> {
  if (input.currencyId !== undefined) deps.currencies.get(input.currencyId);
  return runIdempotently(deps.db, { userId, key, operation: 'rakeback.claim', input }, async (tx) => {
    await deps.gate.assertMay(tx, { action: 'bonus', userId, country: countryOfIp(ip) });
    const { expiryDays } = deps.siteConfig.get('COMMON').rakeback;
    const chosen = await lockPeriod(tx, { ...input, userId });
    const paid: Paid[] = [];
    for (const balance of await readBalances(tx, chosen, expiryDays)) {
      // In a currency that is disabled nothing is paid: it stays.
      const currency = deps.currencies.find(balance.currencyId);
      const amount = currency ? claimableOf(balance.rest, currency.decimals) : 0n;
      if (amount > 0n) paid.push(await pay(deps, tx, { balance, amount, expiryDays }));
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
}

type Payment = { balance: Balance; amount: Units; expiryDays: number | null };

async function pay(deps: ClaimDeps, tx: Tx, { balance, amount, expiryDays }: Payment): Promise<Paid> {
  const { userId, period, currencyId } = balance;
  const n = await mergePeriods(tx, { userId, period, currencyId, amount, expiryDays });
  const usdAmount = deps.currencies.toUsd(currencyId, amount);
  await payReward(tx, {
    userId,
    currencyId,
    amount,
    usdAmount,
    kind: 'rakeback.claim',
    from: 'rakeback',
    key: `rakeback:${userId}:${currencyId}:${period}:${n}`,
  });
  return { currencyId, amount, usdAmount };
}
