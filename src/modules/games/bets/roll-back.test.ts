/** Staff rollbacks of settled bets: money, limits, statistics, permissions, and the rule that each bet is rolled back only once. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { codeOf } from '../../../../test/kit/accounts/accounts.ts';
import { betOnDice, cashOf, type Player, startApp, type TestApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { newRealPlayer } from '../../../../test/kit/games/bet-rows.ts';
import { consumeAll, countBets } from '../../../../test/kit/games/bets.ts';
import { beginRounds, endRounds } from '../../../../test/kit/games/house-rounds.ts';
import { SHIPPED_ROLES } from '../../base/access/roles/rules.ts';

// The books must balance after all rollbacks: reconcile runs when the app stops.
const app = fixture(startApp);
const clerk = fixture(() => app.as({ permissions: ['bet.rollback', 'audit.read'] }));

const REASON = 'The provider voided the round.';
const rollBack = (betId: string, who: Pick<TestApp, 'call'> = clerk, headers = {}) =>
  who.call('POST', `/admin/bets/${betId}/rollback`, { body: { reason: REASON }, headers });
const mine = async (player: Player) => (await player.call('GET', '/user/me/stats')).body;
const consume = async () => {
  await consumeAll(app);
  await countBets(app, 'game-returns', app.services.returns);
};

/** Places dice bets until the result of a bet is `didWin`. */
async function play(player: Player, didWin: boolean) {
  for (;;) {
    const [before, stats] = [await cashOf(player), await mine(player)];
    const { status, body } = await betOnDice(player);
    expect(status).toBe(201);
    if (body.didWin === didWin) return { before, stats, id: body.betId as string };
  }
}

