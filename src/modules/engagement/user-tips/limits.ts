import type { z } from 'zod';
import { iso } from '../../../platform/clock.ts';
import { type Db, type Tx, transaction } from '../../../platform/db.ts';
import { countryOfIp } from '../../../platform/geo.ts';
import { formatUnits, type Units } from '../../../platform/money.ts';
import { periodEnd } from '../../../platform/periods.ts';
import { getUser } from '../../base/users/service.ts';
import { gateErrors } from '../../compliance/gate/errors.ts';
import { transactionTime } from '../../compliance/gate/service.ts';
import type { Grants } from '../../money/bonus/grants.ts';
import type { Currencies } from '../../money/currencies/service.ts';
import { balancesOf } from '../../money/ledger/balances.ts';
import { areTipsOn, daysOf, leastTip, type MayDeps } from './eligibility.ts';
import { userTipErrors } from './errors.ts';
import { readToday } from './queries.ts';
import { leftOf, type Purse, purseBlocker } from './rules.ts';
import type { UserTipLimits } from './schemas.ts';

export type LimitDeps = MayDeps & {
  db: Db;
  currencies: Pick<Currencies, 'find' | 'toUsd'>;
  grants: Pick<Grants, 'openIn'>;
};

/** What a player may send and receive today, and why they could not send anything now. */
export function limits(
  deps: LimitDeps,
  { userId, ip }: { userId: number; ip: string },
): Promise<z.input<typeof UserTipLimits>> {
  const here = countryOfIp(ip);
  return transaction(deps.db, async (tx) => {
    const refusals = await deps.gate.refusals(tx, { action: 'transfer', userId, country: here });
    const user = await getUser(tx, userId);
    const enabled = await areTipsOn(tx, deps, { user, here });
    const minUsd = leastTip(deps);
    const { sent, received } = daysOf(deps, user, (await readToday(tx, [userId])).get(userId)!);
    const turnoverUsd = await deps.rollover.remaining(tx, userId);
    const purse = purseBlocker(await pursesOf(tx, deps, userId, minUsd), minUsd);
    const blockers = [
      ...refusals.map(({ code }) => code),
      ...(enabled ? [] : [userTipErrors.TIPS_DISABLED.code]),
      ...(user.email_verified ? [] : [userTipErrors.EMAIL_NOT_VERIFIED.code]),
      ...(turnoverUsd > 0n || purse === 'ROLLOVER_OPEN' ? [gateErrors.ROLLOVER_OPEN.code] : []),
      ...(leftOf(sent) < minUsd ? [userTipErrors.TIP_LIMIT_REACHED.code] : []),
      ...(purse === 'INSUFFICIENT_BALANCE' ? [purse] : []),
    ];
    return {
      enabled,
      minUsd: formatUnits(minUsd),
      sentTodayUsd: formatUnits(sent.usedUsd),
      sentLimitUsd: formatUnits(sent.limitUsd),
      receivedTodayUsd: formatUnits(received.usedUsd),
      receivedLimitUsd: formatUnits(received.limitUsd),
      resetsAt: iso(periodEnd('DAY', await transactionTime(tx))),
      blockers,
    };
  });
}

/** Whether a grant is active is asked where there is enough to tip. */
async function pursesOf(
  tx: Tx,
  { currencies, grants }: LimitDeps,
  userId: number,
  minUsd: Units,
): Promise<Purse[]> {
  const purses: Purse[] = [];
  for (const { currencyId, cash } of await balancesOf(tx, userId)) {
    if (!currencies.find(currencyId)) continue;
    const cashUsd = currencies.toUsd(currencyId, cash);
    const hasGrant = cashUsd >= minUsd && (await grants.openIn(tx, userId, currencyId)) !== undefined;
    purses.push({ cashUsd, hasGrant });
  }
  return purses;
}
