import type { Tx } from '../../../../platform/db.ts';
import type { Units } from '../../../../platform/money.ts';
import { lockPlayers } from '../../../base/players/service.ts';
import type { CashTerms, GrantSource } from '../cash.ts';
import type { GameTerms } from '../rules.ts';
import { announce, emitStates } from './announce.ts';
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
  /** Of FREE_SPINS the amount is what the rounds stake together: the player never has it, only what they win. */
  | { kind: 'CASH' | 'BONUS' | 'FREE_SPINS'; currencyId: string; amount: Units; usdAmount: Units }
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
 * Grants a player something. Cash is paid at once, a bonus starts unless another one is active in its currency, free rounds wait to be played
 * at their provider (which is the caller's to ask for). Locks the player; whether they may have it is the caller's to ask, too. Undefined:
 * this source has granted it before, nothing happens.
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

/** Free rounds are played while they wait: what they are valid for begins at once. */
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

/** Without a deposit the bonus is the whole base. What free rounds win becomes turnover once they have won it. */
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
