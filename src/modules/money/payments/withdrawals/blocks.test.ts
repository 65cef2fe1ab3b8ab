import { describe, expect, test } from 'vitest';
import { codeOf } from '../../../../../test/kit/accounts/accounts.ts';
import { startApp } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import { decide, waiting, withdraw } from '../../../../../test/kit/money/withdrawals.ts';

const app = fixture(startApp);
const boss = fixture(() => app.as('superadmin'));
const first = fixture(() => app.as({ permissions: ['withdraw.read', 'withdraw.approve'] }));

const isoTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

describe('blocks', () => {
  const path = (userId: number) => `/admin/withdrawals-block/${userId}`;
  const block = (userId: number, body: object = {}, by = boss) => by.call('POST', path(userId), { body });
  const lift = (userId: number, by = boss) => by.call('DELETE', path(userId));

  test('rejects withdrawals with the public reason until the block is lifted, and audits each step', async () => {
    const { player, id } = await waiting(app);
    const made = await block(player.id, { reason: 'fraud?', reasonPublic: 'We are checking something.' });
    const record = { userId: player.id, reason: 'fraud?', reasonPublic: 'We are checking something.' };
    expect([made.status, made.body]).toEqual([
      201,
      { ...record, blockUntil: null, createdAt: isoTime, updatedAt: isoTime },
    ]);
    expect((await boss.call('GET', path(player.id))).body).toEqual(made.body);
    const shown = { reasonPublic: 'We are checking something.', blockUntil: null };
    const refused = await withdraw(player);
    expect([codeOf(refused), refused.body.details]).toEqual(['403 WITHDRAWAL_BLOCKED', shown]);
    const { body } = await player.call('GET', '/payments/withdraw/eligibility?currencyId=USDT');
    expect([body.block, body.reasons]).toEqual([shown, ['WITHDRAWAL_BLOCKED']]);
    // A withdrawal that was requested before the block is also not sent.
    expect(codeOf(await decide(first, 'approve', id))).toBe('403 WITHDRAWAL_BLOCKED');
    const lifted = await lift(player.id);
    expect([lifted.status, lifted.body.reason]).toEqual([200, 'fraud?']);
    expect((await withdraw(player)).status).toBe(201);
    expect((await decide(first, 'approve', id)).status).toBe(201);
    expect(codeOf(await lift(player.id))).toBe('404 WITHDRAWAL_BLOCK_NOT_FOUND');
    expect(codeOf(await boss.call('GET', path(player.id)))).toBe('404 WITHDRAWAL_BLOCK_NOT_FOUND');
    const audited = await app.db
      .selectFrom('admin_audit')
      .select(['method', 'reason'])
      .where('path', '=', path(player.id))
      .where('status_code', '<', 300)
      .where('method', '<>', 'GET')
      .orderBy('id')
      .execute();
    expect(audited).toEqual([
      { method: 'POST', reason: 'fraud?' },
      { method: 'DELETE', reason: null },
    ]);
  });

  test('ends a withdrawal block at its end time, and keeps the rows of replaced blocks', async () => {
    const player = await app.newPlayer({ usdt: 20 });
    const until = (ms: number) => new Date(Date.now() + ms).toISOString();
    expect(codeOf(await block(player.id, { blockUntil: until(-1000) }))).toBe('400 VALIDATION_FAILED');
    expect(codeOf(await block(player.id, { blockUntil: 'tomorrow' }))).toBe('400 VALIDATION_FAILED');
    expect((await block(player.id, { reason: 'one' })).status).toBe(201);
    expect((await block(player.id, { reason: 'two', blockUntil: until(150) })).status).toBe(201);
    expect((await boss.call('GET', path(player.id))).body.reason).toBe('two');
    await expect.poll(async () => (await withdraw(player)).status, { interval: 40 }).toBe(201);
    expect(codeOf(await lift(player.id))).toBe('404 WITHDRAWAL_BLOCK_NOT_FOUND');
    expect((await block(player.id, { reason: 'three' })).status).toBe(201);
    const kept = await app.db
      .selectFrom('withdrawal_blocks')
      .select(['reason', 'lifted_by'])
      .where('user_id', '=', player.id)
      .orderBy('id')
      .execute();
    expect(kept.map(({ reason }) => reason)).toEqual(['one', 'two', 'three']);
  });

  test('keeps only one block active when ten requests arrive concurrently, and stores the others as replaced', async () => {
    const player = await app.newPlayer();
    const answers = await Promise.all(Array.from({ length: 10 }, () => block(player.id)));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 201));
    const open = app.db
      .selectFrom('withdrawal_blocks')
      .select('id')
      .where('user_id', '=', player.id)
      .where('lifted_at', 'is', null);
    expect(await open.execute()).toHaveLength(1);
  });

  test("rejects blocks of unknown users or of the caller's own account, and by staff without the permission", async () => {
    const player = await app.newPlayer();
    const reader = await app.as({ permissions: ['withdrawblock.read'] });
    const writer = await app.as({ permissions: ['withdrawblock.write'] });
    expect(codeOf(await block(player.id, {}, reader))).toBe('403 FORBIDDEN');
    expect(codeOf(await block(player.id, {}, first))).toBe('403 FORBIDDEN');
    expect(codeOf(await block(writer.id, {}, writer))).toBe('403 OWN_ACCOUNT');
    expect(codeOf(await block(2_000_000_000, {}, writer))).toBe('404 USER_NOT_FOUND');
    expect(codeOf(await block(player.id, { until: 'x' }, writer))).toBe('400 VALIDATION_FAILED');
    expect((await block(player.id, {}, writer)).status).toBe(201);
    expect((await reader.call('GET', path(player.id))).status).toBe(200);
    expect(codeOf(await writer.call('GET', path(player.id)))).toBe('403 FORBIDDEN');
    expect(codeOf(await lift(player.id, reader))).toBe('403 FORBIDDEN');
    expect((await lift(player.id, writer)).status).toBe(200);
  });
});
