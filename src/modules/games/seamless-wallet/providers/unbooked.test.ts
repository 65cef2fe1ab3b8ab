/** Unusual provider reports, and credits that would overflow every account. They must be stored and credited, never rejected or lost. */
import { createHmac, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { cashOf, type Player, startApp } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import { until } from '../../../../../test/kit/until.ts';
import { betConsumers } from '../../../../app/worker.ts';
import { transaction } from '../../../../platform/database/db.ts';
import { formatUnits, MAX_UNITS, units } from '../../../../platform/money.ts';
import { lockPlayers } from '../../../base/players/service.ts';
import { createSession } from '../engine/sessions.ts';

const SECRET = 'a secret of the lab';
const PROVIDER = {
  slug: 'lab',
  name: 'Lab',
  dialect: 'generic',
  apiUrl: 'http://127.0.0.1:9/api',
  operatorId: 'casino',
  secrets: [SECRET],
  launchOrigins: ['http://127.0.0.1:9'],
  currencies: [{ ours: 'USDT', code: 'USDT', decimals: 8 }],
};
const app = fixture(async () => {
  const started = await startApp({
    env: { GAME_PROVIDERS: JSON.stringify([PROVIDER]), CRM_URL: 'http://127.0.0.1:9/crm/events' },
  });
  const { id } = await started.db
    .selectFrom('game_providers')
    .select('id')
    .where('slug', '=', 'lab')
    .executeTakeFirstOrThrow();
  const game = { slug: 'lab-slot', name: 'Slot', type: 'SLOTS', external_code: 'slot', provider_id: id };
  await started.db.insertInto('games').values(game).execute();
  await started.services.catalogue.state.reload();
  return started;
});

async function send(text: string) {
  const at = Math.floor(Date.now() / 1000);
  const signature = `t=${at},v1=${createHmac('sha256', SECRET).update(`${at}.${text}`).digest('hex')}`;
  const headers = { 'content-type': 'application/json', 'x-signature': signature };
  return app.call('POST', '/webhooks/games/lab', { raw: text, headers });
}

/** Creates a player with a live session of the game and one open round for each name. */
async function seat(usdt: number, ...rounds: string[]) {
  const player = await app.newPlayer({ usdt });
  const { token } = await transaction(app.db, async (tx) => {
    await lockPlayers(tx, [player.id]);
    const { rows } = await sql<{ id: string; game: number; provider: number }>`
      select s.id, g.id as game, g.provider_id as provider from sessions s, games g where s.user_id = ${player.id} and g.slug = 'lab-slot' limit 1`.execute(
      tx,
    );
    const { id: sessionId, game: gameId, provider: providerId } = rows[0]!;
    return createSession(tx, {
      userId: player.id,
      providerId,
      gameId,
      currencyId: 'USDT',
      country: null,
      countries: null,
      device: 'DESKTOP',
      sessionId,
    });
  });
  const common = { playerId: String(player.id), currency: 'USDT', sessionToken: token, gameCode: 'slot' };
  const say = (fields: object) => send(JSON.stringify({ ...common, transactionId: randomUUID(), ...fields }));
  for (const roundId of rounds)
    expect((await say({ action: 'BET', roundId, amount: '1' })).body.status).toBe('OK');
  return { player, say };
}

const findings = async (player: Player) =>
  app.db.selectFrom('provider_findings').selectAll().where('user_id', '=', player.id).orderBy('id').execute();

test('books a win with an unknown field and counts the unknown field by name', async () => {
  const { player, say } = await seat(100, 'r1');
  const { status, body } = await say({
    action: 'WIN',
    roundId: 'r1',
    amount: '25',
    roundClosed: true,
    platform: 'mobile',
  });
  expect({ status, said: body.status }).toEqual({ status: 200, said: 'OK' });
  expect(await cashOf(player)).toBe('124');
  const metrics = await app.services.metrics.registry.metrics();
  expect(metrics).toMatch(/croupier_partner_unknown_fields_total\{partner="lab",field="platform"[^}]*\} 1/);
});

test("truncates a win to the platform's smallest unit, and reports the original amount", async () => {
  const { player, say } = await seat(100, 'r1');
  const transactionId = randomUUID();
  const win = { action: 'WIN', roundId: 'r1', transactionId, amount: '0.020000000000000001' };
  for (let i = 0; i < 2; i++) expect((await say(win)).body.status).toBe('OK');
  expect(await cashOf(player)).toBe('99.02');
  expect(await findings(player)).toMatchObject([
    { kind: 'AMOUNT_CUT', subject: transactionId, facts: { said: '0.020000000000000001' } },
  ]);
  const kept = await app.db
    .selectFrom('provider_transactions')
    .select('payload')
    .where('transaction_id', '=', transactionId)
    .executeTakeFirstOrThrow();
  expect(kept.payload).toEqual({ said: '0.020000000000000001' });
});

