/** Compares the results of random concurrent operations of many players with a very simple model of balances, in commit order. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { formatUnits, units } from '../src/platform/money.ts';
import { seeded } from './crash/load.ts';
import { type Answer, DICE, type Player, startApp, type TestApp } from './kit/app.ts';
import { times } from './kit/length.ts';
import { letOneAdjust } from './kit/money/adjustments.ts';

const OPERATIONS = times('MODEL_OPERATIONS', 1500, 20_000);
const PLAYERS = 12;
const CLIENTS = 48;
const ADDRESS = 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8';

type Kind = 'bet' | 'toVault' | 'fromVault' | 'withdraw' | 'cancel' | 'set';
type Done = { kind: Kind; player: Player; amount: string; answer: Answer };
type Line = { kind: string; amount: bigint; debit: number; credit: number; entry: bigint };

let app: TestApp;
let second: TestApp;
let boss: Player;
let players: Player[] = [];
beforeAll(async () => {
  const env = {
    DATABASE_STATEMENT_TIMEOUT_MS: '20000',
    DATABASE_CONNECT_TIMEOUT_MS: '20000',
    BET_DEADLINE_MS: '20000',
  };
  app = await startApp({ env });
  await letOneAdjust(app);
  second = await startApp({ database: app.database, env });
  boss = await app.as('superadmin');
  const body = { maxOpenPerUser: 20, minUsd: '0.01' };
  expect((await boss.call('PATCH', '/admin/config/WITHDRAWALS', { body })).status).toBe(200);
});
beforeEach(async () => {
  withdrawals.clear();
  players = await Promise.all(Array.from({ length: PLAYERS }, () => app.newPlayer({ usdt: 60 })));
});
afterAll(async () => {
  await second.stop();
  await app.stop();
});

const random = seeded(20_261_121);
const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!;

const REQUESTS: Record<Kind, (player: Player, amount: string, call: TestApp['call']) => Promise<Answer>> = {
  bet: ({ token }, betAmount, call) =>
    call('POST', '/casino/games/house/dice/bet', { token, body: { ...DICE, betAmount } }),
  toVault: ({ token }, amount, call) =>
    call('POST', '/accounting/to-vault', { token, body: { currencyId: 'USDT', amount } }),
  fromVault: ({ token }, amount, call) =>
    call('POST', '/accounting/from-vault', { token, body: { currencyId: 'USDT', amount } }),
  withdraw: ({ token }, amount, call) =>
    call('POST', '/payments/withdraw', {
      token,
      body: { currencyId: 'USDT', networkId: 'tron', amount, recipientAddress: ADDRESS },
    }),
  cancel: ({ token, id }, _, call) =>
    call('POST', '/payments/withdraw/cancel', { token, body: { id: pick(open(id)) } }),
  set: ({ id }, balance, call) =>
    call('PUT', `/admin/user/${id}/balance`, {
      token: boss.token,
      body: { currencyId: 'USDT', balance },
      headers: { 'idempotency-key': randomUUID() },
    }),
};

const withdrawals = new Map<number, string[]>();
const open = (userId: number): string[] => withdrawals.get(userId) ?? ['none'];

async function operate(): Promise<Done> {
  const chance = random();
  const kind: Kind =
    chance < 0.4
      ? 'bet'
      : chance < 0.6
        ? 'toVault'
        : chance < 0.75
          ? 'fromVault'
          : chance < 0.87
            ? 'withdraw'
            : chance < 0.97
              ? 'cancel'
              : 'set';
  const player = pick(players);
  const [least, most] = kind === 'withdraw' ? [500, 2000] : kind === 'set' ? [1, 6000] : [1, 1500];
  const amount = String((least + Math.floor(random() * (most - least))) / 100);
  const answer = await REQUESTS[kind](player, amount, pick([app, second]).call);
  if (kind === 'withdraw' && answer.status === 201)
    withdrawals.set(player.id, [...(withdrawals.get(player.id) ?? []), answer.body.id]);
  return { kind, player, amount, answer };
}

type State = { cash: bigint; vault: bigint; hold: bigint };
const ACCOUNTS: Readonly<Record<number, keyof State>> = { 1: 'cash', 2: 'vault', 4: 'hold' };

/** Returns the states of a player: the empty account, then the state after each posting. Throws if a balance is negative. */
function replay(lines: readonly Line[]): State[] {
  const states: State[] = [{ cash: 0n, vault: 0n, hold: 0n }];
  for (const { amount, debit, credit } of lines) {
    const next = { ...states.at(-1)! };
    const [from, to] = [ACCOUNTS[debit], ACCOUNTS[credit]];
    if (from) next[from] -= amount;
    if (to) next[to] += amount;
    if (next.cash < 0n || next.vault < 0n || next.hold < 0n) throw new Error('below zero');
    states.push(next);
  }
  return states;
}

