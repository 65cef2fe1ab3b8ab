import { expect, test } from 'vitest';
import type { Player } from '../../../../test/kit/app.ts';
import {
  BONUS,
  deposit,
  newPromo,
  promoFixture,
  refused,
  setStatus,
} from '../../../../test/kit/engagement/promo.ts';
import { transaction } from '../../../platform/database/db.ts';
import { queueWelcomeBonus, runWelcome, WELCOME_BONUS } from './service.ts';

const { app, staff } = promoFixture();

const WELCOME = { ...BONUS, type: 'WELCOME', name: 'Welcome' } as const;
const queued = async ({ id }: Player): Promise<number> => {
  const { rows } = await app.sql<{ n: number }>`select count(*)::int as n from graphile_worker._private_jobs
    where key = ${`${WELCOME_BONUS}:${id}`}`.execute(app.db);
  return rows[0]!.n;
};
const unqueue = ({ id }: Player) =>
  app.sql`delete from graphile_worker._private_jobs where key = ${`${WELCOME_BONUS}:${id}`}`.execute(app.db);
const welcome = (player: Player) => runWelcome(app.services, { userId: player.id });
const granted = async (player: Player) =>
  (await player.call('GET', '/promo/my')).body.data.map(({ name, status }: any) => `${name} ${status}`);
const stop = async (...ids: string[]) => {
  for (const id of ids) expect((await setStatus(staff, id, 'PAUSED')).status).toBe(201);
};

test('queues the welcome task only at sign-up, after email verification and after the first deposit', async () => {
  const player = await app.newPlayer();
  expect(await queued(player)).toBe(1);
  await unqueue(player);
  await deposit(app, player, '10');
  expect(await queued(player)).toBe(1);
  await unqueue(player);
  await deposit(app, player, '10');
  expect(await queued(player)).toBe(0);
  for (const _ of [1, 2]) await transaction(app.db, (tx) => queueWelcomeBonus(tx, player.id));
  expect(await queued(player)).toBe(1);
});

test('grants the first matching welcome promotion once, regardless of how often the task runs', async () => {
  const vip = await newPromo(staff, { ...WELCOME, name: 'For others', conditions: { minVipLevel: 9 } });
  const first = await newPromo(staff, WELCOME);
  const second = await newPromo(staff, { ...WELCOME, name: 'Too late' });
  const player = await app.newPlayer();
  await Promise.all(Array.from({ length: 8 }, () => welcome(player)));
  expect(await granted(player)).toEqual(['Welcome ACTIVE']);
  await stop(first);
  await welcome(player);
  expect(await granted(player)).toEqual(['Welcome ACTIVE']);
  const own = await player.call('GET', '/promo/my');
  expect(own.body.data[0]).toMatchObject({ promoId: first, type: 'WELCOME' });
  await stop(vip, second);
});

test('grants nothing without a matching promotion or budget, or when the gate rejects the player', async () => {
  const player = await app.newPlayer();
  await welcome(player);
  const id = await newPromo(staff, {
    ...WELCOME,
    conditions: { emailVerified: true },
    budget: { maxGrants: 1 },
  });
  const prove = ({ id: userId }: Player, isProven: boolean) =>
    app.db.updateTable('users').set({ email_verified: isProven }).where('id', '=', userId).execute();
  await prove(player, false);
  await welcome(player);
  expect(await granted(player)).toEqual([]);
  await prove(player, true);
  await player.call('POST', '/user-limits/self-exclusion', { body: { durationDays: 1 } });
  await welcome(player);
  expect(await granted(player)).toEqual([]);
  const [one, other] = [await app.newPlayer(), await app.newPlayer()];
  for (const each of [one, other]) {
    await prove(each, true);
    await welcome(each);
  }
  expect([await granted(one), await granted(other)]).toEqual([['Welcome ACTIVE'], []]);
  await stop(id);
});

test('fails permanently for a task whose user does not exist', async () => {
  await expect(runWelcome(app.services, { userId: 'x' })).rejects.toThrow('names no user');
  await newPromo(staff, WELCOME);
  await expect(runWelcome(app.services, { userId: 2_000_000_000 })).resolves.toBeUndefined();
  expect(refused(await staff.call('GET', '/promo'))).toBe('200');
});
