import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Answer, betOnDice, cashOf, type Player, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { letOneAdjust } from '../../../../test/kit/money/adjustments.ts';

const app = fixture(startApp);
const boss = fixture(() => app.as('superadmin'));
beforeAll(async () => {
  await letOneAdjust(app);
});

const codeOf = ({ status, body }: Answer) => `${status} ${body?.code ?? ''}`.trim();
const set = (
  { id }: { id: number },
  balance: unknown,
  { currencyId = 'USDT', key, by = boss }: { currencyId?: string; key?: string; by?: Player } = {},
) =>
  by.call('PUT', `/admin/user/${id}/balance`, {
    body: { balance, currencyId },
    headers: key ? { 'idempotency-key': key } : {},
  });
/** Returns a player's adjustments, oldest first. Positive amounts are credits. */
const adjustments = async (id: number) => {
  const rows = await app.db
    .selectFrom('ledger_lines')
    .innerJoin('ledger_entries', 'ledger_entries.id', 'ledger_lines.entry_id')
    .select(['amount', 'credit', 'actor_id', 'memo', 'ledger_entries.kind'])
    .where('user_id', '=', id)
    .where('ledger_lines.kind', '=', 'admin.adjustment')
    .orderBy('ledger_lines.id')
    .execute();
  return rows.map(({ credit, amount, actor_id, memo }) => ({
    change: credit === 1 ? amount : -amount,
    actor_id,
    memo,
  }));
};
const audits = async (id: number) => {
  const rows = await app.db
    .selectFrom('admin_audit')
    .select(['status_code', 'before', 'after'])
    .where('path', '=', `/admin/user/${id}/balance`)
    .orderBy('id')
    .execute();
  return rows.map(({ status_code, before, after }) => [status_code, before, after]);
};

test('raises, lowers and zeroes cash through audited adjustments, and posts nothing if the balance already has the target value', async () => {
  const player = await app.newPlayer({ usdt: 10 });
  for (const target of ['25.5', '25.50', '3.000001', '0', '0.0']) {
    const answer = await set(player, target);
    expect([answer.status, answer.text]).toEqual([200, '']);
    expect(Number(await cashOf(player))).toBe(Number(target));
  }
  expect(await adjustments(player.id)).toEqual([
    { change: 1_550_000_000n, actor_id: boss.id, memo: 'cash set from 10 to 25.5' },
    { change: -2_249_999_900n, actor_id: boss.id, memo: 'cash set from 25.5 to 3.000001' },
    { change: -300_000_100n, actor_id: boss.id, memo: 'cash set from 3.000001 to 0' },
  ]);
  const step = (before: string, after: string) => [
    200,
    { currencyId: 'USDT', balance: before },
    { currencyId: 'USDT', balance: after },
  ];
  expect(await audits(player.id)).toEqual([
    step('10', '25.5'),
    step('25.5', '25.5'),
    step('25.5', '3.000001'),
    step('3.000001', '0'),
    step('0', '0'),
  ]);
  await set(player, '0.00000001', { currencyId: 'BTC' });
  expect(await cashOf(player, 'BTC')).toBe('0.00000001');
});

test('changes only cash, even for a banned player', async () => {
  const player = await app.newPlayer({ usdt: 10 });
  await player.call('POST', '/accounting/to-vault', { body: { currencyId: 'USDT', amount: '4' } });
  expect((await boss.call('PATCH', `/admin/user/${player.id}/ban`, { body: {} })).status).toBe(200);
  expect(codeOf(await set(player, '1'))).toBe('200');
  const wallet = await app.db
    .selectFrom('wallets')
    .select(['cash', 'vault'])
    .where('user_id', '=', player.id)
    .execute();
  expect(wallet).toEqual([{ cash: 100_000_000n, vault: 400_000_000n }]);
});

test('posts the difference between the target and the locked balance during 100 concurrent bets, without losing a bet', async () => {
  const player = await app.newPlayer({ usdt: 1000 });
  const bets = Array.from({ length: 100 }, async () => (await betOnDice(player)).status);
  const sets = ['500', '750', '200'].map((target) => set(player, target));
  expect((await Promise.all(sets)).map(codeOf)).toEqual(['200', '200', '200']);
  expect(await Promise.all(bets)).toEqual(Array(100).fill(201));
  for (const [, before, after] of await audits(player.id)) {
    const entries = await adjustments(player.id);
    const [from, to] = [before, after].map((side: any) => side.balance);
    expect(entries.map((e) => e.memo)).toContain(`cash set from ${from} to ${to}`);
  }
  for (const { change, memo } of await adjustments(player.id)) {
    const [, from, to] = /from (\S+) to (\S+)/.exec(memo!)!;
    expect(Number(change) / 1e8).toBeCloseTo(Number(to) - Number(from), 8);
  }
  await app.assertInvariants();
});

