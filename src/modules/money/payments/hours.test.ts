/** Compares hourly payment sums and first depositors with a reference model after random deposits, reversals, failures and withdrawals. */
import fc from 'fast-check';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { type Player, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { isFull } from '../../../../test/kit/length.ts';
import { aHash, giveAddress, tell, webhookOf } from '../../../../test/kit/money/deposits.ts';
import { rowOf, withdraw } from '../../../../test/kit/money/withdrawals.ts';
import { transaction } from '../../../platform/database/db.ts';
import { units } from '../../../platform/money.ts';
import { checks } from './checks.ts';
import { canTransition, STATUSES, type WithdrawalStatus } from './withdrawals/rules.ts';
import { lockWithdrawal, move } from './withdrawals/transition.ts';

// The credits in this file have no matching skin deposits, so reconciliation, which would report this, is off.
const app = fixture(() => startApp({ reconcileOnStop: false }));
let players: { player: Player; address: string }[];
beforeAll(async () => {
  players = await Promise.all(
    [0, 1].map(async () => {
      const player = await app.newPlayer({ usdt: 1000 });
      return { player, address: await giveAddress(app.db, player.id) };
    }),
  );
});

const PAID = ['SENT', 'COMPLETED', 'PROCESSING', 'UNKNOWN_OUTCOME'];
const REPORTS = ['DETECTED', 'FAILED', 'EXPIRED', 'COMPLETED', 'COMPLETED', 'REVERSED', 'PARTIALLY_PAID'];

type Step =
  | { kind: 'credit'; who: number; amount: bigint; currencyId: string; hour: number }
  | { kind: 'reverse'; which: number }
  | { kind: 'report'; who: number; coins: number; status: string; amount: number }
  | { kind: 'ask'; who: number; networkId: string }
  | { kind: 'move'; which: number; to: WithdrawalStatus };

const who = fc.nat(1);
const which = fc.nat(50);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('credit' as const),
      who,
      amount: fc.bigInt(1n, 10n ** 9n),
      currencyId: fc.constantFrom('USDT', 'BTC'),
      hour: fc.nat(3),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('reverse' as const), which }) },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('report' as const),
      who,
      coins: fc.nat(3),
      status: fc.constantFrom(...REPORTS),
      amount: fc.integer({ min: 5, max: 50 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('ask' as const), who, networkId: fc.constant('tron') }),
  },
  {
    weight: 8,
    arbitrary: fc.record({ kind: fc.constant('move' as const), which, to: fc.constantFrom(...STATUSES) }),
  },
);

type Run = { credits: string[]; withdrawals: string[]; coins: Map<string, object> };
let n = 0;

async function take(s: Step, run: Run): Promise<void> {
  if (s.kind === 'credit') await credit(s, run);
  else if (s.kind === 'reverse') await reverse(s, run);
  else if (s.kind === 'report') await report(s, run);
  else if (s.kind === 'ask') await ask(s, run);
  else await moveOne(s, run);
}

async function credit({ who: i, amount, currencyId, hour }: Extract<Step, { kind: 'credit' }>, run: Run) {
  const key = `test:${++n}`;
  const at = new Date(Date.UTC(2026, 4, 1, 10 + hour, 59, 59));
  const order = { userId: players[i]!.player.id, currencyId, amount, usdAmount: amount / 3n, key, at };
  await transaction(app.db, (tx) => app.services.credits.credit(tx, { ...order, kind: 'skins.deposit' }));
  run.credits.push(key);
}

async function reverse({ which: i }: Extract<Step, { kind: 'reverse' }>, { credits }: Run) {
  const key = credits[i % credits.length];
  if (key === undefined) return;
  await transaction(app.db, (tx) => app.services.credits.reverse(tx, { key, at: new Date() }));
}

/** Reports the same coins repeatedly, as a provider might. */
async function report({ who: i, coins, status, amount }: Extract<Step, { kind: 'report' }>, run: Run) {
  const name = `${i}-${coins}`;
  const known = run.coins.get(name) ?? { externalId: aHash(), txHash: aHash(), amount: String(amount) };
  run.coins.set(name, known);
  const { status: answered } = await tell(app, webhookOf(players[i]!.address, { ...known, status }));
  expect(answered).toBe(200);
}

async function ask({ who: i, networkId }: Extract<Step, { kind: 'ask' }>, { withdrawals }: Run) {
  const { status, body } = await withdraw(players[i]!.player, { networkId, amount: '2' });
  if (status === 201) withdrawals.push(body.id);
}

/** Changes a withdrawal if its status allows it and the balance covers the amount to hold. */
async function moveOne({ which: i, to }: Extract<Step, { kind: 'move' }>, { withdrawals }: Run) {
  const id = withdrawals[i % withdrawals.length];
  if (id === undefined) return;
  const { status } = await rowOf(app, id);
  if (!canTransition(status as WithdrawalStatus, to)) return;
  const asked = PAID.includes(to) ? { reference: id, provider_id: 'sandbox' } : {};
  await transaction(app.db, async (tx) => move(tx, await lockWithdrawal(tx, id), { to, ...asked }));
}

const hourOf = (at: Date | string) => `${new Date(at).toISOString().slice(0, 13)}:00`;
type Change = { status: string; at: string };

