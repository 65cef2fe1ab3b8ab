import { expect, test } from 'vitest';
import { codeOf } from '../../../../test/kit/accounts/accounts.ts';
import { type Player, startApp } from '../../../../test/kit/app.ts';
import { APPLICATION } from '../../../../test/kit/engagement/vip.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { erase } from '../../backoffice/user-admin/erase.ts';

const app = fixture(startApp);
const clerk = fixture(() => app.as({ permissions: ['vip.read', 'vip.approve'] }));

const apply = (player: Player, fields: object = {}) =>
  player.call('POST', '/vip-application', { body: { ...APPLICATION, ...fields } });
const own = async (player: Player) => (await player.call('GET', '/vip-application')).body;
const decide = (id: string, body: object) =>
  clerk.call('POST', `/admin/vip-application/${id}/decision`, { body: { reason: 'reviewed', ...body } });

test('stores an application, and shows players their own statements but no internal notes', async () => {
  const player = await app.newPlayer();
  expect(await own(player)).toEqual([]);
  const { status, body } = await apply(player, {
    totalWageredUsd: '250000.50',
    country: 'DE',
    note: '  two\nlines ',
    howDidYouHear: ' ',
  });
  expect(status).toBe(201);
  expect(body).toEqual({
    ...APPLICATION,
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    status: 'NEW',
    country: 'DE',
    note: 'two\nlines',
    howDidYouHear: null,
    publicComment: null,
    grantedVipLevel: null,
    images: [],
    createdAt: expect.any(String),
    decidedAt: null,
  });
  expect(await own(player)).toEqual([body]);
  await clerk.call('PATCH', `/admin/vip-application/${body.id}`, {
    body: { status: 'IN_REVIEW', tag: 'whale', note: 'internal' },
  });
  await decide(body.id, { approve: false, reason: 'made up', publicComment: 'Another time.' });
  const [rejected] = await own(player);
  expect(rejected).toMatchObject({
    status: 'REJECTED',
    publicComment: 'Another time.',
    grantedVipLevel: null,
  });
  expect(JSON.stringify(rejected)).not.toMatch(/whale|internal|made up/);
  expect(rejected.decidedAt).not.toBeNull();
});

test('allows only one open application, even with fifty concurrent requests, and another one after the decision', async () => {
  const player = await app.newPlayer();
  const responses = await Promise.all(Array.from({ length: 50 }, () => apply(player)));
  expect(responses.map(codeOf).sort()).toEqual(['201', ...Array(49).fill('409 VIP_APPLICATION_OPEN')]);
  const [{ id }] = await own(player);
  await clerk.call('PATCH', `/admin/vip-application/${id}`, { body: { status: 'IN_REVIEW' } });
  expect(codeOf(await apply(player))).toBe('409 VIP_APPLICATION_OPEN');
  await decide(id, { approve: false });
  const next = await apply(player);
  expect(next.status).toBe(201);
  expect((await own(player)).map((one: any) => one.id)).toEqual([next.body.id, id]);
});

test('rejects malformed fields and lists them in the error', async () => {
  const player = await app.newPlayer();
  const fieldsOf = async (fields: object) => {
    const { status, body } = await apply(player, fields);
    return [status, body.details?.fields.map((field: any) => field.path)];
  };
  for (const [fields, name] of [
    [{ platformName: '' }, 'platformName'],
    [{ platformUsername: ' ' }, 'platformUsername'],
    [{ rank: 'x'.repeat(101) }, 'rank'],
    [{ rank: 'two\nlines' }, 'rank'],
    [{ totalWageredUsd: '-1' }, 'totalWageredUsd'],
    [{ totalWageredUsd: 5 }, 'totalWageredUsd'],
    [{ totalWageredUsd: '1.000000001' }, 'totalWageredUsd'],
    [{ totalWageredUsd: '92233720369' }, 'totalWageredUsd'],
    [{ contactMethod: 'PIGEON' }, 'contactMethod'],
    [{ country: 'Germany' }, 'country'],
    [{ note: 'x'.repeat(2001) }, 'note'],
    [{ status: 'APPROVED' }, 'status'],
  ] as const)
    expect(await fieldsOf(fields), JSON.stringify(fields).slice(0, 80)).toEqual([400, [name]]);
  expect(await own(player)).toEqual([]);
});

test('rejects banned and excluded players', async () => {
  const excluded = await app.newPlayer();
  await excluded.call('POST', '/user-limits/self-exclusion', { body: { durationDays: 1 } });
  expect(codeOf(await apply(excluded))).toBe('403 SELF_EXCLUDED');
  const banned = await app.newPlayer();
  await app.db.updateTable('players').set({ is_banned: true }).where('user_id', '=', banned.id).execute();
  expect(codeOf(await apply(banned))).toBe('403 USER_BANNED');
});

test('cancels the open application of a closed account and erases all personal data', async () => {
  const player = await app.newPlayer();
  const texts = { platformUsername: 'canary-name', note: 'canary-note', howDidYouHear: 'canary-ear' };
  const first = (await apply(player, texts)).body.id as string;
  await decide(first, { approve: false, reason: 'canary-reason', publicComment: 'canary-comment' });
  const second = (await apply(player, { ...texts, contactUsername: 'canary-contact' })).body.id as string;
  await clerk.call('PATCH', `/admin/vip-application/${second}`, {
    body: { tag: 'canary-tag', note: 'canary-staff' },
  });
  expect(await erase(app.services, { userId: player.id, by: player.id, reason: 'erasure request' })).toBe(
    true,
  );
  const seen = async (id: string) => (await clerk.call('GET', `/admin/vip-application/${id}`)).body;
  expect(await seen(first)).toMatchObject({ status: 'REJECTED', reason: '(erased)' });
  const cancelled = await seen(second);
  expect(cancelled).toMatchObject({ status: 'CANCELLED', reason: null, contactMethod: 'OTHER', tag: null });
  expect(cancelled.decidedAt).not.toBeNull();
  expect(JSON.stringify([await seen(first), cancelled])).not.toContain('canary');
  expect(codeOf(await decide(second, { approve: true, vipLevel: 1 }))).toBe('409 VIP_APPLICATION_DECIDED');
});
