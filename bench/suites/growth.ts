/**
 * Two suites that compare dice bets on our server under two conditions.
 *
 * npm run bench growth: a table with millions of earlier bets and an empty one, in two databases of one PostgreSQL server.
 *
 * npm run bench grants: players who stake only bonus money, and other players, on the same server. For each bet with bonus money the platform
 * also stores the stake, the payout and the amount that counts towards the wagering requirement.
 */
import { sql } from 'kysely';
import { post } from '../../src/modules/money/ledger/post.ts';
import { type Db, transaction } from '../../src/platform/database/db.ts';
import { fillHistory, removeHistory } from '../fill.ts';
import { type Account, diceBets, piecesOf } from '../load/protocol.ts';
import {
  cpuPerBet,
  measureOnce,
  measureRounds,
  ratioOf,
  type Sample,
  sampleTable,
  type Task,
} from '../measure.ts';
import { createPlayers, MONEY } from '../players.ts';
import { type Bench, type Server, startBench, startServer } from '../processes.ts';
import { prove, proven } from '../proof.ts';
import { check, type Limit, type Report } from '../report.ts';
import { type Context, defineSuite } from '../suite.ts';
import { addDatabase, query } from '../world.ts';
import { PLAYERS } from './bet-plan.ts';

/** One condition: a group of players who bet on a server. */
type Side = { subject: string; bench: Bench; server: Server; group: string };
type Sides = readonly [base: Side, compared: Side];
type Rounds = { rounds: number; seconds: number };

const OPTIONS = {
  rounds: [5, 'how often each side is measured'],
  seconds: [6, 'length of one measurement'],
} as const;

/** Measures both sides alternately. */
async function alternate(sides: Sides, { rounds, seconds }: Rounds): Promise<Sample[]> {
  const tasks = sides.map(({ group, ...side }): Task => {
    const streams = [diceBets(group, 256, PLAYERS)];
    return { ...side, workload: 'c256', streams, warmUpMs: 1500, measureMs: 1000 * seconds };
  });
  for (const task of tasks) await measureOnce({ ...task, warmUpMs: 100, measureMs: 3000 });
  return measureRounds(rounds, tasks);
}

function reportOf([base, compared]: Sides, samples: readonly Sample[], limit: Limit): Report {
  const over = [compared.subject, base.subject] as const;
  const ratio = (of: (sample: Sample) => number) => ratioOf(samples, over, { of })!.median;
  const what = `${compared.subject} / ${base.subject}`;
  const perSecond = ratio((s) => s.perSecond);
  return {
    tables: [sampleTable('256 connections, 10,000 players', samples)],
    checks: [check(`${what}, bets/s`, perSecond, limit), check(`${what}, CPU per bet`, ratio(cpuPerBet))],
    details: { samples },
  };
}

export const growth = defineSuite({
  about: 'bets after millions of earlier bets',
  options: { rows: [10_000_000, 'earlier bets, with two ledger postings each'], ...OPTIONS },
  async run(context, { rows, ...rounds }) {
    // The number is rounded so that every owner has the same number of bets.
    const earlier = Math.max(1, Math.round(rows / PLAYERS)) * PLAYERS;
    const [empty, grown] = [await openSide(context, 'empty', 0), await openSide(context, 'grown', earlier)];
    const samples = await alternate([empty, grown], rounds);
    const proofs = [await proveSide(empty), await proveSide(grown)];
    return proven(proofs, reportOf([empty, grown], samples, { atLeast: 0.85 }));
  },
});

type GrownSide = Awaited<ReturnType<typeof openSide>>;

/**
 * Creates a database with this many earlier bets, and starts our server on it. The measured players and the owners of the earlier bets have
 * alternating ids, so that their rows are mixed in every index.
 */
async function openSide(context: Context, subject: string, bets: number) {
  const { say, later } = context;
  const world = await addDatabase(context.world, subject, later);
  const { db, env } = world;
  say(`${subject}: creating ${2 * PLAYERS} players and ${bets} earlier bets`);
  const accounts = await createPlayers(world, { group: subject, count: 2 * PLAYERS });
  const players = accounts.filter((_, i) => i % 2 === 0);
  const owners = accounts.filter((_, i) => i % 2 === 1).map(({ userId }) => userId);
  const history = bets > 0 ? await fillHistory(db, { bets, owners, cash: MONEY }) : undefined;
  await query(db)`vacuum analyze`;
  const [database] = await query(db)<{ size: string }>`
    select pg_size_pretty(pg_database_size(current_database())) as size`;
  say(`${subject}: ${database!.size}`);
  const bench = await startBench({ ...context, world }, { players });
  const server = await startServer('ours', { env, later, players });
  return { subject, bench, server, group: 'players', history };
}

/** Verifies all data of a side except the earlier bets, because they were inserted directly and not placed by players. */
async function proveSide({ bench, server, history }: GrownSide) {
  const { db } = bench.world;
  await server.stop();
  if (history) await removeHistory(db, history);
  return prove(bench, []);
}

export const grants = defineSuite({
  about: 'bets with an active grant',
  options: OPTIONS,
  async run(context, rounds) {
    const { world, say, later } = context;
    say(`creating ${PLAYERS} players with and ${PLAYERS} without a grant`);
    const ordinary = await createPlayers(world, { group: 'ordinary', count: PLAYERS });
    const granted = await createPlayers(world, { group: 'granted', count: PLAYERS });
    await grantAll(world.db, granted);
    await query(world.db)`vacuum analyze`;
    const bench = await startBench(context, { ordinary, granted });
    const players = [...ordinary, ...granted];
    const server = await startServer('ours', { env: world.env, later, players });
    const side = { bench, server };
    const sides = [
      { ...side, subject: 'without a grant', group: 'ordinary' },
      { ...side, subject: 'with a grant', group: 'granted' },
    ] as const;
    const samples = await alternate(sides, rounds);
    return proven([await prove(bench, [server])], reportOf(sides, samples, { atLeast: 0.8 }));
  },
});

const AT_ONCE = 500;
/** A wagering requirement that no benchmark can meet. */
const REQUIRED = MONEY * 1000n;

/** Gives each player a grant whose bonus balance replaces their cash, and whose wagering requirement is never met. */
async function grantAll(db: Db, players: readonly Account[]): Promise<void> {
  for (const piece of piecesOf(players, AT_ONCE))
    await transaction(db, async (tx) => {
      const ids = piece.map(({ userId }) => userId);
      const { rows } = await sql<{ id: bigint; userId: number }>`
        insert into promo_grants (promo_id, user_id, source_key, source, name, type, kind, status, currency_id, granted_amount,
          wager_multiplier_e2, wager_base, wager_required, bonus_balance, entries, activated_at)
        select 1, id, 'bench:' || id, 'ADMIN', 'Bench', 'MANUAL', 'BONUS', 'ACTIVE', 'USDT', ${MONEY}::int8, 100, 'BONUS',
          ${REQUIRED}::int8, ${MONEY}::int8, 1, now()
        from unnest(${ids}::int4[]) u(id) returning id, user_id as "userId"`.execute(tx);
      const of = { currencyId: 'USDT', amount: MONEY } as const;
      await post(
        tx,
        rows.map(({ id, userId }) => ({
          key: `promo:${id}:start:1`,
          kind: 'promo.grant',
          postings: [
            { ...of, userId, kind: 'debug.credit', debit: 'cash', credit: 'promo' },
            { ...of, userId, kind: 'promo.grant', debit: 'promo', credit: 'bonus' },
          ],
        })),
      );
      await query(tx)`update players set has_grant = true where user_id = any(${ids})`;
    });
}