const REFUSALS =
  /^(400 INSUFFICIENT_(BALANCE|VAULT)|404 WITHDRAWAL_NOT_FOUND|409 (WITHDRAWAL_NOT_CANCELLABLE|TOO_MANY_WITHDRAWALS))$/;
const sorted = (all: readonly string[]) => all.toSorted();

test(
  `matches a model in commit order after ${OPERATIONS} random operations by ${PLAYERS} players in two processes`,
  async () => {
    const done: Done[] = [];
    let left = OPERATIONS;
    await Promise.all(
      Array.from({ length: CLIENTS }, async () => {
        while (left-- > 0) done.push(await operate());
      }),
    );
    const said = done.map(({ answer: { status, body } }) =>
      status < 300 ? 'done' : `${status} ${body.code}`,
    );
    // A slow machine rejects a few operations with 503. They must change nothing either.
    const isOverload = ({ answer }: Done) => answer.status === 503;
    expect(done.filter(isOverload).length).toBeLessThan(OPERATIONS / 20);
    expect(
      new Set(said.filter((one) => one !== 'done' && !REFUSALS.test(one) && !/^503 /.test(one))),
    ).toEqual(new Set());
    // Expects that each kind of operation was accepted at least once and rejected at least once. Only the staff operation is never
    // rejected.
    const ways = new Set(
      done.filter((one) => !isOverload(one)).map(({ kind, answer }) => `${kind} ${answer.status < 300}`),
    );
    expect(ways.size).toBe(2 * Object.keys(REQUESTS).length - 1);
    for (const player of players)
      await check(
        player,
        done.filter((one) => one.player === player),
      );
  },
  60_000 + OPERATIONS * 15,
);

async function check(player: Player, done: readonly Done[]): Promise<void> {
  const { rows } = await sql<Line>`
    select kind, amount, debit, credit, entry_id as entry from ledger_lines where user_id = ${player.id} order by id`.execute(
    app.db,
  );
  const states = replay(rows);
  const accepted = (kind: Kind) => done.filter((one) => one.kind === kind && one.answer.status < 300);
  const after = (kind: string, of: (line: Line, state: State) => string) =>
    sorted(rows.flatMap((line, i) => (line.kind === kind ? [of(line, states[i + 1]!)] : [])));

  for (const [kind, name] of [
    ['toVault', 'vault.to'],
    ['fromVault', 'vault.from'],
  ] as const)
    expect(
      sorted(
        accepted(kind).map(
          ({ answer: { body } }) => `${body.amount} ${body.afterBalance} ${body.afterVaultBalance}`,
        ),
      ),
    ).toEqual(after(name, ({ amount }, { cash, vault }) => [amount, cash, vault].map(formatUnits).join(' ')));
  const bets = accepted('bet').map(({ answer: { body } }) => body);
  expect(sorted(bets.map(({ betId, betAmount }) => `${betId} ${betAmount}`))).toEqual(
    after('bet.stake', ({ entry, amount }) => `${entry} ${formatUnits(amount)}`),
  );
  expect(
    sorted(bets.filter(({ didWin }) => didWin).map(({ betId, payout }) => `${betId} ${payout}`)),
  ).toEqual(after('bet.payout', ({ entry, amount }) => `${entry} ${formatUnits(amount)}`));
  expect(sorted(accepted('withdraw').map(({ amount }) => formatUnits(units(amount))))).toEqual(
    after('withdraw.hold', ({ amount }) => formatUnits(amount)),
  );
  expect(accepted('cancel').length).toBe(after('withdraw.release', () => '').length);
  // An adjustment to the current balance posts nothing, so not every target has a posting.
  const targets = new Set(accepted('set').map(({ amount }) => formatUnits(units(amount))));
  for (const cash of after('admin.adjustment', (_, state) => formatUnits(state.cash)))
    expect(targets).toContain(cash);
  // If an operation was rejected, the balance in the error must be one that the player had at some moment, and it must be too low for the
  // operation.
  for (const { amount, answer } of done.filter((one) => /INSUFFICIENT/.test(one.answer.body?.code))) {
    const account = answer.body.code === 'INSUFFICIENT_VAULT' ? 'vault' : 'cash';
    const available = units(answer.body.details.available);
    expect(states.some((state) => state[account] === available)).toBe(true);
    expect(available).toBeLessThan(units(amount));
  }
  const { body: shown } = await player.call('GET', '/accounting/balances');
  expect(units(shown.find((b: { currencyId: string }) => b.currencyId === 'USDT').amount)).toBe(
    states.at(-1)!.cash,
  );
}