test('stores a report of an unknown type once, as a finding that staff can close', async () => {
  const { player, say } = await seat(100);
  const transactionId = randomUUID();
  for (let i = 0; i < 3; i++) {
    const { status, body } = await say({ action: 'TOURNAMENT_PRIZE', transactionId, amount: '5' });
    expect({ status, said: body.status }).toEqual({ status: 200, said: 'OK' });
  }
  expect(await cashOf(player)).toBe('100');
  const [finding, ...more] = await findings(player);
  expect(more).toEqual([]);
  expect(finding).toMatchObject({
    kind: 'UNBOOKED_REPORT',
    subject: transactionId,
    status: 'OPEN',
    facts: { reason: 'UNKNOWN_TYPE', type: 'TOURNAMENT_PRIZE' },
  });
  const staff = await app.as({ permissions: ['casino.read', 'casino.write'] });
  const closed = await staff.call('POST', `/admin/casino/findings/${finding!.id}/close`, {
    body: { reason: 'paid by hand' },
  });
  expect(closed.body).toMatchObject({ status: 'CLOSED', provider: 'lab' });
});

test("stores wins and house game payouts that exceed the wallet's capacity, and releases each once it fits", async () => {
  const { player, say } = await seat(100, 'r1', 'r2');
  const mines = { currencyId: 'USDT', betAmount: '10', gridCellsCount: 25, bombsCount: 1 };
  expect((await player.call('POST', '/casino/games/house/mines/play', { body: mines })).status).toBeLessThan(
    300,
  );
  const almost = formatUnits(MAX_UNITS - units(await cashOf(player)));
  expect((await say({ action: 'WIN', roundId: 'r1', amount: almost, roundClosed: true })).body.status).toBe(
    'OK',
  );
  const transactionId = randomUUID();
  for (let i = 0; i < 3; i++)
    expect(
      (await say({ action: 'WIN', roundId: 'r2', transactionId, amount: '500', roundClosed: true })).body
        .status,
    ).toBe('OK');
  expect(units(await cashOf(player))).toBe(MAX_UNITS);
  let opened = await player.call('POST', '/casino/games/house/mines/open', { body: { cellIndex: 3 } });
  expect(opened.status).toBeLessThan(300);
  opened = await player.call('POST', '/casino/games/house/mines/cash-out', { body: {} });
  expect(opened.status).not.toBe(500);

  const held = (await findings(player)).filter(({ kind }) => kind === 'SUSPENSE');
  expect(held[0]).toMatchObject({
    status: 'OPEN',
    facts: { amount: '500', currencyId: 'USDT', account: 'cash', kind: 'bet.payout' },
  });
  const superadmin = await app.as('superadmin');
  const decide = (id: bigint, what: 'apply' | 'close', body?: object) =>
    superadmin.call('POST', `/admin/casino/findings/${id}/${what}`, body ? { body } : {});
  const { id } = held[0]!;
  expect((await decide(id, 'close', { reason: 'no' })).body.code).toBe('FINDING_HOLDS_MONEY');
  expect((await decide(id, 'apply')).body).toMatchObject({
    code: 'FINDING_NOT_APPLICABLE',
    details: { status: 'BALANCE_FULL' },
  });
  const toVault = { currencyId: 'USDT', amount: '1000' };
  expect((await player.call('POST', '/accounting/to-vault', { body: toVault })).status).toBeLessThan(300);
  expect((await decide(id, 'apply')).body).toMatchObject({ status: 'APPLIED' });
  expect(units(await cashOf(player))).toBe(MAX_UNITS - units('500'));
  expect((await decide(id, 'apply')).body.code).toBe('FINDING_DECIDED');
  const back = await player.call('POST', '/accounting/from-vault', { body: toVault });
  expect(`${back.status} ${back.body.code}`).toBe('400 AMOUNT_OUT_OF_RANGE');
});

test('counts payouts whose sum exceeds 64 bits in every bet consumer', async () => {
  const { player, say } = await seat(100, 'r1', 'r2', 'r3');
  const amount = formatUnits(MAX_UNITS);
  for (const roundId of ['r1', 'r2', 'r3'])
    expect((await say({ action: 'WIN', roundId, amount, roundClosed: true })).body.status).toBe('OK');
  expect(await findings(player)).toHaveLength(3);
  const consumers = betConsumers(app.services);
  expect(consumers.map(({ name }) => name)).toEqual(expect.arrayContaining(['crm', 'game-returns']));
  for (const consumer of consumers)
    await until(async () => {
      await consumer.catchUp();
      return !(await consumer.hasNews());
    });
  const { paid } = await app.db
    .selectFrom('crm_rounds')
    .select('paid')
    .where('user_id', '=', player.id)
    .executeTakeFirstOrThrow();
  expect(paid).toBe(MAX_UNITS);
});
