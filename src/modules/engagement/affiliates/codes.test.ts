import { describe, expect, test } from 'vitest';
import { codeOf } from '../../../../test/kit/accounts/accounts.ts';
import { startApp } from '../../../../test/kit/app.ts';
import { aCode, startAffiliates } from '../../../../test/kit/engagement/affiliates.ts';
import { fixture } from '../../../../test/kit/fixture.ts';

const world = fixture(() => startAffiliates());
const clerk = fixture(() => world.app.as({ permissions: ['affiliate.pay'] }));
const reader = fixture(() => world.app.as({ permissions: ['affiliate.read'] }));

type By = Pick<typeof clerk, 'call'>;
const choose = (by: By, id: unknown) => by.call('POST', '/affiliate/code', { body: { id } });
const give = (by: By, body: object) => by.call('POST', '/admin/affiliate/code', { body });
const remove = (by: By, id: string) => by.call('DELETE', '/admin/affiliate/code', { body: { id } });
const codesOf = async (by: By) => (await by.call('GET', '/affiliate/code')).body;

describe('codes', () => {
  test('creates case-insensitive codes and lists them oldest first', async () => {
    const player = await world.app.newPlayer();
    expect(await codesOf(player)).toEqual([]);
    const [first, second] = [aCode(), aCode()];
    expect((await choose(player, first)).status).toBe(201);
    expect((await choose(player, second)).status).toBe(201);
    expect(await codesOf(player)).toEqual([
      { id: first, usersCount: 0 },
      { id: second, usersCount: 0 },
    ]);
    for (const taken of [first, first.toLowerCase(), first.toUpperCase()])
      expect(codeOf(await choose(await world.app.newPlayer(), taken))).toBe('409 AFFILIATE_CODE_TAKEN');
  });

  test('enforces the code format, and the configured length and number of codes', async () => {
    await world.set({ codeMinLength: 4, codeMaxLength: 16, maxCodesPerUser: 2 });
    const player = await world.app.newPlayer();
    for (const wrong of ['abc', 'a'.repeat(17), 'with space', 'ümlaut', 'a/b/c', '', 7, null])
      expect(codeOf(await choose(player, wrong))).toBe('400 VALIDATION_FAILED');
    for (const right of [`_${aCode()}`, aCode()]) expect((await choose(player, right)).status).toBe(201);
    const third = await choose(player, aCode());
    expect([codeOf(third), third.body.details]).toEqual(['409 AFFILIATE_CODES_FULL', { most: 2 }]);
    await world.set({ codeMinLength: 3, codeMaxLength: 20, maxCodesPerUser: 10 });
  });

  test('enforces the maximum number of codes under concurrent requests', async () => {
    await world.set({ maxCodesPerUser: 3 });
    const player = await world.app.newPlayer();
    const answers = await Promise.all(Array.from({ length: 10 }, () => choose(player, aCode())));
    expect(answers.map(codeOf).toSorted()).toEqual([
      ...Array(3).fill('201'),
      ...Array(7).fill('409 AFFILIATE_CODES_FULL'),
    ]);
    expect(await codesOf(player)).toHaveLength(3);
    await world.set({ maxCodesPerUser: 10 });
  });

  test('creates a code for only one of many concurrent requests for it', async () => {
    const players = await Promise.all(Array.from({ length: 8 }, () => world.app.newPlayer()));
    const code = aCode();
    const answers = await Promise.all(players.map((player) => choose(player, code)));
    expect(answers.map(codeOf).toSorted()).toEqual(['201', ...Array(7).fill('409 AFFILIATE_CODE_TAKEN')]);
  });

  test('rejects new codes while the affiliate program is disabled', async () => {
    await world.set({ isEnabled: false });
    const player = await world.app.newPlayer();
    expect(codeOf(await choose(player, aCode()))).toBe('409 AFFILIATES_DISABLED');
    expect(codeOf(await give(clerk, { id: aCode(), userId: player.id }))).toBe('409 AFFILIATES_DISABLED');
    await world.set({ isEnabled: true });
  });
});

