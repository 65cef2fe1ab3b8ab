import { sql } from 'kysely';
import type { Db } from '../../../platform/database/db.ts';
import type { Secret } from '../../../platform/secrets/encryption.ts';
import { verifyAudit } from '../../base/audit/verify.ts';
import { createSeedEncryption } from '../../games/fairness/service.ts';
import { BOT_CHECKS, CORRECTION_CHECKS, houseBetChecks, providerBetChecks } from './bets.ts';
import { CHALLENGE_CHECKS, LEADERBOARD_CHECKS } from './competitions.ts';
import { DERIVED_CHECKS, ROLLUP_CHECKS } from './derived.ts';
import { ADJUSTMENT_CHECKS, DEPOSIT_CHECKS, SKIN_CHECKS, WITHDRAWAL_CHECKS } from './payments.ts';
import { PROVIDER_CHECKS, SUSPENSE_CHECKS } from './providers.ts';
import { replayAll, replayRounds, SPEED_ROULETTE_CHECKS } from './replay.ts';
import { CRM_CHECKS, REWARD_CHECKS, TIP_CHECKS } from './rewards.ts';

/** An inconsistency, with the invariant, a description and its location. At most FINDINGS_PER_CHECK are reported for each check. */
export type Finding = { invariant: string; problem: string; facts: Record<string, unknown> };
export type Report = { findings: Finding[]; checked: Record<string, number> };

export type ReconcileOptions = {
  seedSecret: Secret;
  /** Called before each group of checks with a description, such as `N1: entries balance`. */
  progress?: (proves: string) => void;
  /** The time up to which a database copy contains data. Work that was in progress at that time is not reported as late. */
  asOf?: Date | undefined;
};

const FINDINGS_PER_CHECK = 20;

/**
 * Checks the consistency of a live or restored database. It reads everything, in one snapshot, and changes nothing. `checksOfModules`: the
 * checks that modules declare, which belong to N8.
 * - N1: entries balance.
 * - N2: wallets are the sums of their postings.
 * - N3: no balance is negative.
 * - N4: payouts follow from stored inputs and seeds.
 * - N5: every posting has one entry.
 * - N6: deposits, withdrawals, adjustments and providers match the ledger.
 * - N7: nonces have no gaps.
 * - N8: statistics are the sums of bets.
 * - N9: the audit log is unchanged.
 * - N10: rewards, prizes and tips match the ledger.
 */
export async function checkBooks(
  db: Db,
  { seedSecret, progress = () => {}, asOf }: ReconcileOptions,
  checksOfModules: Checks,
): Promise<Report> {
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (tx) => {
      await sql`set local statement_timeout = 0`.execute(tx);
      if (asOf) await sql`select set_config('croupier.as_of', ${asOf.toISOString()}, true)`.execute(tx);
      const findings: Finding[] = [];
      const check = async (
        invariant: Invariant,
        problem: string,
        find: () => Promise<Finding['facts'][]>,
      ) => {
        const found = (await find()).slice(0, FINDINGS_PER_CHECK);
        findings.push(...found.map((facts) => ({ invariant, problem, facts })));
      };
      const begin = (invariant: Invariant) => progress(`${invariant}: ${PROVES[invariant]}`);
      begin('N9');
      await check('N9', 'the chain of the audit does not hold', async () => (await verifyAudit(tx)).breaks);
      for (const [invariant, checks] of Object.entries(CHECKS) as [Invariant, Checks][]) {
        begin(invariant);
        const all = invariant === 'N8' ? { ...checks, ...checksOfModules } : checks;
        for (const [problem, text] of Object.entries(all))
          await check(invariant, problem, () => rowsOf(tx, text));
      }
      let replayed = 0;
      await check('N4', 'a bet is not what its seeds and inputs say', async () => {
        const single = await replayAll(tx, createSeedEncryption(seedSecret));
        const shared = await replayRounds(tx);
        replayed = single.bets + shared.bets;
        return [...single.flaws, ...shared.flaws];
      });
      // In a large casino, the number of rows added in a year exceeds the range of int4.
      const { rows } = await sql<Record<string, bigint>>`select
      (select count(*) from ledger_lines) as postings, (select count(*) from ledger_entries) as entries,
      (select count(*) from wallets) as wallets,
      (select count(*) from bets b join games g on g.id = b.game_id where g.type <> 'HOUSE_GAME' and b.id >= ${sql.raw(BOTH_FROM)}) as provided`.execute(
        tx,
      );
      const { provided, ...counts } = Object.fromEntries(
        Object.entries(rows[0]!).map(([name, count]) => [name, Number(count)]),
      );
      return {
        findings,
        checked: { ...counts, 'house bets': replayed, 'provider bets': provided! },
      };
    });
}

