import type { Tx } from '../../../../platform/database/db.ts';
import { currencyToUsdDown, type Units, usdToCurrencyDown } from '../../../../platform/money.ts';
import { announce, emitStates } from './announce.ts';
import { close } from './close.ts';
import type { GrantDeps } from './deps.ts';
import { passOn, reverseConversion } from './pass-on.ts';
import {
  decimalsOf,
  type GrantRow,
  inHours,
  lockGrant,
  lockGrantOfDeposit,
  lockPercentage,
  updateGrant,
} from './queries.ts';
import { bonusOn, turnoverOf } from './rules.ts';
import { follow } from './settle.ts';

/** A completed deposit. `key` is that of its credit. */
export type Deposited = { userId: number; currencyId: string; amount: Units; key: string };

/**
 * Turns the player's first waiting percentage into a bonus in the deposit's currency, which starts unless another grant is active there.
 * Returns its amount, or undefined if none is waiting or the amount rounds down to 0. The player must be locked.
 */
export async function onDeposit(tx: Tx, deps: GrantDeps, deposit: Deposited): Promise<Units | undefined> {
  const { userId, currencyId, amount, key } = deposit;
  const waiting = await lockPercentage(tx, userId, deps.currencies.toUsd(currencyId, amount));
  if (!waiting) return undefined;
  const decimals = await decimalsOf(tx, currencyId);
  const max = maxBonus(deps, waiting, { currencyId, decimals });
  if (max === undefined) return undefined;
  const bonus = bonusOn(amount, { percentBp: waiting.percent_bp!, max, decimals });
  if (bonus === 0n) return undefined;
  const base = waiting.wager_base === 'BONUS' ? bonus : amount + bonus;
  const { queueDays } = deps.siteConfig.get('COMMON').promo;
  const created = await updateGrant(tx, waiting, {
    currency_id: currencyId,
    granted_amount: bonus,
    granted_usd: deps.currencies.toUsd(currencyId, bonus),
    to_start: bonus,
    wager_required: turnoverOf(base, waiting.wager_multiplier_e2),
    deposit_key: key,
    waits_until: inHours(queueDays * 24),
  });
  await emitStates(tx, created, 'CREATED');
  await follow(tx, deps.currencies, { user_id: userId, currency_id: currencyId });
  const issued = await lockGrant(tx, waiting.id);
  if (issued.status === 'PENDING') await announce(tx, issued);
  return bonus;
}

/** Returns the maximum bonus at the last known rates, stale or not. Null: no maximum; undefined: the currency has no rate. */
function maxBonus(
  { currencies }: GrantDeps,
  { max_amount, max_amount_currency_id }: GrantRow,
  { currencyId, decimals }: { currencyId: string; decimals: number },
): Units | null | undefined {
  if (max_amount === null || max_amount_currency_id === currencyId) return max_amount;
  const { rate } = currencies.rateOf(currencyId);
  if (rate === 0n) return undefined;
  const usd = currencyToUsdDown(max_amount, currencies.rateOf(max_amount_currency_id!).rate);
  return usdToCurrencyDown(usd, rate, decimals);
}

/**
 * Cancels the grant of a reversed deposit, unless it has ended without giving anything. Converted money is taken from cash and vault; a
 * shortfall becomes a claim. The player must be locked.
 */
export async function onDepositReversed(tx: Tx, deps: GrantDeps, key: string): Promise<void> {
  const locked = await lockGrantOfDeposit(tx, key);
  if (!locked || !CANCELLED_WITH_DEPOSIT.has(locked.status)) return;
  const grant = locked.is_due && locked.status !== 'ACTIVE' ? await passOn(tx, deps, locked) : locked;
  const taken = grant.converted > 0n ? await cancelConversion(tx, deps, grant) : grant;
  await close(tx, deps.currencies, taken, { status: 'CANCELLED', reason: 'DEPOSIT_REVERSED' });
  await follow(tx, deps.currencies, grant);
}

/** A lost grant may start again when a bet is rolled back, so it is cancelled too. */
const CANCELLED_WITH_DEPOSIT: ReadonlySet<string> = new Set(['PENDING', 'ACTIVE', 'COMPLETED', 'LOST']);

async function cancelConversion(tx: Tx, deps: GrantDeps, grant: GrantRow): Promise<GrantRow> {
  const { converted: amount } = grant;
  const taken = await reverseConversion(tx, deps, grant, amount);
  return updateGrant(tx, grant, { ...taken, forfeited: grant.forfeited + amount });
}
