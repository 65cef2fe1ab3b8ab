/** Concurrent provider calls: each id is booked once, and limits and balances stay correct despite failures. */
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { betOnDice, cashOf, startApp } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import {
  back,
  bet,
  GENERIC,
  HUB88,
  openLab,
  type Said,
} from '../../../../../test/kit/games/provider-wallet.ts';
import { until } from '../../../../../test/kit/until.ts';

const one = fixture(() => startApp());
const ONE = 100_000_000n;
const times = <T>(n: number, of: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => of(i));
const booked = async (userId: number) =>
  (
    await sql<{
      n: number;
    }>`select count(*)::int as n from provider_transactions where user_id = ${userId}`.execute(one.db)
  ).rows[0]!.n;

test('books 200 identical concurrent calls only once and returns identical responses', async () => {
  const lab = await openLab(one, GENERIC);
  const { player, call } = await lab.seat(100);
  const answers = await Promise.all(times(200, () => call([bet('one', 10)])));
  expect(new Set(answers.map(({ status, balance }) => `${status} ${balance}`))).toEqual(
    new Set([`OK ${90n * ONE}`]),
  );
  expect(new Set(answers.map(({ actions }) => actions[0]!.transactionId)).size).toBe(1);
  expect(answers.filter(({ isRepeated }) => !isRepeated)).toHaveLength(1);
  expect([await cashOf(player), await booked(player.id)]).toEqual(['90', 1]);
});

test('leaves the balance unchanged after 1,000 concurrent pairs of a bet and its rollback', {
  timeout: 240_000,
}, async () => {
  const lab = await openLab(one, HUB88);
  const { player, call } = await lab.seat(100);
  for (let turn = 0; turn < 20; turn++)
    await Promise.all(
      times(50, (i) => {
        const [id, round] = [`b${turn}-${i}`, `r${turn}-${i}`];
        // In every second round the bet is sent first, in the others the rollback.
        const calls = [() => call([bet(id, 1)], { round }), () => call([back(`x${id}`, id)], { round })];
        return Promise.all((i % 2 ? calls : calls.reverse()).map((send) => send()));
      }),
    );
  expect(await cashOf(player)).toBe('100');
  const open =
    await sql`select 1 from provider_rounds where user_id = ${player.id} and status = 'OPEN'`.execute(one.db);
  expect(open.rows).toEqual([]);
});

test('accepts a transaction id for only one player, and returns a conflict to other players', async () => {
  const lab = await openLab(one, GENERIC);
  const seats = await Promise.all(times(20, () => lab.seat(10)));
  const answers = await Promise.all(seats.map(({ call }) => call([bet('shared', 1)])));
  expect(answers.map(({ status }) => status).sort()).toEqual([
    'OK',
    ...times(19, () => 'TRANSACTION_CONFLICT'),
  ]);
});

test('applies a wager limit to the total of house bets and callbacks', async () => {
  const lab = await openLab(one, GENERIC);
  const { player, call } = await lab.seat(1000);
  await player.call('POST', '/user-limits/gambling-limits', {
    body: { type: 'WAGER', period: 'DAY', amount: '10' },
  });
  const codes = await Promise.all([
    ...times(100, async (i) => (await call([bet(`l${i}`, 1)], { round: `l${i}` })).status),
    ...times(100, async () => {
      const { status, body } = await betOnDice(player, { betAmount: '1' });
      return status === 201 ? 'OK' : body.code;
    }),
  ]);
  expect(codes.filter((code) => code === 'OK')).toHaveLength(10);
  expect(new Set(codes)).toEqual(new Set(['OK', 'LIMIT_EXCEEDED', 'LIMIT_REACHED']));
});

test('spends money only once when a callback and a house bet compete for it', async () => {
  const lab = await openLab(one, GENERIC);
  const { player, call } = await lab.seat(5);
  await Promise.all([
    ...times(20, (i) => call([bet(`m${i}`, 1)], { round: `m${i}` })),
    ...times(20, () => betOnDice(player, { betAmount: '1', target: 9999 })),
  ]);
  expect(Number(await cashOf(player))).toBeGreaterThanOrEqual(0);
});

