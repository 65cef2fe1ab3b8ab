import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type Player, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';

const app = fixture(startApp);

test('lists an action until a second person performs it', async () => {
  const [one, other, player] = [
    await app.as('superadmin'),
    await app.as('superadmin'),
    await app.newPlayer(),
  ];
  const reader = await app.as({ permissions: ['approval.read'] });
  const set = (by: Player) =>
    by.call('PUT', `/admin/user/${player.id}/balance`, {
      body: { balance: '5000', currencyId: 'USDT', reason: 'A jackpot that was not paid.' },
    });
  expect((await reader.call('GET', '/admin/approvals')).body).toEqual([]);
  const refused = await set(one);
  expect(refused.body.code).toBe('APPROVAL_NEEDED');
  const { status, body } = await reader.call('GET', '/admin/approvals');
  expect(status).toBe(200);
  expect(body).toMatchObject([
    {
      id: refused.body.details.proposalId,
      operation: 'balance',
      input: { userId: player.id, currencyId: 'USDT', after: '5000' },
      reason: 'A jackpot that was not paid.',
      proposedBy: { id: one.id },
      recipients: [{ id: player.id }],
      expiresAt: refused.body.details.expiresAt,
    },
  ]);
  expect((await set(other)).status).toBe(200);
  expect((await reader.call('GET', '/admin/approvals')).body).toEqual([]);
});

test('omits expired actions', async () => {
  const [one, player] = [await app.as('superadmin'), await app.newPlayer()];
  const body = { balance: '7000', currencyId: 'USDT', reason: 'A test.' };
  await one.call('PUT', `/admin/user/${player.id}/balance`, { body });
  await app.db
    .updateTable('staff_values')
    .set({ expires_at: new Date(Date.now() - 1000) })
    .where('actor_id', '=', one.id)
    .execute();
  expect((await one.call('GET', '/admin/approvals')).body).toEqual([]);
});

test('shows every kind of waiting action on a console page, with a label', () => {
  const sources = globSync('src/modules/**/*.ts')
    .filter((file) => !file.endsWith('.test.ts'))
    .map((file) => readFileSync(file, 'utf8'))
    .filter((text) => /\bassertValue\(|: StaffValue\b/.test(text));
  const kinds = new Set(
    sources.flatMap((text) =>
      [
        ...text.matchAll(
          /operation:(?: kind === 'TIP' \?)? '([\w.-]+)'(?: : '([\w.-]+)')?,\s+input: [{](?! id, \.{3})/g,
        ),
      ].flatMap(([, ...names]) => names.filter((name) => name !== undefined)),
    ),
  );
  expect([...kinds]).toEqual(
    expect.arrayContaining(['promo.start', 'leaderboard.special', 'admin-deduction']),
  );
  const waiting = readFileSync('web/console/waiting.tsx', 'utf8');
  const pages = globSync('web/console/pages/**/*.tsx').map((file) => readFileSync(file, 'utf8'));
  const shown = pages.flatMap((page) =>
    [...page.matchAll(/<Waiting\s+of=[{]\[([^\]]*)\]/g)].map(([, names]) => names),
  );
  const missing = [...kinds].filter(
    (kind) =>
      !new RegExp(`^  '?${kind}'?: [{]`, 'm').test(waiting) ||
      !shown.some((names) => names!.includes(`'${kind}'`)),
  );
  expect(missing).toEqual([]);
});
