import type { Tx } from '../../../../platform/db.ts';
import type { Units } from '../../../../platform/money.ts';
import { lockPlayers } from '../../../base/players/service.ts';
import type { CashTerms, GrantSource } from '../cash.ts';
import type { GameTerms } from '../rules.ts';
import { announce } from './announce.ts';
import type { GrantDeps } from './deps.ts';
import { inHours, insertGrant, lockGrant } from './queries.ts';
import { turnoverOf } from './rules.ts';
import { follow } from './settle.ts';

/** What a grant copies of its promotion: later changes of that do not touch it. */
export type GrantTerms = CashTerms & {
  wagerBase: 'BONUS' | 'DEPOSIT_AND_BONUS';
  /** Dollars. */
  maxBetUsd: Units | null;
  maxWithdrawalMultiplierE2: number | null;
  /** From activation. */
  validityHours: number | null;
  games: GameTerms;
};

/** A percentage waits for the player's next completed deposit, in whatever currency that is. */
export type GrantReward =
  | { kind: 'CASH' | 'BONUS'; currencyId: string; amount: Units; usdAmount: Units }
  | {
      kind: 'BONUS';
      percentBp: number;
      maxAmount: Units | null;
      maxAmountCurrencyId: string;
      /** Dollars; a smaller deposit leaves it waiting. */
      minDepositUsd?: Units | null;
    };

/** `sourceKey` makes it happen once. */
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
 * Grants a player something. Cash is paid at once, a bonus starts unless another one is active in its currency. Locks the player; whether
 * they may have it is the caller's to ask. Undefined: this source has granted it before, nothing happens.
 */
export async function issue(tx: Tx, deps: GrantDeps, grant: NewGrant): Promise<bigint | undefined> {
  const { reward } = grant;
  await lockPlayers(tx, [grant.userId]);
  if (reward.kind === 'CASH') return payCash(tx, deps, { ...grant, ...reward });
  const isPercentage = 'percentBp' in reward;
  const currencyId = isPercentage ? reward.maxAmountCurrencyId : reward.currencyId;
  const { depositHours, queueDays } = deps.siteConfig.get('COMMON').promo;
  const inserted = await insertGrant(tx, {
    ...columnsOf(grant),
    ...(isPercentage ? percentageOf(reward) : amountOf(reward, grant.terms)),
    currency_id: currencyId,
    waits_until: inHours(isPercentage ? depositHours : queueDays * 24),
  });
  if (!inserted) return undefined;
  await follow(tx, deps.currencies, { user_id: grant.userId, currency_id: currencyId });
  const issued = await lockGrant(tx, inserted.id);
  if (issued.status === 'PENDING') await announce(tx, issued);
  return inserted.id;
}

type CashReward = Extract<GrantReward, { currencyId: string }>;

const payCash = (
  tx: Tx,
  { cashGrants }: GrantDeps,
  { reward: _, code, grantedBy, ...grant }: NewGrant & CashReward,
) =>
  cashGrants.pay(tx, {
    ...grant,
    ...(code === undefined ? {} : { code }),
    ...(grantedBy === undefined ? {} : { grantedBy }),
    turnoverUsd: turnoverOf(grant.usdAmount, grant.terms.wagerMultiplierE2),
  });

const columnsOf = ({ userId, terms, source, sourceKey, code, grantedBy }: NewGrant) => ({
  promo_id: terms.promoId,
  user_id: userId,
  source_key: sourceKey,
  source,
  code: code ?? null,
  granted_by: grantedBy ?? null,
  name: terms.name,
  type: terms.type,
  kind: 'BONUS',
  status: 'PENDING',
  wager_multiplier_e2: terms.wagerMultiplierE2,
  wager_base: terms.wagerBase,
  max_bet_usd: terms.maxBetUsd,
  max_withdrawal_multiplier_e2: terms.maxWithdrawalMultiplierE2,
  validity_hours: terms.validityHours,
  games: JSON.stringify(terms.games),
});

/** Without a deposit the bonus is the whole base. */
const amountOf = ({ amount, usdAmount }: CashReward, { wagerMultiplierE2 }: GrantTerms) => ({
  granted_amount: amount,
  granted_usd: usdAmount,
  to_start: amount,
  wager_required: turnoverOf(amount, wagerMultiplierE2),
});

const percentageOf = (reward: Exclude<GrantReward, CashReward>) => ({
  percent_bp: reward.percentBp,
  max_amount: reward.maxAmount,
  max_amount_currency_id: reward.maxAmountCurrencyId,
  min_deposit_usd: reward.minDepositUsd ?? null,
});
