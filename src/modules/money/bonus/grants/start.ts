import { sql } from 'kysely';
import type { Tx } from '../../../../platform/database/db.ts';
import { setHasGrant } from '../../../base/players/service.ts';
import { post } from '../../ledger/post.ts';
import { announce, emitStates, notifyOfGrant } from './announce.ts';
import { type GrantRow, updateGrant } from './queries.ts';

/**
 * Starts a waiting grant: promo → bonus. Later bets in its currency use it, because they read it under the player's lock. The player and
 * the grant must be locked. Returns the updated grant.
 */
export async function start(tx: Tx, grant: GrantRow): Promise<GrantRow> {
  const { id, user_id: userId, currency_id: currencyId, to_start: amount } = grant;
  const kind = 'promo.grant';
  const entries = grant.entries + 1;
  const posting = { userId, currencyId, kind, debit: 'promo', credit: 'bonus', amount } as const;
  const entry = { key: `promo:${id}:start:${entries}`, kind, mustFit: true, postings: [posting] };
  await post(tx, [entry]);
  const isFirst = grant.activated_at === null;
  const started = await updateGrant(tx, grant, {
    status: 'ACTIVE',
    to_start: 0n,
    bonus_balance: grant.bonus_balance + amount,
    // Money returned by rollbacks had been forfeited to promo before.
    forfeited: isFirst ? grant.forfeited : grant.forfeited - amount,
    entries,
    waits_until: null,
    activated_at: sql<Date>`now()`,
    // A grant that starts again keeps its expiry.
    ...(isFirst && {
      expires_at: sql<Date>`now() + make_interval(hours => ${grant.validity_hours}::int4)`,
    }),
    closed_at: null,
    close_reason: null,
  });
  // Invalidates the player data that processes have cached.
  await setHasGrant(tx, userId, true);
  await announce(tx, started);
  await emitStates(tx, started, 'ONGOING');
  await notifyOfGrant(tx, started, 'promo.started', amount);
  return started;
}
