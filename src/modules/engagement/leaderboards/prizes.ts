import { sql } from 'kysely';
import { z } from 'zod';
import { Amount, strictObject } from '../../../http/schemas.ts';
import { iso } from '../../../platform/clock.ts';
import { type DbOrTx, type Tx, transaction } from '../../../platform/database/db.ts';
import { commonErrors } from '../../../platform/errors.ts';
import {
  currencyToUsdDown,
  formatUnits,
  parseUnits,
  type Units,
  usdToCurrencyDown,
} from '../../../platform/money.ts';
import { JobHopeless } from '../../../platform/queue/queue.ts';
import { message, messages, notify } from '../../base/notifications/notify.ts';
import { getUser } from '../../base/users/service.ts';
import { payReward } from '../../money/rewards/pay.ts';
import { type EngineDeps, lockRun, type RunRow, type ScoreRow, setStatus } from './queries.ts';
import type { Amounts } from './rules.ts';
import { announce } from './runs.ts';
import type { LeaderboardPrize, PrizePlace } from './schemas.ts';

/** `amount` is an exact decimal string. */
type Won = { leaderboardId: string; name: string; place: number; amount: string; currencyId: string };

export const leaderboardMessages = messages({
  'leaderboard.prize': message<Won>('LEADERBOARD', {
    en: {
      title: 'You have won a prize',
      body: (f) =>
        `Place ${f.place} in ${f.name}: ${f.amount} ${f.currencyId} have been added to your balance.`,
    },
    de: {
      title: 'Sie haben einen Preis gewonnen',
      body: (f) =>
        `Platz ${f.place} in ${f.name}: ${f.amount} ${f.currencyId} wurden Ihrem Guthaben gutgeschrieben.`,
    },
    es: {
      title: 'Ha ganado un premio',
      body: (f) => `Puesto ${f.place} en ${f.name}: se han añadido ${f.amount} ${f.currencyId} a su saldo.`,
    },
  }),
});

/** The last rank that can have a prize. */
const MAX_PLACE = 1000;
const MAX_PRIZES = 100;

export const Prizes = z
  .array(
    strictObject('PrizeOfPlace', {
      place: z.number().int().min(1).max(MAX_PLACE),
      usdAmount: Amount,
    }),
  )
  .min(1)
  .max(MAX_PRIZES)
  .refine(
    (prizes) => new Set(prizes.map(({ place }) => place)).size === prizes.length,
    'names a place twice',
  );

export const sumOf = (prizes: readonly PrizePlace[]): Units =>
  prizes.reduce((sum, { usdAmount }) => sum + parseUnits(usdAmount)!, 0n);

/** Returns prizes by rank, with normalized amounts. Throws 400 AMOUNT_OUT_OF_RANGE. */
export const sortedPrizes = (prizes: readonly PrizePlace[]): PrizePlace[] =>
  prizes
    .map(({ place, usdAmount }) => ({ place, usdAmount: formatUnits(parseAbove(0n, usdAmount)) }))
    .sort((a, b) => a.place - b.place);

/** The maximum amount of a single prize. */
const MAX_USD = 10_000_000n * 100_000_000n;

/** Parses an amount above `least`. Throws 400 AMOUNT_OUT_OF_RANGE. */
export function parseAbove(least: Units, text: string): Units {
  const amount = parseUnits(text);
  if (amount === undefined || amount <= least || amount > MAX_USD)
    throw commonErrors.AMOUNT_OUT_OF_RANGE({ least: formatUnits(least), most: formatUnits(MAX_USD) });
  return amount;
}

/** `actorId`: the staff member who pays the prize; undefined for automatic payments. */
type Payment = Amounts & { run: RunRow; score: ScoreRow; currencyId: string; actorId?: number };

/**
 * Pays a prize at the current rate, notifies the winner, and finishes the run after its last prize. Player and run must be locked. Throws
 * 404 CURRENCY_NOT_FOUND, 409 RATE_STALE, or 400 AMOUNT_OUT_OF_RANGE for an amount below the smallest unit of the currency.
 */