test('books no bet after a ban has been committed', async () => {
  const lab = await openLab(one, GENERIC);
  const { player, call } = await lab.seat(1000);
  const staff = await one.as('superadmin');
  let isBanned = false;
  const late: string[] = [];
  const callers = times(50, async (i) => {
    for (let n = 0; n < 20; n++) {
      const began = isBanned;
      const { status } = await call([bet(`n${i}-${n}`, 1)], { round: `n${i}-${n}` });
      if (began && status === 'OK') late.push(`n${i}-${n}`);
      if (status === 'PLAYER_BLOCKED') return;
    }
  });
  const banned = await staff.call('PATCH', `/admin/user/${player.id}/ban`, { body: {} });
  expect(banned.status, JSON.stringify(banned.body)).toBeLessThan(300);
  isBanned = true;
  await Promise.all(callers);
  expect(late).toEqual([]);
  expect((await call([bet('after', 1)])).status).toBe('PLAYER_BLOCKED');
});

test('books repeated calls only once when connections break at any time, including during COMMIT', {
  timeout: 240_000,
}, async () => {
  const lab = await openLab(one, HUB88);
  const seats = await Promise.all(times(8, () => lab.seat(1000)));
  let isOver = false;
  const breaking = (async () => {
    while (!isOver) {
      // Closes only some of the connections each time. Otherwise a call that takes longer than the pause would never finish.
      await sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()
        and pid <> pg_backend_pid() and (query like '%provider_%' or query in ('begin', 'commit')) and random() < 0.3`
        .execute(one.db)
        .catch(() => undefined);
      await new Promise((done) => setTimeout(done, 15));
    }
  })();
  const repeated = async (send: () => Promise<{ status: string }>) => {
    let tries = 0;
    await until(async () => {
      tries++;
      return (await send()).status === 'OK';
    });
    return tries;
  };
  const playRounds = (turn: number) =>
    Promise.all(
      seats.flatMap(({ call }, seat) =>
        times(15, async (i) => {
          const round = `p${turn}-${seat}-${i}`;
          const bets = await repeated(() => call([bet(`b${round}`, 2)], { round }));
          const said: Said = { type: 'WIN', id: `w${round}`, amount: ONE, reference: `b${round}` };
          return bets + (await repeated(() => call([said], { round, closes: true })));
        }),
      ),
    );
  // Repeats until a closed connection interrupts a call. On a fast machine, statements may finish before the connection is closed.
  let turns = 0;
  try {
    for (let wasRepeated = false; !wasRepeated; turns++)
      wasRepeated = (await playRounds(turns)).some((tries) => tries > 2);
  } finally {
    isOver = true;
    await breaking;
  }
  for (const { player } of seats)
    expect([await cashOf(player), await booked(player.id)]).toEqual([String(1000 - 15 * turns), 30 * turns]);
});

test('moves a win that would exceed the maximum balance to suspense once, and leaves the balance unchanged', async () => {
  const lab = await openLab(one, GENERIC);
  const { player, call } = await lab.seat(100);
  const most = 2n ** 63n - 1n;
  const said: Said[] = ['WIN', 'JACKPOT'].map((type) => ({ type, id: `most-${type}`, amount: most }) as Said);
  expect((await call([bet('q1', 1)])).status).toBe('OK');
  for (const report of [...said, ...said])
    expect(await call([report])).toMatchObject({ status: 'OK', balance: 99n * ONE });
  expect([await cashOf(player), await booked(player.id)]).toEqual(['99', 3]);
  const findings = await one.db
    .selectFrom('provider_findings')
    .select('kind')
    .where('user_id', '=', player.id)
    .execute();
  expect(findings).toEqual([{ kind: 'SUSPENSE' }, { kind: 'SUSPENSE' }]);
});