async function rowsOf(db: Db, text: string): Promise<Finding['facts'][]> {
  const limited = sql<Finding['facts']>`${sql.raw(text)} limit ${sql.lit(FINDINGS_PER_CHECK)}`;
  return (await limited.execute(db)).rows;
}

/** Below this id, bets and entries are not checked posting by posting, because some of them are in detached partitions. */
const BOTH_FROM = `(select greatest(archived_below('bets'), archived_below('ledger_lines')))`;
/** The totals of postings on player accounts in detached partitions. */
const OPENINGS = `(select o.user_id, o.currency_id, o.account, o.change from ledger_openings o join parts_away p using (part) where o.account < 100)`;
/** The time at which the last bet in a detached partition was settled. */
const BETS_UNTIL = `(select coalesce(max(latest), '-infinity') from parts_away where list = 'bets')`;

/** Each posting as two rows, one for the debited and one for the credited account. */
const SIDES = `(
  select user_id, currency_id, id, debit as account, -amount as change, debit_after as after from ledger_lines where debit < 100
  union all
  select user_id, currency_id, id, credit, amount, credit_after from ledger_lines where credit < 100)`;

/** Descriptions of the invariants. They are printed while the invariants are checked. */
const PROVES = {
  N1: 'entries balance',
  N2: 'wallets are the sums of their lines',
  N3: 'no balance is negative',
  N4: 'payouts follow from seeds and inputs',
  N5: 'each line belongs to an entry, and each entry has lines',
  N6: 'the ledger agrees with deposits, withdrawals, adjustments and providers',
  N7: 'each nonce was used once, without gaps',
  N8: 'statistics are the sums of bets',
  N9: 'the audit is unchanged',
  N10: 'the ledger agrees with rewards, prizes and tips',
} as const;
type Invariant = keyof typeof PROVES;
type Checks = Readonly<Record<string, string>>;

