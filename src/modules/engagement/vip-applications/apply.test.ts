import { expect, test } from 'vitest';
import { codeOf } from '../../../../test/kit/accounts.ts';
import { type Player, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { APPLICATION } from '../../../../test/kit/vip.ts';
import { erase } from '../../backoffice/user-admin/erase.ts';

const app = fixture(startApp);
const clerk = fixture(() => app.as({ permissions: ['vip.read', 'vip.approve'] }));

const apply = (player: Player, fields: object = {}) =>
  player.call('POST', '/vip-application', { body: { ...APPLICATION, ...fields } });
const own = async (player: Player) => (await player.call('GET', '/vip-application')).body;
const decide = (id: string, body: object) =>
  clerk.call('POST', `/admin/vip-application/${id}/decision`, { body: { reason: 'looked at', ...body } });

test('a player applies with what they state, and sees it, not what staff writes', async () => {
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
    body: { status: 'IN_REVIEW', tag: 'whale', note: 'secretly' },
  });
  await decide(body.id, { approve: false, reason: 'made up', publicComment: 'Another time.' });
  const [shown] = await own(player);
  expect(shown).toMatchObject({ status: 'REJECTED', publicComment: 'Another time.', grantedVipLevel: null });
  expect(JSON.stringify(shown)).not.toMatch(/whale|secretly|made up/);
  expect(shown.decidedAt).not.toBeNull();
});

test('one application is open at a time, also of fifty at once; after the decision the next one may come', async () => {
  const player = await app.newPlayer();
  const answers = await Promise.all(Array.from({ length: 50 }, () => apply(player)));
  expect(answers.map(codeOf).sort()).toEqual(['201', ...Array(49).fill('409 VIP_APPLICATION_OPEN')]);
  const [{ id }] = await own(player);
  await clerk.call('PATCH', `/admin/vip-application/${id}`, { body: { status: 'IN_REVIEW' } });
  expect(codeOf(await apply(player))).toBe('409 VIP_APPLICATION_OPEN');
  await decide(id, { approve: false });
  const next = await apply(player);
  expect(next.status).toBe(201);
  expect((await own(player)).map((one: any) => one.id)).toEqual([next.body.id, id]);
});

test('what is not well formed is refused by name', async () => {
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

test('whoever is banned or excluded does not apply', async () => {
  const excluded = await app.newPlayer();
  await excluded.call('POST', '/user-limits/self-exclusion', { body: { durationDays: 1 } });
  expect(codeOf(await apply(excluded))).toBe('403 SELF_EXCLUDED');
  const banned = await app.newPlayer();
  await app.db.updateTable('players').set({ is_banned: true }).where('user_id', '=', banned.id).execute();
  expect(codeOf(await apply(banned))).toBe('403 USER_BANNED');
});

test('an account that is closed has its application cancelled, and nothing says any more who applied', async () => {
  const player = await app.newPlayer();
  const texts = { platformUsername: 'canary-name', note: 'canary-note', howDidYouHear: 'canary-ear' };
  const first = (await apply(player, texts)).body.id as string;
  await decide(first, { approve: false, reason: 'canary-reason', publicComment: 'canary-comment' });
  const second = (await apply(player, { ...texts, contactUsername: 'canary-contact' })).body.id as string;
  await clerk.call('PATCH', `/admin/vip-application/${second}`, {
    body: { tag: 'canary-tag', note: 'canary-staff' },
  });
  expect(await erase(app.services, { userId: player.id, by: player.id, reason: 'asked for it' })).toBe(true);
  const seen = async (id: string) => (await clerk.call('GET', `/admin/vip-application/${id}`)).body;
  expect(await seen(first)).toMatchObject({ status: 'REJECTED', reason: '(erased)' });
  const cancelled = await seen(second);
  expect(cancelled).toMatchObject({ status: 'CANCELLED', reason: null, contactMethod: 'OTHER', tag: null });
  expect(cancelled.decidedAt).not.toBeNull();
  expect(JSON.stringify([await seen(first), cancelled])).not.toContain('canary');
  expect(codeOf(await decide(second, { approve: true, vipLevel: 1 }))).toBe('409 VIP_APPLICATION_DECIDED');
});