describe('POST /admin/bets/{betId}/rollback', () => {
  test.each([
    ['won', true, false],
    ['lost', false, false],
    ['won and was counted', true, true],
    ['lost and was counted', false, true],
  ])('restores money, limits and statistics for a bet that was %s', async (_, didWin, isCounted) => {
    const player = await app.newPlayer({ usdt: 100 });
    await play(player, !didWin);
    const bet = await play(player, didWin);
    if (isCounted) await consume();
    const { status, body: row } = await rollBack(bet.id);
    expect([status, row]).toMatchObject([201, { id: bet.id, status: 'ROLLBACK', userId: player.id }]);
    expect(await cashOf(player)).toBe(bet.before);
    expect(await mine(player)).toEqual(bet.stats);
    await consume();
    expect(await mine(player)).toEqual(bet.stats);
    const { body: list } = await player.call('GET', '/bets?status=ROLLBACK');
    expect(list.data.map(({ id }: { id: string }) => id)).toEqual([bet.id]);
  });

  test('removes the bet from the feed within a second', async () => {
    const player = await newRealPlayer(app, { usdt: 100 });
    const { id } = await play(player, true);
    const isShown = async () =>
      (await player.call('GET', '/live-bets?type=ALL&count=100')).body.some(
        (bet: { id: string }) => bet.id === id,
      );
    await expect.poll(isShown, { timeout: 5000 }).toBe(true);
    await rollBack(id);
    await expect.poll(isShown, { timeout: 5000 }).toBe(false);
    expect(
      (await player.call('GET', '/live-bets/my?count=100')).body.map((b: { id: string }) => b.id),
    ).not.toContain(id);
  });

  test('restores the limit usage from before the bet', async () => {
    const player = await app.newPlayer({ usdt: 100 });
    const set = (type: string) =>
      player.call('POST', '/user-limits/gambling-limits', { body: { type, period: 'DAY', amount: '100' } });
    for (const type of ['WAGER', 'LOSS']) expect((await set(type)).status).toBe(201);
    const used = async () =>
      (await player.call('GET', '/user-limits/gambling-limits')).body.limits.map(
        ({ usage }: { usage: { used: string } }) => usage.used,
      );
    const { id } = await play(player, false);
    const before = await used();
    const { body } = await betOnDice(player, { betAmount: '2' });
    await rollBack(body.betId);
    expect(await used()).toEqual(before);
    expect((await rollBack(id)).status).toBe(201);
    expect(Number((await used())[0])).toBe(Number(before[0]) - 1);
  });

  test('keeps a rolled-back bet verifiable', async () => {
    const player = await app.newPlayer({ usdt: 100 });
    const { id } = await play(player, true);
    await rollBack(id);
    await player.call('POST', '/fairness/seeds/rotate', { body: {} });
    const proof = await player.call('GET', `/fairness/bets/${id}`);
    expect(proof.body).toMatchObject({ betId: id, verified: true });
  });

  test('records the staff member and the reason in the statement and the audit log', async () => {
    const player = await app.newPlayer({ usdt: 100 });
    const { id } = await play(player, true);
    await rollBack(id);
    const { entry } = await app.db
      .selectFrom('ledger_entries')
      .select((eb) => eb.fn.toJson('ledger_entries').as('entry'))
      .where('key', '=', `bet:${id}:rollback`)
      .executeTakeFirstOrThrow();
    expect(entry).toMatchObject({ kind: 'bet.rollback', actor_id: clerk.id, memo: REASON });
    const audit = await app.db
      .selectFrom('admin_audit')
      .select(['before', 'after', 'permission', 'status_code'])
      .where('path', 'like', `%${id}/rollback`)
      .execute();
    expect(audit).toMatchObject([
      { before: { betId: id, status: 'SETTLED' }, after: { status: 'ROLLBACK' }, permission: 'bet.rollback' },
    ]);
  });

  test('rolls back a bet once, and returns the same response for a repeated key and 409 for other keys', async () => {
    const player = await app.newPlayer({ usdt: 100 });
    const { id, before } = await play(player, true);
    const key = { 'idempotency-key': randomUUID() };
    const answers = await Promise.all(Array.from({ length: 5 }, () => rollBack(id, clerk, key)));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]!.status).toBe(201);
    expect(codeOf(await rollBack(id))).toBe('409 BET_ROLLED_BACK');
    const other = await play(player, false);
    expect(codeOf(await rollBack(other.id, clerk, key))).toBe('409 IDEMPOTENCY_KEY_REUSED');
    const many = await Promise.all(Array.from({ length: 5 }, () => rollBack(other.id)));
    expect(many.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409, 409]);
    expect(Number(await cashOf(player))).toBeGreaterThanOrEqual(Number(before));
  });

  test('rejects the rollback of bets that are unknown, open or in a state that does not allow it', async () => {
    for (const id of ['1', '0', '-1', 'x', '99999999999999999999999', '1.5'])
      expect(codeOf(await rollBack(id)), id).toMatch(/^(404 BET_NOT_FOUND|400 VALIDATION_FAILED)$/);
    const player = await app.newPlayer({ usdt: 100 });
    await beginRounds(player, true);
    const { body: open } = await player.call('GET', '/bets?status=CREATED');
    expect(open.data.length).toBeGreaterThan(0);
    expect(codeOf(await rollBack(open.data[0].id))).toBe('409 BET_NOT_SETTLED');
    await endRounds(player);
    for (const body of [{}, { reason: '' }, { reason: 'x', more: 1 }, { reason: 'x'.repeat(501) }])
      expect(codeOf(await clerk.call('POST', `/admin/bets/${open.data[0].id}/rollback`, { body }))).toBe(
        '400 VALIDATION_FAILED',
      );
  });

  test("requires the permission, and rejects the rollback of staff members' own bets", async () => {
    const player = await app.newPlayer({ usdt: 100 });
    const { id } = await play(player, false);
    expect(codeOf(await rollBack(id, app))).toBe('401 UNAUTHORIZED');
    expect(codeOf(await rollBack(id, player))).toBe('403 FORBIDDEN');
    for (const [role, { permissions }] of Object.entries(SHIPPED_ROLES)) {
      const staff = await app.as(role === 'SUPERADMIN' ? 'superadmin' : { permissions: [...permissions] });
      const may = permissions.includes('bet.rollback');
      const bet = await play(player, false);
      expect(codeOf(await rollBack(bet.id, staff)), role).toBe(may ? '201' : '403 FORBIDDEN');
    }
    const self = await app.as({ permissions: ['bet.rollback'] });
    await self.call('GET', '/debug/me/give-money?amount=10');
    const own = await play(self, false);
    expect(codeOf(await rollBack(own.id, self))).toBe('403 OWN_ACCOUNT');
  });
});
