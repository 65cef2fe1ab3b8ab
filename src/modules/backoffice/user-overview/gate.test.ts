import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { betOnDice, type Player, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { grantBonus } from '../../../../test/kit/money/bonus.ts';
import { withdraw } from '../../../../test/kit/money/withdrawals.ts';
import { lockPlayers, snapshotPlayers } from '../../base/players/service.ts';

const app = fixture(startApp);
const boss = fixture(() => app.as('superadmin'));
const clerk = fixture(() => app.as({ permissions: ['user.read'] }));

const gateOf = (by: Player, { id }: { id: number | string }, query = '') =>
  by.call('GET', `/admin/users/${id}/gate${query}`);
/** Returns the codes of all reasons by action. */
async function codesOf(player: Player, query?: string): Promise<Record<string, string[]>> {
  const { body } = await gateOf(boss, player, query);
  return Object.fromEntries(
    body.actions.map(({ action, reasons }: any) => [action, reasons.map(({ code }: any) => code)]),
  );
}
const FREE = { bet: [], deposit: [], withdraw: [], bonus: [] };

test('allows everything to a player without restrictions', async () => {
  const { status, body } = await gateOf(clerk, await app.newPlayer());
  expect(status).toBe(200);
  expect(body.at).toMatch(/Z$/);
  const free = (action: string) => ({ action, isAllowed: true, reasons: [] });
  expect(body.actions).toEqual(['bet', 'deposit', 'withdraw', 'bonus'].map(free));
});

test('gives the reasons that the operations give, and changes nothing', async () => {
  const player = await app.newPlayer({ usdt: 100 });
  const body = { type: 'WAGER', period: 'DAY', amount: '0' };
  expect((await player.call('POST', '/user-limits/gambling-limits', { body })).status).toBe(201);
  await sql`insert into withdrawal_blocks (user_id, reason_public, created_by)
    values (${player.id}, 'Write to us.', ${boss.id})`.execute(app.db);
  const rows = () =>
    sql`select * from players join restrictions using (user_id) where user_id = ${player.id}`.execute(app.db);
  const before = (await rows()).rows;
  const codes = await codesOf(player);
  expect((await rows()).rows).toEqual(before);
  expect(codes.bet).toEqual([(await betOnDice(player)).body.code]);
  expect(codes.withdraw![0]).toBe((await withdraw(player)).body.code);
  const { reasons } = (await gateOf(boss, player)).body.actions[2];
  expect(reasons[0]).toEqual({
    code: 'WITHDRAWAL_BLOCKED',
    sentence: 'Withdrawals are blocked indefinitely. The player reads: Write to us.',
    details: { reasonPublic: 'Write to us.', blockUntil: null },
  });
});

test('neither waits for a lock on the player nor takes one', async () => {
  const player = await app.newPlayer();
  await app.db.transaction().execute(async (tx) => {
    await lockPlayers(tx, [player.id]);
    expect(await codesOf(player)).toEqual(FREE);
  });
  await expect(app.db.transaction().execute((tx) => snapshotPlayers(tx, [player.id]))).rejects.toThrow(
    'only a read-only snapshot',
  );
});

test('hides details from staff without the permission for them', async () => {
  const player = await app.newPlayer();
  const until = new Date(Date.now() + 86_400_000);
  await sql`insert into restrictions (user_id, excluded_until, play_from) values (${player.id}, ${until}, ${until})`.execute(
    app.db,
  );
  await sql`update players set is_restricted = true where user_id = ${player.id}`.execute(app.db);
  expect(await codesOf(player)).toEqual({
    ...FREE,
    bet: ['SELF_EXCLUDED'],
    deposit: ['SELF_EXCLUDED'],
    bonus: ['SELF_EXCLUDED'],
  });
  const [full] = (await gateOf(boss, player)).body.actions[0].reasons;
  expect(full.details).toEqual({ until: until.toISOString() });
  const [masked] = (await gateOf(clerk, player)).body.actions[0].reasons;
  expect(masked).toMatchObject({ code: 'SELF_EXCLUDED', details: null });
  expect(masked.sentence).not.toContain('20');
});

test('names the promotion of an active bonus, and not to staff without the permission for wagering', async () => {
  const player = await app.newPlayer({ usdt: 100 });
  const grantId = await grantBonus(app, player, { amount: '10', required: '300' });
  const { name } = await app.db
    .selectFrom('promo_grants')
    .select('name')
    .where('id', '=', grantId)
    .executeTakeFirstOrThrow();
  const reasonFor = async (by: Player) => (await gateOf(by, player)).body.actions[2].reasons[0];
  const due = { code: 'ROLLOVER_OPEN', details: { grantId: String(grantId), wagerRemaining: '300' } };
  const full = await reasonFor(boss);
  expect(full).toMatchObject(due);
  expect(full.sentence).toBe(`The player must first wager another 300 USDT for the bonus “${name}”.`);
  expect(await reasonFor(clerk)).toEqual({
    code: 'ROLLOVER_OPEN',
    sentence: 'The player must first finish the wagering of their deposits or of an active bonus.',
    details: null,
  });
});

test('reports a ban for every action', async () => {
  const player = await app.newPlayer();
  await boss.call('PATCH', `/admin/user/${player.id}/ban`, { body: { banReason: 'a test' } });
  const due = ['USER_BANNED'];
  expect(await codesOf(player)).toEqual({ bet: due, deposit: due, withdraw: due, bonus: due });
});

test('rejects unknown users and currencies, and callers without user.read', async () => {
  const player = await app.newPlayer();
  const codeOf = async (by: Player, id: number | string, query?: string) => {
    const { status, body } = await gateOf(by, { id }, query);
    return `${status} ${body.code}`;
  };
  for (const id of [2_000_000_000, 'x', 0]) expect(await codeOf(boss, id)).toBe('404 USER_NOT_FOUND');
  expect(await codeOf(boss, player.id, '?currencyId=NONE')).toBe('404 CURRENCY_NOT_FOUND');
  expect(await codeOf(boss, player.id, '?currency=BTC')).toBe('400 VALIDATION_FAILED');
  expect(await codeOf(player, player.id)).toBe('403 FORBIDDEN');
  expect(await codeOf(await app.as({ permissions: ['limit.read'] }), player.id)).toBe('403 FORBIDDEN');
  expect((await app.call('GET', `/admin/users/${player.id}/gate`)).status).toBe(401);
});
