import { type RawBuilder, sql } from 'kysely';
import type { DbOrTx, Tx } from '../../../../platform/db.ts';
import { type Units, units } from '../../../../platform/money.ts';
import type { SiteConfig } from '../../../base/site-config/service.ts';
import type { WithdrawalRow } from './queries.ts';
import { GONE, HELD, needsFourEyes, plusUsd, type WithdrawalStatus } from './rules.ts';

/** Over how long withdrawals add up before two of the staff have to approve, and before identity has to be verified. */
export const FOUR_EYES_HOURS = 24;
export const KYC_HOURS = 30 * 24;

type Outgoing = {
  userId: number;
  hours: number;
  /** A withdrawal that is left out. */
  besides?: string;
};

const anyOf = (statuses: readonly WithdrawalStatus[]): RawBuilder<unknown> =>
  // Literals, or no partial index would be used.
  sql`status in (${sql.join(statuses.map((status) => sql.lit(status)))})`;

/**
 * What a player's withdrawals come to in dollars: those that have left in the last hours, and all that may still leave, whenever they
 * were asked for. What was given back (rejected, cancelled, failed) does not count. Null: one of them has no price, so nobody knows.
 * Where it decides something the player must be locked.
 */
export async function outgoingUsd(db: DbOrTx, { userId, hours, besides }: Outgoing): Promise<Units | null> {
  const { rows } = await sql<{ usd: string; isPriced: boolean }>`
    select coalesce(sum(usd_amount), 0)::text as usd, coalesce(bool_and(is_priced), true) as "isPriced" from (
      select id, usd_amount, is_priced from withdrawals where user_id = ${userId} and ${anyOf(HELD)}
      union all
      select id, usd_amount, is_priced from withdrawals
        where user_id = ${userId} and ${anyOf(GONE)} and asked_at > now() - make_interval(hours => ${hours})
    ) outgoing where id is distinct from ${besides ?? null}::uuid`.execute(db);
  const { usd, isPriced } = rows[0]!;
  return isPriced ? BigInt(usd) : null;
}

export type FourEyes = ReturnType<typeof createFourEyes>;

/**
 * Whether two of the staff have to let this withdrawal go: it is at or above the threshold together with everything else of its player
 * that has left within a day or may still leave, or nobody knows what that is worth. Its player must be locked.
 */
export const createFourEyes =
  ({ siteConfig }: { siteConfig: SiteConfig }) =>
  async (tx: Tx, row: WithdrawalRow): Promise<boolean> => {
    const others = await outgoingUsd(tx, { userId: row.user_id, hours: FOUR_EYES_HOURS, besides: row.id });
    const sum = plusUsd(others, row.is_priced ? row.usd_amount : null);
    return needsFourEyes(sum, units(siteConfig.get('WITHDRAWALS').fourEyesThresholdUsd));
  };
