import { sql } from 'kysely';
import type { z } from 'zod';
import { iso } from '../../../platform/clock.ts';
import type { Tx } from '../../../platform/db.ts';
import { commonErrors } from '../../../platform/errors.ts';
import { currencyToUsdDown, formatUnits, usdToCurrencyDown } from '../../../platform/money.ts';
import { notify } from '../../base/notifications/notify.ts';
import type { Currencies } from '../../money/currencies/service.ts';
import { payReward } from '../../money/rewards/pay.ts';
import { announce } from './announce.ts';
import { type RunRow, type ScoreRow, setStatus } from './queries.ts';
import type { Amounts } from './rules.ts';
import type { LeaderboardPrize } from './schemas.ts';

export type Given = z.input<typeof LeaderboardPrize>;
/** `actorId`: the member of staff who gives it. */
type Payment = Amounts & { run: RunRow; score: ScoreRow; currencyId: string; actorId?: number };

/**
 * Pays a prize at the rate of now, tells the winner, and finishes the run with its last prize. Player and run must be locked. Throws 404
 * CURRENCY_NOT_FOUND, 409 RATE_STALE, 400 AMOUNT_OUT_OF_RANGE where it is less than a unit of the currency.
 */
export async function pay(
  tx: Tx,
  { currencies }: { currencies: Pick<Currencies, 'get' | 'freshRate'> },
  { run, score, usdAmount, fullUsdAmount, currencyId, actorId }: Payment,
): Promise<Given> {
  const userId = score.user_id;
  const place = score.place!;
  const currency = currencies.get(currencyId);
  const rate = currencies.freshRate(currency);
  const amount = usdToCurrencyDown(usdAmount, rate, currency.decimals);
  if (amount === 0n) throw commonErrors.AMOUNT_OUT_OF_RANGE({ currencyId, decimals: currency.decimals });
  const { entryId, at } = await payReward(tx, {
    userId,
    currencyId,
    amount,
    usdAmount: currencyToUsdDown(amount, rate),
    kind: 'leaderboard.prize',
    from: 'prizes',
    key: `leaderboard:${run.id}:${userId}`,
    ...(actorId !== undefined && { actorId }),
  });
  await tx
    .insertInto('leaderboard_prizes')
    .values({
      leaderboard_id: run.id,
      user_id: userId,
      place,
      usd_amount: usdAmount,
      full_usd_amount: fullUsdAmount,
      currency_id: currencyId,
      amount,
      entry_id: entryId,
      paid_by: actorId ?? null,
      created_at: at as never,
    })
    .execute();
  const shown = { leaderboardId: String(run.id), place, amount: formatUnits(amount), currencyId };
  await notify(tx, userId, 'leaderboard.prize', { ...shown, name: run.name });
  await finishIfPaid(tx, run);
  return {
    ...shown,
    userId,
    usdAmount: formatUnits(usdAmount),
    fullUsdAmount: formatUnits(fullUsdAmount),
    transactionId: String(entryId),
    paidAt: iso(at),
  };
}

/** The run must be locked. */
export async function finishIfPaid(tx: Tx, run: RunRow): Promise<void> {
  const { rows } = await sql<{ isOpen: boolean }>`
    select exists (
      select from leaderboard_scores s left join leaderboard_prizes p using (leaderboard_id, user_id)
      where s.leaderboard_id = ${run.id} and s.prize_usd is not null and p.user_id is null) as "isOpen"`.execute(
    tx,
  );
  if (rows[0]!.isOpen) return;
  await setStatus(tx, run.id, 'FINISHED');
  await announce(tx, [run.id]);
}
