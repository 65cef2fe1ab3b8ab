import { int4Array, int8Array, textArray } from '../../../platform/database/arrays.ts';
import type { Statement } from '../../../platform/database/db.ts';
import type { BetGrant, BonusBet } from './rules.ts';

/**
 * Reads the active grants of these players, the grants of their open bets, and the grants of the given bets. The players must be locked.
 */
export function readBetGrants(userIds: readonly number[], betIds: readonly bigint[]): Statement {
  return {
    name: 'bonus.grants',
    // Avoids ORDER BY and JOIN, because they would make the planner choose other indexes while the table is empty.
    text: `with found as (
        select * from promo_grants where user_id = any($1::int4[]) and status = 'ACTIVE'
        union all
        select * from promo_grants where status <> 'ACTIVE'
          and id = any(array(select grant_id from bonus_bets where user_id = any($1::int4[]) and counted is null
            union all select grant_id from bonus_bets where bet_id = any($2::int8[]))))
      select g.id, g.user_id as "userId", g.currency_id as "currencyId", c.decimals, g.status, g.wager_required as "wagerRequired",
        g.wager_done as "wagerDone", g.bonus_balance as balance, g.written_off as "writtenOff", g.max_bet_usd as "maxBetUsd", g.games,
        g.expires_at as "expiresAt", g.is_due as "isDue", 0 as "refusedBets", 0::int8 as "toTakeBack", 0::int8 as "turnoverOwed"
      from found g join currencies c on c.id = g.currency_id`,
    values: [int4Array(userIds), int8Array(betIds)],
  };
}

/** Reads the players' open bonus bets, and those of the given bets that have ended. */
export function readBonusBets(userIds: readonly number[], betIds: readonly bigint[]): Statement {
  const columns = `bet_id as "betId", user_id as "userId", grant_id as "grantId", currency_id as "currencyId", bonus_staked as "bonusStaked",
        bonus_paid as "bonusPaid", bonus_lost as "bonusLost", bonus_passed as "bonusPassed", counted, contribution_bp as "contributionBp"`;
  return {
    name: 'bonus.bets',
    text: `select ${columns} from bonus_bets where user_id = any($1::int4[]) and counted is null
      union all
      select ${columns} from bonus_bets where bet_id = any($2::int8[]) and counted is not null`,
    values: [int4Array(userIds), int8Array(betIds)],
  };
}

type Before = Pick<BetGrant, 'balance' | 'wagerDone'>;

/** Writes grants after bets. Fails (40001) if a grant's status, balance or wagered amount has changed since it was read. */
export function writeBetGrants(changed: readonly (readonly [BetGrant, Before])[]): Statement {
  const grants = changed.map(([grant]) => grant);
  return {
    name: 'bonus.write-grants',
    text: `with changed as (
        update promo_grants g set wager_done = v.wager_done, bonus_balance = v.balance, written_off = v.written_off, is_due = v.is_due > 0,
          refused_bets = g.refused_bets + v.refused, to_take_back = g.to_take_back + v.to_take_back,
          turnover_owed = g.turnover_owed + v.turnover_owed
        from unnest($1::int8[], $2::int8[], $3::int8[], $4::int8[], $5::int4[], $6::int4[], $7::int8[], $8::int8[], $9::text[], $11::int8[],
          $12::int8[])
          v(id, wager_done, balance, written_off, is_due, refused, done_before, balance_before, status, to_take_back, turnover_owed)
        where g.id = v.id and g.wager_done = v.done_before and g.bonus_balance = v.balance_before and g.status = v.status
        returning 1)
      select expect_rows((select count(*) from changed), $10::int8)`,
    values: [
      int8Array(grants.map((g) => g.id)),
      int8Array(grants.map((g) => g.wagerDone)),
      int8Array(grants.map((g) => g.balance)),
      int8Array(grants.map((g) => g.writtenOff)),
      int4Array(grants.map((g) => Number(g.isDue))),
      int4Array(grants.map((g) => g.refusedBets)),
      int8Array(changed.map(([, { wagerDone }]) => wagerDone)),
      int8Array(changed.map(([, { balance }]) => balance)),
      textArray(grants.map((g) => g.status)),
      grants.length,
      int8Array(grants.map((g) => g.toTakeBack)),
      int8Array(grants.map((g) => g.turnoverOwed)),
    ],
  };
}

/**
 * Writes new and changed bonus bets. `isRelative`: all the bets are new, and their ids are offsets from the block of ids that was last
 * reserved on this connection.
 */
export function writeBonusBets(bets: readonly BonusBet[], isRelative: boolean): Statement {
  const columns = `bet_id, user_id, grant_id, currency_id, bonus_staked, bonus_paid, counted, contribution_bp, bonus_lost, bonus_passed, uncounted`;
  return {
    name: isRelative ? 'bonus.write-new-bets' : 'bonus.write-bets',
    // New rows cannot conflict, and a conflict check would double the cost of the insert.
    text: `insert into bonus_bets (${columns})
      select ${isRelative ? `currval('ledger_ids') + bet_id` : 'bet_id'}, user_id, grant_id, currency_id, bonus_staked, bonus_paid, counted,
        contribution_bp, bonus_lost, bonus_passed, uncounted
      from unnest($1::int8[], $2::int4[], $3::int8[], $4::text[], $5::int8[], $6::int8[], $7::int8[], $8::int4[], $9::int8[], $10::int8[], $11::text[])
        v(${columns})
      ${isRelative ? '' : ON_CONFLICT}`,
    values: [
      int8Array(bets.map((b) => b.betId)),
      int4Array(bets.map((b) => b.userId)),
      int8Array(bets.map((b) => b.grantId)),
      textArray(bets.map((b) => b.currencyId)),
      int8Array(bets.map((b) => b.bonusStaked)),
      int8Array(bets.map((b) => b.bonusPaid)),
      int8Array(bets.map((b) => b.counted)),
      int4Array(bets.map((b) => b.contributionBp)),
      int8Array(bets.map((b) => b.bonusLost)),
      int8Array(bets.map((b) => b.bonusPassed)),
      textArray(bets.map((b) => b.uncounted ?? null)),
    ],
  };
}

const ON_CONFLICT = `on conflict (bet_id) do update set bonus_staked = excluded.bonus_staked, bonus_paid = excluded.bonus_paid,
        counted = excluded.counted, bonus_lost = excluded.bonus_lost, bonus_passed = excluded.bonus_passed,
        uncounted = excluded.uncounted`;
