import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { transaction } from '../../../platform/database/db.ts';
import { lockPlayers } from '../../base/players/service.ts';
import { noPlay, type Play, recordUsage, rollPeriods } from '../../compliance/gate/rules.ts';
import { playSince } from './versions.ts';

const app = fixture(() => startApp({ reconcileOnStop: false }));

type Bet = { at: number; staked: bigint; paid: bigint; settledAt?: number | null; status?: string };

/** Inserts bets into the table, without ledger postings. */
async function insert(userId: number, bets: readonly Bet[]): Promise<void> {
  const time = (ms: number | null | undefined, usual: number) =>
    ms === null ? null : new Date(ms ?? usual).toISOString();
  const values = bets.map(({ at, staked, paid, settledAt, status = 'SETTLED' }) => [
    time(at, at),
    String(staked),
    String(paid),
    time(settledAt, at),
    status,
  ]);
  await sql`insert into bets (id, amount, payout, usd_amount, usd_payout, usd_rate, user_id, game_id, status, currency_id, created_at, settled_at)
    select nextval('ledger_ids'), 1, 0, (v->>1)::int8, (v->>2)::int8, 1, ${userId}::int, 1, v->>4, 'USDT', (v->>0)::timestamptz, (v->>3)::timestamptz
    from jsonb_array_elements(${JSON.stringify(values)}::jsonb) with ordinality as t(v, n) order by n`.execute(
    app.db,
  );
}

const since = (userId: number, at: Date): Promise<Play> =>
  transaction(app.db, async (tx) => {
    await lockPlayers(tx, [userId]);
    return playSince(tx, userId, at);
  });

/** Returns the usage that the gate would have recorded if it had counted these bets one by one. */
const counted = (bets: readonly Bet[], at: Date): Play =>
  rollPeriods(
    bets.reduce(
      (play, bet) => recordUsage(play, { ...bet, at: new Date(bet.at) }),
      noPlay(new Date(bets[0]?.at ?? at.getTime())),
    ),
    at,
  );

const DAY = 86_400_000;

test('computes the same usage before the first limit as the gate in 60 random histories', async () => {
  const gap = fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: 0, max: 900_000 }) },
    { weight: 3, arbitrary: fc.integer({ min: 0, max: DAY }) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 20 * DAY }) },
  );
  const bet = fc.record({ gap, staked: fc.bigInt(1n, 10n ** 11n), paid: fc.bigInt(0n, 10n ** 11n) });
  const moment = fc.constantFrom('2026-11-30T23:50:00Z', '2026-12-01T00:00:00Z', '2026-11-23T00:01:00Z');
  await fc.assert(
    fc.asyncProperty(fc.array(bet, { maxLength: 60 }), moment, async (steps, text) => {
      const at = new Date(text);
      const { id } = await app.newPlayer();
      let time = at.getTime();
      const bets = steps.map(({ gap: before, ...rest }) => {
        time -= before;
        return { at: time, ...rest };
      });
      bets.reverse();
      await insert(id, bets);
      const { lastAt, ...play } = rollPeriods(await since(id, at), at);
      const { lastAt: due, ...expected } = counted(bets, at);
      expect(play).toEqual(expected);
      expect(lastAt).toEqual(due);
    }),
    { seed: 25, numRuns: 60 },
  );
});

test('reads each of 1,500 recent bets once, and at most one batch of the 20,000 older bets', async () => {
  const { id } = await app.newPlayer();
  const at = new Date('2026-11-21T12:00:00Z');
  const old = Array.from({ length: 20_000 }, (_, i) => ({
    at: at.getTime() - 60 * DAY + i * 100,
    staked: 1n,
    paid: 0n,
  }));
  const recent = Array.from({ length: 1500 }, (_, i) => ({
    at: at.getTime() - 1500 * 1000 + i * 1000,
    staked: BigInt(i + 1),
    paid: BigInt(i % 7),
  }));
  await insert(id, old);
  await insert(id, recent);
  await sql`analyze bets`.execute(app.db);
  const fetched = async () => {
    await sql`select pg_stat_force_next_flush()`.execute(app.db);
    const { rows } = await sql<{ n: bigint; s: bigint }>`
      select idx_tup_fetch as n, seq_tup_read as s from pg_stat_user_tables where relname = 'bets'`.execute(
      app.db,
    );
    return Number(rows[0]!.n) + Number(rows[0]!.s);
  };
  const all = () => new Promise((resolve) => setTimeout(resolve, 1100));
  await all();
  const before = await fetched();
  const play = await since(id, at);
  await all();
  expect(rollPeriods(play, at)).toEqual(counted([...old, ...recent], at));
  expect((await fetched()) - before).toBeLessThanOrEqual(3100);
});

test('ignores rolled-back bets, counts open stakes, and counts late payouts when they are paid', async () => {
  const { id } = await app.newPlayer();
  const at = new Date('2026-11-21T12:00:00Z');
  const midnight = Date.parse('2026-11-21T00:00:00Z');
  await insert(id, [
    { at: midnight - 5000, staked: 100n, paid: 40n, settledAt: midnight + 5000 },
    { at: midnight + 1000, staked: 7n, paid: 0n, settledAt: null, status: 'CREATED' },
    { at: midnight + 2000, staked: 1000n, paid: 900n, status: 'ROLLBACK' },
    { at: midnight + 3000, staked: 20n, paid: 5n },
  ]);
  const { DAY: day, WEEK: week } = await since(id, at);
  expect(day).toMatchObject({ staked: 27n, paid: 45n });
  expect(week).toMatchObject({ staked: 127n, paid: 45n });
  const nobody = await app.newPlayer();
  expect(await since(nobody.id, at)).toEqual(noPlay(at));
});
