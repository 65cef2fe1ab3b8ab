/**
 * npm run bench grants: compares the cost of bets for players with and without an active grant, alternately on one server. Players with a
 * grant stake only bonus money. For each of their bets the platform also stores the stake, the payout and the amount that counts towards
 * the wagering requirement.
 */
import { sql } from 'kysely';
import { post } from '../src/modules/money/ledger/post.ts';
import { type Db, transaction } from '../src/platform/database/db.ts';
import { measure, measureOnce, type Sample } from './measure.ts';
import { numbersOf } from './options.ts';
import { PLAYERS, planOfOurs } from './plan.ts';
import { createPlayers, MONEY } from './players.ts';
import { isProven, prove } from './proof.ts';
import { betsPerSecond, cpuPerBet, spreadOf } from './ratios.ts';
import { progressLine, proofLines, workloadTable } from './report.ts';
import { createSay } from './say.ts';
import { prepare } from './setup.ts';
import { runAndUndo } from './undo.ts';
import { countRows } from './world.ts';

const LEAST = 0.8;
const asked = numbersOf('grants', {
  rounds: [5, 'how often each group is measured'],
  seconds: [6, 'length of one measurement'],
});
const plan = planOfOurs(asked);
const workload = plan.workloads[0]!;
const say = createSay();

const GRANTED = 'granted';
const AT_ONCE = 500;
/** A wagering requirement that no benchmark can meet. */
const REQUIRED = MONEY * 1000n;

/** Gives each player a grant whose bonus balance replaces their cash, and whose wagering requirement is never met. */
async function grantAll(db: Db, userIds: readonly number[]): Promise<void> {
  for (let from = 0; from < userIds.length; from += AT_ONCE)
    await transaction(db, async (tx) => {
      const ids = userIds.slice(from, from + AT_ONCE);
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
      await sql`update players set has_grant = true where user_id = any(${ids})`.execute(tx);
    });
}

await runAndUndo(async (later) => {
  const bench = await prepare({ plan, say, later });
  const { db, env } = bench.world;
  say(`creating ${PLAYERS} players with a grant`);
  const granted = await createPlayers(db, env, { group: GRANTED, count: PLAYERS });
  await grantAll(
    db,
    granted.map(({ userId }) => userId),
  );
  await sql`vacuum analyze`.execute(db);
  bench.generator.players(GRANTED, granted);
  await bench.servers.get('ours')!.prime(granted);
  const groups = ['ours', GRANTED] as const;
  const samples: Record<(typeof groups)[number], Sample[]> = { ours: [], granted: [] };
  const task = { variant: 'ours', game: 'dice', workload } as const;
  for (const group of groups) await measureOnce(bench, { ...task, group, warmUpMs: 100, measureMs: 3000 });
  const before = await countRows(db);
  for (let round = 1; round <= plan.rounds; round++) {
    say(`round ${round} of ${plan.rounds}, ${workload.what}`);
    for (const group of round % 2 === 1 ? groups : groups.toReversed()) {
      const sample = await measure(bench, { ...task, group });
      samples[group].push(sample);
      say(`${progressLine(sample)}  ${group === GRANTED ? 'with a grant' : 'without'}`);
    }
  }
  const acknowledged = await bench.generator.acknowledged();
  await bench.servers.get('ours')!.stop();
  const proof = await prove(db, acknowledged, { seedSecret: env.SEED_SECRET, say: () => undefined });
  console.log(['Proof', ...proofLines(proof, { before, after: await countRows(db) })].join('\n'));
  if (!isProven(proof)) {
    console.log('The books do not agree with the responses, so this run has no results.');
    return 1;
  }
  console.log(
    [...workloadTable('without', samples.ours), ...workloadTable('with a grant', samples.granted)].join('\n'),
  );
  const ratio = (of: (s: Sample) => number) =>
    spreadOf(samples.granted.map(of)).median / spreadOf(samples.ours.map(of)).median;
  const speed = ratio(betsPerSecond);
  console.log(`CPU per bet: ${ratio(cpuPerBet).toFixed(2)} times that of players without a grant`);
  console.log(
    `${speed >= LEAST ? 'PASS' : 'FAIL'}: ${speed.toFixed(2)} of the bets/s without a grant, target >= ${LEAST}`,
  );
  return speed >= LEAST ? 0 : 1;
});
