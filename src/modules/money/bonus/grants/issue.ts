import type { Tx } from '../../../../platform/database/db.ts';
import type { Units } from '../../../../platform/money.ts';
import { lockPlayers } from '../../../base/players/service.ts';
import type { CashTerms, GrantSource } from '../cash.ts';
import type { GameTerms } from '../rules.ts';
import { announce, emitStates } from './announce.ts';
import type { GrantDeps } from './deps.ts';
import { inHours, insertGrant, lockGrant } from './queries.ts';
import { turnoverOf } from './rules.ts';
import { follow } from './settle.ts';

/** The terms that a grant copies from its promotion, so that later changes of the promotion do not affect it. */
export type GrantTerms = CashTerms & {
  wagerBase: 'BONUS' | 'DEPOSIT_AND_BONUS';
  /** US dollars. */
  maxBetUsd: Units | null;
  maxWithdrawalMultiplierE2: number | null;
  /** Counted from activation. */
  validityHours: number | null;
  games: GameTerms;
};

/** A percentage waits for the player's next completed deposit in any currency. */
export type GrantReward =
  /** The amount of FREE_SPINS is the total stake of the rounds. The player receives only their wins. */
  | { kind: 'CASH' | 'BONUS' | 'FREE_SPINS'; currencyId: string; amount: Units; usdAmount: Units }
  | {
      kind: 'BONUS';
      percentBp: number;
      maxAmount: Units | null;
      maxAmountCurrencyId: string;
      /** US dollars; the grant waits for a deposit of at least this amount. */
      minDepositUsd?: Units | null;
    };

/** `sourceKey` makes the grant idempotent. */
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
 * played. Locks the player. The caller checks the gate and orders the free rounds. Returns undefined if this source has already granted it.
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

/** Returns how long a grant may wait. Free rounds are played while waiting, so their validity begins immediately. */
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

/** Without a deposit, the bonus alone is the base. Wins of free rounds add turnover when they occur. */
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
