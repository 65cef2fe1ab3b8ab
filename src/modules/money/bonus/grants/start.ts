import { sql } from 'kysely';
import type { Tx } from '../../../../platform/db.ts';
import { setHasGrant } from '../../../base/players/service.ts';
import { post } from '../../ledger/post.ts';
import { announce, emitStates, tell } from './announce.ts';
import { type GrantRow, updateGrant } from './queries.ts';

/**
 * Starts a grant that waits: promo → bonus. The next bets in its currency are made with it: they read it under the player's lock. The
 * player and the grant must be locked. Answers the grant as it is then.
 */
export async function start(tx: Tx, grant: GrantRow): Promise<GrantRow> {
  const { id, user_id: userId, currency_id: currencyId, to_start: amount } = grant;
  const kind = 'promo.grant';
  const entries = grant.entries + 1;
  const posting = { userId, currencyId, kind, debit: 'promo', credit: 'bonus', amount } as const;
  const entry = { key: `promo:${id}:start:${entries}`, kind, postings: [posting] };
  await post(tx, [entry]);
  const isFirst = grant.activated_at === null;
  const started = await updateGrant(tx, grant, {
    status: 'ACTIVE',
    to_start: 0n,
    bonus_balance: grant.bonus_balance + amount,
    // What rollbacks gave back had gone to promo before.
    forfeited: isFirst ? grant.forfeited : grant.forfeited - amount,
    entries,
    waits_until: null,
    activated_at: sql<Date>`now()`,
    // One that starts again keeps the end that it had.
    ...(isFirst && {
      expires_at: sql<Date>`now() + make_interval(hours => ${grant.validity_hours}::int4)`,
    }),
    closed_at: null,
    close_reason: null,
  });
  // Whatever processes remember of the player does not know of it.
  await setHasGrant(tx, userId, true);
  await announce(tx, started);
  await emitStates(tx, started, 'ONGOING');
  await tell(tx, started, 'promo.started', amount);
  return started;
}
