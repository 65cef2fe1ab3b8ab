import type { Tx } from '../../../../platform/database/db.ts';
import { currencyToUsdDown, type Units, usdToCurrencyDown } from '../../../../platform/money.ts';
import { lockPlayers } from '../../../base/players/service.ts';
import type { CashTerms, GrantSource } from '../cash.ts';
import type { GameTerms } from '../rules.ts';
import { announce, emitStates } from './announce.ts';
import { close, passOn, reverseConversion } from './close.ts';
import type { GrantDeps } from './deps.ts';
import {
  decimalsOf,
  type GrantRow,
  inHours,
  insertGrant,
  lockGrant,
  lockGrantOfDeposit,
  lockPercentage,
  updateGrant,
} from './queries.ts';
import { bonusOn, turnoverOf } from './rules.ts';
import { follow } from './settle.ts';

/** The terms that a grant copies from its promotion, so that later changes to the promotion do not affect it. */
export type GrantTerms = CashTerms & {
  wagerBase: 'BONUS' | 'DEPOSIT_AND_BONUS';
  /** US dollars. */
  maxBetUsd: Units | null;
  maxWithdrawalMultiplierE2: number | null;
  /** The number of hours for which the grant is valid after its activation. */
  validityHours: number | null;
  games: GameTerms;
};

/** A percentage bonus waits for the player's next completed deposit in any currency. */
export type GrantReward =
  /** The amount of FREE_SPINS is the total stake of the rounds. The player receives only their wins. */
  | { kind: 'CASH' | 'BONUS' | 'FREE_SPINS'; currencyId: string; amount: Units; usdAmount: Units }
  | {
      kind: 'BONUS';
      percentBp: number;
      maxAmount: Units | null;
      maxAmountCurrencyId: string;
      /** The grant waits for a deposit of at least this amount in US dollars. */
      minDepositUsd?: Units | null;
    };

/** A grant to issue. `sourceKey` makes the call idempotent. */
export type NewGrant = {
  userId: number;
  terms: GrantTerms;
  reward: GrantReward;
  source: GrantSource;
  sourceKey: string;
  code?: string | undefined;
  grantedBy?: number | undefined;
};

/**
 * Issues a grant. Cash is paid immediately. A bonus starts unless another one is active in its currency. Free rounds wait until they are
 * played. Locks the player. The caller must check the gate and order the free rounds. Returns undefined if a grant with this `sourceKey`
 * already exists.
 */
export async function issue(tx: Tx, deps: GrantDeps, grant: NewGrant): Promise<bigint | undefined> {
  const { reward } = grant;
  await lockPlayers(tx, [grant.userId]);
  if (reward.kind === 'CASH') return deps.cashGrants.pay(tx, { ...grant, ...reward });
  const currencyId = 'percentBp' in reward ? reward.maxAmountCurrencyId : reward.currencyId;
  const inserted = await insertGrant(tx, {
    ...columnsOf(grant),
    ...rewardOf(reward, grant.terms),
    currency_id: currencyId,
    waits_until: inHours(waitingHours(deps, grant)),
  });
  if (!inserted) return undefined;
  await emitStates(tx, await lockGrant(tx, inserted.id), 'percentBp' in reward ? 'PENDING' : 'CREATED');
  await follow(tx, deps.currencies, { user_id: grant.userId, currency_id: currencyId });
  const issued = await lockGrant(tx, inserted.id);
  if (issued.status === 'PENDING') await announce(tx, issued);
  return inserted.id;
}

/**
 * Returns how long a grant may wait. A grant of free rounds stays in the waiting state while they are played, so its validity begins
 * immediately.
 */
function waitingHours({ siteConfig }: GrantDeps, { reward, terms }: NewGrant): number {
  const { depositHours, queueDays } = siteConfig.get('COMMON').promo;
  if ('percentBp' in reward) return depositHours;
  return (reward.kind === 'FREE_SPINS' ? terms.validityHours : null) ?? queueDays * 24;
}

type OfAmount = Extract<GrantReward, { amount: Units }>;

const columnsOf = ({ userId, terms, reward, source, sourceKey, code, grantedBy }: NewGrant) => ({
  promo_id: terms.promoId,
  user_id: userId,
  source_key: sourceKey,
  source,
  code: code ?? null,
  granted_by: grantedBy ?? null,
  name: terms.name,
  type: terms.type,
  kind: reward.kind,
  status: 'PENDING',
  wager_multiplier_e2: terms.wagerMultiplierE2,
  wager_base: terms.wagerBase,
  max_bet_usd: terms.maxBetUsd,
  max_withdrawal_multiplier_e2: terms.maxWithdrawalMultiplierE2,
  validity_hours: terms.validityHours,
  games: JSON.stringify(terms.games),
});

const rewardOf = (reward: GrantReward, { wagerMultiplierE2 }: GrantTerms) =>
  'percentBp' in reward ? percentageOf(reward) : amountOf(reward, wagerMultiplierE2);

/** Without a deposit, only the bonus itself must be wagered. Wins from free rounds require additional turnover when they are credited. */
const amountOf = ({ kind, amount, usdAmount }: OfAmount, wagerMultiplierE2: number) => ({
  granted_amount: amount,
  granted_usd: usdAmount,
  ...(kind === 'BONUS' && { to_start: amount, wager_required: turnoverOf(amount, wagerMultiplierE2) }),
});

const percentageOf = (reward: Exclude<GrantReward, OfAmount>) => ({
  percent_bp: reward.percentBp,
  max_amount: reward.maxAmount,
  max_amount_currency_id: reward.maxAmountCurrencyId,
  min_deposit_usd: reward.minDepositUsd ?? null,
});

/** A completed deposit. `key` is the ledger key of its credit. */
export type Deposited = { userId: number; currencyId: string; amount: Units; key: string };

/**
 * Turns the player's first waiting percentage bonus into a bonus in the deposit's currency. The bonus starts unless another grant is active
 * in this currency. Returns its amount, or undefined if no percentage bonus is waiting or the amount rounds down to 0. The player must be
 * locked.
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

/**
 * Returns the maximum bonus at the last known rates, even if they are stale. Returns null if there is no maximum, and undefined if the
 * currency has no rate.
 */
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
 * Cancels the grant of a reversed deposit, unless the grant has ended without paying anything. Converted money is taken back from cash and
 * vault. A shortfall becomes a claim. The player must be locked.
 */
export async function onDepositReversed(tx: Tx, deps: GrantDeps, key: string): Promise<void> {
  const locked = await lockGrantOfDeposit(tx, key);
  if (!locked || !CANCELLED_WITH_DEPOSIT.has(locked.status)) return;
  const grant = locked.is_due && locked.status !== 'ACTIVE' ? await passOn(tx, deps, locked) : locked;
  const taken = grant.converted > 0n ? await cancelConversion(tx, deps, grant) : grant;
  await close(tx, deps.currencies, taken, { status: 'CANCELLED', reason: 'DEPOSIT_REVERSED' });
  await follow(tx, deps.currencies, grant);
}

/** A lost grant may start again when a bet is rolled back, so lost grants are cancelled too. */
const CANCELLED_WITH_DEPOSIT: ReadonlySet<string> = new Set(['PENDING', 'ACTIVE', 'COMPLETED', 'LOST']);

async function cancelConversion(tx: Tx, deps: GrantDeps, grant: GrantRow): Promise<GrantRow> {
  const { converted: amount } = grant;
  const taken = await reverseConversion(tx, deps, grant, amount);
  return updateGrant(tx, grant, { ...taken, forfeited: grant.forfeited + amount });
}