describe('Idempotency-Key', () => {
  test('sets the balance once per key, and rejects the key with a different input', async () => {
    const player = await app.newPlayer({ usdt: 10 });
    const key = randomUUID();
    const answers = await Promise.all(Array.from({ length: 5 }, () => set(player, '20', { key })));
    expect(answers.map(codeOf)).toEqual(Array(5).fill('200'));
    await set(player, '5');
    expect(codeOf(await set(player, '20', { key }))).toBe('200');
    expect(await cashOf(player)).toBe('5');
    expect(codeOf(await set(player, '21', { key }))).toBe('409 IDEMPOTENCY_KEY_REUSED');
    expect(codeOf(await set(await app.newPlayer(), '20', { key }))).toBe('409 IDEMPOTENCY_KEY_REUSED');
    expect(await adjustments(player.id)).toHaveLength(2);
  });
});

test('sets and audits the balance once for 100 calls with one key, and twice for two calls without a key', async () => {
  const player = await app.newPlayer({ usdt: 10 });
  const key = randomUUID();
  const answers = await Promise.all(Array.from({ length: 100 }, () => set(player, '20', { key })));
  expect(answers.map(codeOf)).toEqual(Array(100).fill('200'));
  expect(await adjustments(player.id)).toHaveLength(1);
  await Promise.all([set(player, '30'), set(player, '40')]);
  expect(await adjustments(player.id)).toHaveLength(3);
  const changes = (await audits(player.id)).filter(([, , after]) => after !== null);
  expect(changes).toHaveLength(3);
});

test('lets a player win bets while the balance is at its maximum', async () => {
  const player = await app.newPlayer();
  const body = { balance: '1000000000', currencyId: 'USDT', reason: 'As much as can be.' };
  const staff = [boss, await app.as('superadmin')];
  const answers = [];
  for (const { call } of staff) answers.push(await call('PUT', `/admin/user/${player.id}/balance`, { body }));
  expect(answers.map(codeOf)).toEqual(['409 APPROVAL_NEEDED', '200']);
  const bets = await Promise.all(Array.from({ length: 20 }, () => betOnDice(player)));
  expect(bets.map(codeOf)).toEqual(Array(20).fill('201'));
  await app.assertInvariants();
});

describe('invalid balance requests', () => {
  test.each([
    ['-1', '400 VALIDATION_FAILED'],
    ['1e3', '400 VALIDATION_FAILED'],
    ['', '400 VALIDATION_FAILED'],
    [5, '400 VALIDATION_FAILED'],
    ['0.0000001', '400 AMOUNT_OUT_OF_RANGE'],
    ['99999999999999', '400 VALIDATION_FAILED'],
    ['99999999999', '400 AMOUNT_OUT_OF_RANGE'],
    ['1000000000.000001', '400 AMOUNT_OUT_OF_RANGE'],
  ])('rejects a balance of %j: %s', async (balance, code) => {
    const player = await app.newPlayer({ usdt: 1 });
    expect(codeOf(await set(player, balance))).toBe(code);
    expect(await cashOf(player)).toBe('1');
  });

  test('rejects a balance with AMOUNT_OUT_OF_RANGE when its USD value overflows', async () => {
    const player = await app.newPlayer();
    const body = { balance: '1000000000', currencyId: 'BTC', reason: 'As much as can be.' };
    const answer = await boss.call('PUT', `/admin/user/${player.id}/balance`, { body });
    expect(codeOf(answer)).toBe('400 AMOUNT_OUT_OF_RANGE');
    expect(await cashOf(player)).toBe('0');
  });

  test("rejects changes to the caller's own balance, unknown users or currencies, and callers who are not superadmins", async () => {
    expect(codeOf(await set(boss, '5'))).toBe('403 OWN_ACCOUNT');
    expect(codeOf(await set({ id: 2_000_000_000 }, '5'))).toBe('404 USER_NOT_FOUND');
    const player = await app.newPlayer();
    expect(codeOf(await set(player, '5', { currencyId: 'NONE' }))).toBe('404 CURRENCY_NOT_FOUND');
    const clerk = await app.as({ permissions: ['user.read', 'user.write', 'user.ban'] });
    expect(codeOf(await set(player, '5', { by: clerk }))).toBe('403 FORBIDDEN');
    expect(codeOf(await set(player, '5', { by: player }))).toBe('403 FORBIDDEN');
    expect(await cashOf(player)).toBe('0');
    // Staff calls that are rejected are written to the audit log. Player calls that are rejected are only counted.
    expect(await audits(player.id)).toEqual([404, 403].map((status) => [status, null, null]));
  });
});
