import { type RawBuilder, sql } from 'kysely';
import { reconcile } from '../src/app/commands/reconcile.ts';
import { type Db, transaction } from '../src/platform/database/db.ts';
import { GAMES_DIALECTS, slugOf } from './load/protocol.ts';
import type { Bench } from './measure.ts';
import type { Server } from './processes.ts';
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
  const { betIds, userIds, transactions } = await generator.call('acknowledged');
  for (const server of servers) await server.stop();
  say(`comparing ${betIds.length} acknowledged bets with the database`);
  const compared = [
    await compare(db, {
      what: 'bets',
      ids: betIds.map(String),
      userIds,
      stored: sql`
        select b.id::text as id, user_id from bets b join games g on g.id = b.game_id where g.provider_id = 0`,
    }),
  ];
  for (const dialect of GAMES_DIALECTS)
    compared.push(
      await compare(db, {
        what: `transactions of ${dialect}`,
        ids: transactions[dialect],
        userIds: transactions[dialect].map(() => 0),
        stored: sql`
          select transaction_id as id, 0 as user_id from provider_transactions t join game_providers p on p.id = t.provider_id
          where p.slug = ${slugOf(dialect)} and t.status = 'DONE'`,
      }),
    );
  const { findings, checked } = await reconcile(db, {
    seedSecret: env.SEED_SECRET,
    progress: (name) => say(`reconcile: ${name}`),
  });
  const counts = Object.entries(checked).map(([what, n]) => `${n} ${what}`);
  return {
    isProven: findings.length === 0 && compared.every((c) => c.missing + c.unknown + c.repeated === 0),
    lines: [
      'Proof',
      ...compared
        .filter(({ what, count, unknown }) => what === 'bets' || count + unknown > 0)
        .map(({ what, count, missing, unknown, repeated }) => {
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

/** Acknowledged ids with their players, and a query for the rows that should be the same. */
type Ids = { what: string; ids: readonly string[]; userIds: readonly number[]; stored: RawBuilder<unknown> };
type Compared = { missing: number; unknown: number; repeated: number };

function compare(db: Db, { what, ids, userIds, stored }: Ids) {
  return transaction(db, async (tx) => {
    await query(tx)`create temporary table acknowledged (id text, user_id integer) on commit drop`;
    for (let from = 0; from < ids.length; from += AT_ONCE) {
      const [part, users] = [ids, userIds].map((list) => list.slice(from, from + AT_ONCE));
      await query(tx)`insert into acknowledged select * from unnest(${part}::text[], ${users}::int4[])`;
    }
    const [compared] = await query(tx)<Compared>`
      select count(*) filter (where s.id is null)::int as missing, count(*) filter (where a.id is null)::int as unknown,
        (select count(*) - count(distinct id) from acknowledged)::int as repeated
      from (${stored}) s full join acknowledged a on a.id = s.id and a.user_id = s.user_id`;
    return { what, count: ids.length, ...compared! };
  });
}
