import { DETACHED_UNTIL, READABLE_FROM } from '../bets/checks.ts';

/** Checks bets on house games: their postings, their rounds, their nonces and their bonus money. */
export const checks = {
  N4: {
    "a house bet's stake or payout does not match the ledger": `
      select b.id, b.status, b.amount, b.payout, l.stakes, l.staked, l.payouts, l.paid, l.returned from bets b full join (
        select entry_id, user_id, currency_id,
          count(*) filter (where kind = 'bet.stake') as stakes, count(*) filter (where kind = 'bet.stake' and debit = 3) as bonus_stakes,
          coalesce(sum(amount) filter (where kind = 'bet.stake'), 0) as staked,
          count(*) filter (where kind = 'bet.payout') as payouts, count(*) filter (where kind = 'bet.payout' and credit = 3) as bonus_payouts,
          coalesce(sum(amount) filter (where kind = 'bet.payout'), 0) as paid,
          coalesce(sum(amount) filter (where kind = 'bet.stake.rollback'), 0) as returned
        from ledger_lines where (kind in ('bet.stake', 'bet.payout')
          or (kind = 'bet.stake.rollback' and not exists (select from ledger_entries e where e.id = entry_id)))
          and not exists (select from provider_transactions t where t.id = entry_id) group by 1, 2, 3
      ) l on l.entry_id = b.id and l.user_id = b.user_id and l.currency_id = b.currency_id
      left join games g on g.id = b.game_id
      where coalesce(b.id, l.entry_id) >= ${READABLE_FROM} and coalesce(g.type, 'HOUSE_GAME') = 'HOUSE_GAME' and (b.id is null or l.entry_id is null or (b.settlement_id is null and b.status = 'SETTLED' and (l.stakes = 0 or l.stakes - l.bonus_stakes > 1 or l.bonus_stakes > 1))
        or l.staked <> b.amount or l.payouts - l.bonus_payouts > 1 or l.bonus_payouts > 1 or l.paid <> b.payout
        or l.returned <> case when b.status = 'ROLLBACK' and b.reversal_id is null then b.amount else 0 end)`,
    'an open round has no bet, or an open bet has no round': `
      select b.id, b.user_id, b.status, r.bet_id, r.user_id as user_of_round from (
        select b.* from bets b join games g on g.id = b.game_id
        where b.status in ('CREATED', 'ERROR') and g.slug in ('mines', 'monkey-run', 'blackjack')) b
      full join rounds r on r.bet_id = b.id and r.user_id = b.user_id and r.game_id = b.game_id
      where b.id is null or r.bet_id is null`,
  },
  N7: {
    // Some nonces of a seed pair may belong to bets in detached partitions. In that case only the remaining nonces must be consecutive, up
    // to the last one.
    "a seed pair's nonces are not consecutive from 0 to the last one": `
      select p.id as seed_pair_id, p.user_id, p.state, b.taken, b.last, coalesce(pl.nonce - 1, p.last_nonce) as expected
      from seed_pairs p
      left join (select seed_pair_id, count(*) as taken, max(nonce) as last, min(nonce) as first from bets
        where seed_pair_id is not null group by 1) b on b.seed_pair_id = p.id
      left join players pl on pl.seed_pair_id = p.id and p.state = 'ACTIVE'
      where p.state <> 'NEXT' and case
        when p.activated_at is null or p.activated_at > ${DETACHED_UNTIL} then coalesce(b.last, -1) <> coalesce(pl.nonce - 1, p.last_nonce, -1)
          or coalesce(b.taken, 0) <> coalesce(b.last, -1) + 1 or coalesce(b.first, 0) <> 0
        else b.last <> coalesce(pl.nonce - 1, p.last_nonce, -1) or b.taken <> b.last - b.first + 1 end`,
    'a bet uses an unknown or unused seed pair, or one of another player': `
      select b.id, b.user_id, b.seed_pair_id, p.user_id as owner, p.state
      from bets b left join seed_pairs p on p.id = b.seed_pair_id
      where b.seed_pair_id is not null and (p.id is null or p.state = 'NEXT' or p.user_id <> b.user_id)`,
  },
  N10: {
    // Excludes rolled-back bets, because their effect on the grant was reversed.
    'the parts of a grant do not add up to its amount': `
      select g.id, g.user_id, g.status, g.granted_amount, g.converted, g.forfeited, g.bonus_balance, b.staked, b.paid, g.written_off
      from promo_grants g
      left join (select grant_id, sum(bonus_staked) as staked, sum(bonus_paid) as paid from bonus_bets
        left join bets on bets.id = bet_id where bets.status is distinct from 'ROLLBACK' group by 1) b on b.grant_id = g.id
      where g.kind = 'BONUS' and g.activated_at is not null
        and not exists (select from bonus_bets where grant_id = g.id and bet_id < archived_below('bets'))
        and g.granted_amount <> g.converted + g.forfeited + g.bonus_balance + coalesce(b.staked, 0) - coalesce(b.paid, 0) - g.written_off`,
  },
};