describe('staff', () => {
  test('creates and permanently deletes a code, with audit entries and a notification to the owner', async () => {
    const player = await world.app.newPlayer();
    const code = aCode();
    const given = await give(clerk, { id: code, userId: player.id });
    expect([given.status, given.body]).toEqual([201, { id: code, usersCount: 0 }]);
    expect(await codesOf(player)).toEqual([{ id: code, usersCount: 0 }]);
    const removed = await remove(clerk, code.toUpperCase());
    expect([removed.status, removed.text]).toEqual([200, '']);
    expect(await codesOf(player)).toEqual([]);
    const rows = await world.app.db
      .selectFrom('admin_audit')
      .select(['permission', 'before', 'after'])
      .where('user_id', '=', clerk.id)
      .where('status_code', 'in', [200, 201])
      .orderBy('id', 'desc')
      .limit(2)
      .execute();
    expect(rows.toReversed()).toEqual([
      { permission: 'affiliate.pay', before: null, after: { code, userId: player.id } },
      { permission: 'affiliate.pay', before: { code, userId: player.id, usersCount: 0 }, after: null },
    ]);
    const { body } = await player.call('GET', '/notifications');
    expect(body[0]).toMatchObject({ type: 'AFFILIATE', payload: { code } });

    expect(codeOf(await remove(clerk, code))).toBe('404 AFFILIATE_CODE_NOT_FOUND');
    expect(codeOf(await choose(player, code))).toBe('409 AFFILIATE_CODE_TAKEN');
    expect(codeOf(await give(clerk, { id: code, userId: player.id }))).toBe('409 AFFILIATE_CODE_TAKEN');
  });

  test('rejects staff who create or delete their own codes, or create codes for unknown users', async () => {
    expect(codeOf(await give(clerk, { id: aCode(), userId: clerk.id }))).toBe('403 OWN_ACCOUNT');
    expect(codeOf(await give(clerk, { id: aCode(), userId: 2_000_000_000 }))).toBe('404 USER_NOT_FOUND');
    const own = aCode();
    expect((await choose(clerk, own)).status).toBe(201);
    expect(codeOf(await remove(clerk, own))).toBe('403 OWN_ACCOUNT');
    expect(codeOf(await remove(clerk, aCode()))).toBe('404 AFFILIATE_CODE_NOT_FOUND');
  });

  test('requires the permission affiliate.pay to create and delete codes', async () => {
    const player = await world.app.newPlayer();
    for (const [by, refusal] of [
      [reader, '403 FORBIDDEN'],
      [player, '403 FORBIDDEN'],
      [world.app, '401 UNAUTHORIZED'],
    ] as const) {
      expect(codeOf(await give(by, { id: aCode(), userId: player.id }))).toBe(refusal);
      expect(codeOf(await remove(by, aCode()))).toBe(refusal);
    }
  });

  test('lets staff read but not change affiliates in the backoffice', async () => {
    const backoffice = await startApp({ part: 'backoffice', database: world.app.database });
    const ask = (method: string, path: string, body?: object) =>
      backoffice.call(method, path, { token: reader.token, ...(body ? { body } : {}) });
    expect((await ask('GET', '/affiliate/levels')).body).toHaveLength(4);
    const player = await world.app.newPlayer();
    const one = { where: { userId: player.id } };
    expect((await ask('POST', '/affiliate/find-one', one)).status).toBe(201);
    expect((await ask('POST', '/affiliate/find-one-stats', one)).status).toBe(201);
    expect((await ask('POST', '/affiliate/users', {})).status).toBe(201);
    expect((await ask('POST', '/affiliate/code', { id: aCode(), userId: player.id })).status).toBe(404);
    await backoffice.stop();
  });
});