/** The checks of each invariant. Each check has a statement and a description of the problem that the returned rows indicate. */
const CHECKS: Readonly<Record<Exclude<Invariant, 'N9'>, Checks>> = {
  N1: {
    'an entry does not balance': `
      select entry_id, currency_id, sum(amount) from ledger_postings group by 1, 2 having sum(amount) <> 0`,
    'a line names an account that does not exist or has the wrong owner': `
      select l.id, l.user_id, l.debit, l.credit from ledger_lines l
      left join ledger_accounts d on d.code = l.debit left join ledger_accounts c on c.code = l.credit
      where d.code is null or c.code is null or l.amount <= 0 or (l.user_id = 0 and 'USER' in (d.owner, c.owner))`,
  },
  N2: {
    'a wallet is not the sum of its lines': `with openings as ${OPENINGS}
      select coalesce(w.user_id, s.user_id) as user_id, coalesce(w.currency_id, s.currency_id) as currency_id,
        w.cash, s.cash as cash_of_lines, w.vault, s.vault as vault_of_lines, w.bonus, s.bonus as bonus_of_lines,
        w.hold, s.hold as hold_of_lines
      from wallets w full join (
        select user_id, currency_id,
          coalesce(sum(change) filter (where account = 1), 0) as cash, coalesce(sum(change) filter (where account = 2), 0) as vault,
          coalesce(sum(change) filter (where account = 3), 0) as bonus, coalesce(sum(change) filter (where account = 4), 0) as hold
        from (select user_id, currency_id, account, change from ${SIDES} sides union all table openings) moved group by 1, 2) s on s.user_id = w.user_id and s.currency_id = w.currency_id
      where (coalesce(w.cash, 0), coalesce(w.vault, 0), coalesce(w.bonus, 0), coalesce(w.hold, 0))
        is distinct from (coalesce(s.cash, 0), coalesce(s.vault, 0), coalesce(s.bonus, 0), coalesce(s.hold, 0))`,
    'a balance after a line does not follow from the one before': `
      with openings as (select user_id, currency_id, account, sum(change) as opening from ${OPENINGS} o group by 1, 2, 3)
      select user_id, currency_id, account, id, before, change, after from (
        select *, coalesce(lag(after) over (partition by user_id, currency_id, account order by id), opening, 0) as before
        from ${SIDES} sides left join openings using (user_id, currency_id, account)
      ) chain where before + change <> after`,
  },
  N3: {
    'an account is negative': `
      select user_id, currency_id, cash, vault, bonus, hold from wallets where least(cash, vault, bonus, hold) < 0`,
  },
  N5: {
    'a line has no head or a head has no line': `select h.id as head, h.key, l.entry_id from
        (select id, key from ledger_entries union all select id, null from bets union all
          select id, null from provider_transactions t where exists (select from ledger_lines where entry_id = t.id)) h
        full join (select distinct entry_id from ledger_lines) l on l.entry_id = h.id
      where (h.id is null or l.entry_id is null) and coalesce(h.id, l.entry_id) >= ${BOTH_FROM}`,
  },
  N7: {
    // Some nonces of a seed pair may belong to bets in detached partitions. In that case only the remaining nonces must be consecutive, up
    // to the last one.
    'nonces of a seed pair are not 0 to n without a gap': `
      select p.id as seed_pair_id, p.user_id, p.state, b.taken, b.last, coalesce(pl.nonce - 1, p.last_nonce) as expected
      from seed_pairs p
      left join (select seed_pair_id, count(*) as taken, max(nonce) as last, min(nonce) as first from bets
        where seed_pair_id is not null group by 1) b on b.seed_pair_id = p.id
      left join players pl on pl.seed_pair_id = p.id and p.state = 'ACTIVE'
      where p.state <> 'NEXT' and case
        when p.activated_at is null or p.activated_at > ${BETS_UNTIL} then coalesce(b.last, -1) <> coalesce(pl.nonce - 1, p.last_nonce, -1)
          or coalesce(b.taken, 0) <> coalesce(b.last, -1) + 1 or coalesce(b.first, 0) <> 0
        else b.last <> coalesce(pl.nonce - 1, p.last_nonce, -1) or b.taken <> b.last - b.first + 1 end`,
    "a bet was made on a pair that is not its player's": `
      select b.id, b.user_id, b.seed_pair_id, p.user_id as owner, p.state
      from bets b left join seed_pairs p on p.id = b.seed_pair_id
      where b.seed_pair_id is not null and (p.id is null or p.state = 'NEXT' or p.user_id <> b.user_id)`,
  },
  N8: DERIVED_CHECKS,
  N6: {
    ...DEPOSIT_CHECKS,
    ...SKIN_CHECKS,
    ...WITHDRAWAL_CHECKS,
    ...ADJUSTMENT_CHECKS,
    ...PROVIDER_CHECKS,
    ...SUSPENSE_CHECKS,
  },
  N10: {
    ...REWARD_CHECKS,
    ...LEADERBOARD_CHECKS,
    ...CHALLENGE_CHECKS,
    ...TIP_CHECKS,
    ...CRM_CHECKS,
    ...ROLLUP_CHECKS,
    ...BOT_CHECKS,
  },
  // N4 is the last group, because after its checks the bets are also replayed from their seeds.
  N4: {
    ...houseBetChecks(BOTH_FROM),
    ...providerBetChecks(BOTH_FROM),
    ...CORRECTION_CHECKS,
    ...SPEED_ROULETTE_CHECKS,
  },
};
