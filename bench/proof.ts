import { reconcile } from '../src/app/commands/reconcile.ts';
import { type Db, transaction } from '../src/platform/database/db.ts';
import { piecesOf, slugOf } from './load/protocol.ts';
import type { Log } from './load/sources.ts';
import type { Bench, Server } from './processes.ts';
import { check, jsonOf, type Report } from './report.ts';
import { query } from './world.ts';

/** The result of comparing the database with the responses. The results of a run count only if `isProven`. */
type Proof = { isProven: boolean; lines: readonly string[] };

/**
 * Stops the servers, so that pending work is finished, and verifies the results: every acknowledged bet and transaction is stored exactly
 * once, there are no others, and the ledger balances.
 */
export async function prove({ world, generator, say }: Bench, servers: readonly Server[]): Promise<Proof> {
  const { db, env } = world;
  const acknowledged = await generator.call('acknowledged');
  for (const server of servers) await server.stop();
  say(`comparing ${acknowledged.bets.length} acknowledged bets with the database`);
  const compared = await compare(db, acknowledged);
  const { findings, checked } = await reconcile(db, {
    seedSecret: env.SEED_SECRET,
    progress: (name) => say(`reconcile: ${name}`),
  });
  const counts = Object.entries(checked).map(([what, n]) => `${n} ${what}`);
  return {
    isProven: findings.length === 0 && compared.every((c) => c.missing + c.unknown + c.repeated === 0),
    lines: [
      'Proof',
      ...compared.map(({ what, count, missing, unknown, repeated }) => {
        const wrong = `${missing} missing, ${unknown} never acknowledged, ${repeated} acknowledged twice`;
        return `  ${count} ${what} acknowledged: ${wrong}`;
      }),
      `  reconcile: ${findings.length || 'no'} differences (${counts.join(', ')})`,
      ...findings.slice(0, 5).map((finding) => `    ${jsonOf(finding)}`),
      '',
    ],
  };
}

/** Adds the proofs to a report. If one of them failed, the results do not count and are left out. */
export function proven(proofs: readonly Proof[], report: Report): Report {
  const wrong = proofs.find(({ isProven }) => !isProven);
  const notes = wrong
    ? [...wrong.lines, 'The database does not agree with the responses, so this run has no results.']
    : [...proofs.flatMap(({ lines }) => lines), ...(report.notes ?? [])];
  return wrong ? { tables: [], notes, checks: [check('proof', 0, { atLeast: 1 })] } : { ...report, notes };
}

const AT_ONCE = 20_000;

type Compared = { what: string } & Record<'count' | 'missing' | 'unknown' | 'repeated', number>;

/** Compares the ids of the acknowledged bets, and of each dialect's acknowledged transactions, with those in the database. */
const compare = (db: Db, acknowledged: Log): Promise<Compared[]> =>
  transaction(db, async (tx) => {
    await query(tx)`create temporary table acknowledged (log text, id text) on commit drop`;
    for (const [log, ids] of Object.entries(acknowledged))
      for (const piece of piecesOf(ids, AT_ONCE))
        await query(tx)`insert into acknowledged select ${log}, unnest(${piece}::text[])`;
    return query(tx)<Compared>`
      select case log when 'bets' then log else 'transactions of ' || log end as what, count(a.id)::int,
        count(*) filter (where s.id is null)::int as missing, count(*) filter (where a.id is null)::int as unknown,
        (count(a.id) - count(distinct a.id))::int as repeated
      from (
        select 'bets' as log, b.id || ' of ' || user_id as id from bets b join games g on g.id = b.game_id where g.provider_id = 0
        union all
        select replace(p.slug, ${slugOf('')}, ''), transaction_id from provider_transactions t
        join game_providers p on p.id = t.provider_id where t.status = 'DONE'
      ) s full join acknowledged a using (log, id) group by log order by log`;
  });
