import { sql } from 'kysely';
import type { Checks, Invariant } from '../../../http/module.ts';
import { consistentRead, type Db } from '../../../platform/database/db.ts';
import type { Secret } from '../../../platform/secrets/encryption.ts';
import { verifyAudit } from '../../base/audit/verify.ts';
import { READABLE_FROM } from '../../games/bets/checks.ts';
import { createSeedEncryption } from '../../games/fairness/service.ts';
import { replayAll, replayRounds } from './replay.ts';

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
 * Checks the consistency of a live or restored database. Reads everything, in one snapshot, and changes nothing. `checks` are those that
 * modules declare. Two further checks are programs and not queries: the hash chain of the audit log (N9), and the replay of bets from their
 * seeds (N4), which runs last.
 */
export async function checkBooks(
  db: Db,
  { seedSecret, progress = () => {}, asOf }: ReconcileOptions,
  checks: Checks,
): Promise<Report> {
  return consistentRead(db, async (tx) => {
    await sql`set local statement_timeout = 0`.execute(tx);
    if (asOf) await sql`select set_config('croupier.as_of', ${asOf.toISOString()}, true)`.execute(tx);
    const findings: Finding[] = [];
    const check = async (invariant: Invariant, problem: string, find: () => Promise<Finding['facts'][]>) => {
      const found = (await find()).slice(0, FINDINGS_PER_CHECK);
      findings.push(...found.map((facts) => ({ invariant, problem, facts })));
    };
    for (const [invariant, proves] of Object.entries(PROVES) as [Invariant, string][]) {
      progress(`${invariant}: ${proves}`);
      for (const [problem, text] of Object.entries(checks[invariant] ?? {}))
        await check(invariant, problem, () => rowsOf(tx, text));
      if (invariant === 'N9')
        await check(
          'N9',
          'the hash chain of the audit log is broken',
          async () => (await verifyAudit(tx)).breaks,
        );
    }
    let replayed = 0;
    await check('N4', 'a bet does not follow from its seeds and inputs', async () => {
      const single = await replayAll(tx, createSeedEncryption(seedSecret));
      const shared = await replayRounds(tx);
      replayed = single.bets + shared.bets;
      return [...single.flaws, ...shared.flaws];
    });
    // In a large casino, the number of rows added in a year exceeds the range of int4.
    const { rows } = await sql<Record<string, bigint>>`select
      (select count(*) from ledger_lines) as postings, (select count(*) from ledger_entries) as entries,
      (select count(*) from wallets) as wallets,
      (select count(*) from bets b join games g on g.id = b.game_id where g.type <> 'HOUSE_GAME' and b.id >= ${sql.raw(READABLE_FROM)}) as provided`.execute(
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

/** Descriptions of the invariants in the order in which they are checked. They are printed while the invariants are checked. */
const PROVES: Readonly<Record<Invariant, string>> = {
  N9: 'the audit log is unchanged',
  N1: 'entries balance',
  N2: 'wallets are the sums of their postings',
  N3: 'no balance is negative',
  N5: 'each posting belongs to an entry, and each entry has postings',
  N7: 'each nonce was used once, without gaps',
  N8: 'statistics are the sums of bets',
  N6: 'the ledger agrees with deposits, withdrawals, adjustments and providers',
  N10: 'the ledger agrees with rewards, prizes and tips',
  N4: 'payouts follow from seeds and inputs',
};