export async function pay(
  tx: Tx,
  { currencies }: Pick<EngineDeps, 'currencies'>,
  { run, score, usdAmount, fullUsdAmount, currencyId, actorId }: Payment,
): Promise<z.input<typeof LeaderboardPrize>> {
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
  const prize = { leaderboardId: String(run.id), place, amount: formatUnits(amount), currencyId };
  await notify(tx, userId, leaderboardMessages['leaderboard.prize'], { ...prize, name: run.name });
  await finishIfPaid(tx, run);
  return {
    ...prize,
    userId,
    usdAmount: formatUnits(usdAmount),
    fullUsdAmount: formatUnits(fullUsdAmount),
    transactionId: String(entryId),
    paidAt: iso(at),
  };
}

/** Finishes the run if all prizes are paid. The run must be locked. */
async function finishIfPaid(tx: Tx, run: RunRow): Promise<void> {
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

export const findScore = (tx: Tx, runId: number, userId: number): Promise<ScoreRow | undefined> =>
  tx
    .selectFrom('leaderboard_scores')
    .selectAll()
    .where('leaderboard_id', '=', runId)
    .where('user_id', '=', userId)
    .executeTakeFirst();

export const findPayment = (tx: Tx, { leaderboard_id, user_id }: ScoreRow) =>
  tx
    .selectFrom('leaderboard_prizes')
    .select('entry_id')
    .where('leaderboard_id', '=', leaderboard_id)
    .where('user_id', '=', user_id)
    .executeTakeFirst();

const Job = z.object({ leaderboardId: z.number().int(), userId: z.number().int() });

/**
 * The handler of the task `leaderboard-prize`: pays one winner automatically. A winner who is not eligible when the task runs
 * loses the prize permanently.
 */
export async function payAutomatically(deps: EngineDeps, payload: unknown): Promise<void> {
  const job = Job.safeParse(payload);
  if (!job.success) throw new JobHopeless('the payload contains no winner');
  const { leaderboardId: runId, userId } = job.data;
  await transaction(deps.db, async (tx) => {
    const { country_code: country } = await getUser(tx, userId);
    const refusals = await deps.gate.refusals(tx, { action: 'bonus', userId, country });
    const run = await lockRun(tx, runId);
    const score = await findScore(tx, runId, userId);
    // Staff may have paid the prize already, or the ranks may have been frozen again.
    if (run?.status !== 'AWAITING_PAYOUT' || !score?.prize_usd || (await findPayment(tx, score))) return;
    if (refusals.length > 0) {
      await skip(tx, score);
      return finishIfPaid(tx, run);
    }
    const amounts = { usdAmount: score.prize_usd, fullUsdAmount: score.prize_usd };
    await pay(tx, deps, { run, score, ...amounts, currencyId: run.currency_id });
  });
}

const skip = (tx: Tx, { leaderboard_id, user_id }: ScoreRow) =>
  tx
    .updateTable('leaderboard_scores')
    .set({ prize_usd: null, is_skipped: true })
    .where('leaderboard_id', '=', leaderboard_id)
    .where('user_id', '=', user_id)
    .execute();

/** Returns unpaid prizes in US dollars, grouped by the currency in which they will be paid. */
export async function unpaidPrizes(db: DbOrTx): Promise<Map<string, Units>> {
  const { rows } = await sql<{ currencyId: string; usd: string }>`
    select r.currency_id as "currencyId", sum(s.prize_usd)::text as usd from leaderboards r
    join leaderboard_scores s on s.leaderboard_id = r.id and s.prize_usd is not null
    where r.status = 'AWAITING_PAYOUT' and not exists (
      select from leaderboard_prizes p where p.leaderboard_id = r.id and p.user_id = s.user_id)
    group by 1`.execute(db);
  return new Map(rows.map(({ currencyId, usd }) => [currencyId, BigInt(usd)]));
}
