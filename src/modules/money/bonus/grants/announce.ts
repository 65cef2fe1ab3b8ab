import type { z } from 'zod';
import type { Tx } from '../../../../platform/database/db.ts';
import { formatUnits, type Units } from '../../../../platform/money.ts';
import { emitEvent, type NewEvent } from '../../../base/events/service.ts';
import { notify } from '../../../base/notifications/notify.ts';
import { bonusMessages } from '../messages.ts';
import type { GrantRow } from './queries.ts';
import { progressPercent } from './rules.ts';
import { bonusEvents, type GrantState, GrantStatus } from './schemas.ts';

type Announced = Omit<GrantRow, 'decimals' | 'is_over'>;

/** Emits the progress of grants (`promo.progress`). */
export async function announce(tx: Tx, ...grants: readonly Announced[]): Promise<void> {
  await emitEvent(tx, ...grants.map(progressOf));
}

function progressOf(grant: Announced): NewEvent<(typeof bonusEvents)['promo.progress']> {
  const { wager_required: wagerRequired, wager_done: wagerDone } = grant;
  const data = {
    grantId: String(grant.id),
    status: GrantStatus.parse(grant.status),
    currencyId: grant.currency_id,
    bonusBalance: formatUnits(grant.bonus_balance),
    wagerRequired: formatUnits(wagerRequired),
    wagerDone: formatUnits(atLeastZero(wagerDone)),
    progressPercent: percentOf(grant),
  };
  return { event: bonusEvents['promo.progress'], userId: grant.user_id, data };
}

/**
 * Returns the progress of a grant. The progress is 0 while the deposit that determines the requirement is missing, or while free rounds are
 * unplayed.
 */
export function percentOf(
  grant: Pick<Announced, 'kind' | 'status' | 'granted_amount' | 'wager_required' | 'wager_done'>,
): number {
  const { kind, status, granted_amount, wager_required: wagerRequired, wager_done: wagerDone } = grant;
  const hasNotBegun = kind === 'FREE_SPINS' ? status !== 'COMPLETED' : granted_amount === 0n;
  return hasNotBegun ? 0 : progressPercent({ wagerRequired, wagerDone });
}

/** Returns 0 for negative amounts, because rollbacks can make the wagered amount negative. */
const atLeastZero = (amount: Units): Units => (amount > 0n ? amount : 0n);

type State = z.output<typeof GrantState>;
type Stated = Pick<
  GrantRow,
  | 'id'
  | 'promo_id'
  | 'user_id'
  | 'name'
  | 'type'
  | 'currency_id'
  | 'granted_amount'
  | 'bonus_balance'
  | 'wager_required'
  | 'wager_done'
>;

/** Emits the states that a grant has passed through, in order (`promo.state`). */
export const emitStates = (tx: Tx, grant: Stated, ...states: readonly State[]) =>
  emitEvent(
    tx,
    ...states.map(
      (state): NewEvent<(typeof bonusEvents)['promo.state']> => ({
        event: bonusEvents['promo.state'],
        userId: grant.user_id,
        data: {
          grantId: String(grant.id),
          promoId: String(grant.promo_id),
          name: grant.name,
          type: grant.type,
          state,
          currencyId: grant.currency_id,
          amount: formatUnits(grant.granted_amount),
          bonusBalance: formatUnits(grant.bonus_balance),
          wagerRequired: formatUnits(grant.wager_required),
          wagerDone: formatUnits(atLeastZero(grant.wager_done)),
        },
      }),
    ),
  );

type Code = Exclude<keyof typeof bonusMessages, 'promo.free-spins'>;

/** Notifies the player of an amount in the grant's currency. */
export const notifyOfGrant = (tx: Tx, grant: GrantRow, code: Code, amount: bigint): Promise<void> =>
  notify(tx, grant.user_id, bonusMessages[code], {
    grantId: String(grant.id),
    name: grant.name,
    amount: formatUnits(amount),
    currencyId: grant.currency_id,
  });