/** The reference model: the players' hourly payments and first deposits. */
async function model() {
  const ids = players.map(({ player }) => player.id);
  const of = (table: 'payment_credits' | 'deposits' | 'withdrawals') =>
    app.db.selectFrom(table).selectAll().where('user_id', 'in', ids).execute() as Promise<any[]>;
  const [credits, deposits, withdrawals] = [
    await of('payment_credits'),
    await of('deposits'),
    await of('withdrawals'),
  ];
  const hours = new Map<string, bigint[]>();
  const count = (key: (string | number)[], figures: bigint[]) => {
    const name = key.join(' ');
    const before = hours.get(name) ?? [0n, 0n, 0n, 0n];
    hours.set(
      name,
      before.map((figure, i) => figure + figures[i]!),
    );
  };
  const standing = credits.filter((c) => c.reversal_entry_id === null);
  for (const c of standing) {
    const network = deposits.find((d) => d.credit_key === c.key)?.network_id ?? '-';
    const key = [hourOf(c.credited_at), 'DEPOSIT', c.currency_id, network, c.user_id];
    count(key, [1n, 0n, c.amount, c.usd_amount]);
  }
  const reached = (history: Change[], status: string) =>
    hourOf(history.findLast((c) => c.status === status)!.at);
  for (const [direction, rows] of [
    ['DEPOSIT', deposits],
    ['WITHDRAW', withdrawals],
  ] as const)
    for (const row of rows.filter(({ status }) => status === 'FAILED'))
      count(
        [reached(row.status_history, 'FAILED'), direction, row.currency_id, row.network_id, row.user_id],
        [0n, 1n, 0n, 0n],
      );
  for (const w of withdrawals.filter(({ status }) => status === 'COMPLETED'))
    count(
      [reached(w.status_history, 'COMPLETED'), 'WITHDRAW', w.currency_id, w.network_id, w.user_id],
      [1n, 0n, w.amount, w.usd_amount],
    );
  const firsts = ids.flatMap((id) => {
    const own = standing
      .filter((c) => c.user_id === id)
      .sort((a, b) => a.credited_at - b.credited_at || Number(a.entry_id - b.entry_id));
    return own.slice(0, 1).map((c) => `${id} ${c.key} ${c.amount} ${c.usd_amount}`);
  });
  return {
    hours: new Map([...hours].map(([key, figures]) => [key, figures.join(' ')])),
    firsts: new Set(firsts),
  };
}

async function stored() {
  const ids = players.map(({ player }) => player.id);
  const { rows } = await sql<{ key: string; figures: string }>`
    select concat_ws(' ', to_char(hour at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI'), direction, currency_id,
      coalesce(nullif(network_id, ''), '-'), user_id) as key, concat_ws(' ', count, failed, amount, usd_amount) as figures
    from payment_hours where user_id = any(${ids})`.execute(app.db);
  const firsts = await app.db.selectFrom('first_deposits').selectAll().where('user_id', 'in', ids).execute();
  return {
    hours: new Map(rows.map(({ key, figures }) => [key, figures])),
    firsts: new Set(firsts.map((f) => `${f.user_id} ${f.credit_key} ${f.amount} ${f.usd_amount}`)),
  };
}

test('keeps hourly sums equal to the payments after random deposits, reversals and withdrawals', async () => {
  const property = fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 40 }), async (steps) => {
    const run: Run = { credits: [], withdrawals: [], coins: new Map() };
    for (const s of steps) await take(s, run);
    expect(await stored()).toEqual(await model());
    for (const [problem, query] of Object.entries(checks.N10))
      expect((await sql.raw(query).execute(app.db)).rows, problem).toEqual([]);
  });
  await fc.assert(property, { seed: 31, numRuns: isFull ? 20 : 10 });
});

test('updates the list of first depositors when a first deposit is reversed', async () => {
  const player = await app.newPlayer();
  const pay = (key: string, at: string) =>
    transaction(app.db, (tx) =>
      app.services.credits.credit(tx, {
        userId: player.id,
        currencyId: 'USDT',
        kind: 'skins.deposit',
        key: `${player.id}:${key}`,
        at: new Date(at),
        amount: units('5'),
        usdAmount: units('5'),
      }),
    );
  const takeBack = (key: string) =>
    transaction(app.db, (tx) =>
      app.services.credits.reverse(tx, { key: `${player.id}:${key}`, at: new Date() }),
    );
  const first = async () => {
    const row = await app.db
      .selectFrom('first_deposits')
      .select('credit_key')
      .where('user_id', '=', player.id)
      .executeTakeFirst();
    return row?.credit_key.split(':')[1];
  };
  expect(await first()).toBeUndefined();
  await pay('second', '2026-05-01T12:00:00Z');
  expect(await first()).toBe('second');
  // The provider reported this payment after the other one, but with an earlier time.
  await pay('first', '2026-05-01T11:00:00Z');
  await pay('third', '2026-05-01T13:00:00Z');
  expect(await first()).toBe('first');
  await takeBack('first');
  expect(await first()).toBe('second');
  await takeBack('third');
  expect(await first()).toBe('second');
  await takeBack('second');
  expect(await first()).toBeUndefined();
});
