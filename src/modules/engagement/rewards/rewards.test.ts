import { type RawBuilder, sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import {
  type Answer,
  betOnDice,
  callByTwo,
  cashOf,
  type Player,
  startApp,
} from '../../../../test/kit/app.ts';
import { countRewards, liftLimits } from '../../../../test/kit/engagement/rewards.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { newRealPlayer } from '../../../../test/kit/games/bet-rows.ts';
import { inTurn } from '../../../../test/kit/games/turns.ts';
import { letOneAdjust } from '../../../../test/kit/money/adjustments.ts';
import { payLevels } from '../vip/levels.ts';

const app = fixture(startApp);
beforeAll(async () => {
  await liftLimits(app);
  await letOneAdjust(app);
});

const bet = async (player: Player, betAmount: string) => {
  const { status, body } = await betOnDice(player, { betAmount });
  expect([status, body.code]).toEqual([201, undefined]);
  await countRewards(app);
  return body.betId as string;
};
const rewardsOf = ({ id }: Player) =>
  app.db.selectFrom('bet_rewards').selectAll().where('user_id', '=', id).orderBy('place').execute();
const betTimes = async ({ id }: Player) =>
  (await app.db.selectFrom('bets').select('created_at').where('user_id', '=', id).execute()).map(
    (row) => row.created_at,
  );
const levels = ({ id }: Player) =>
  app.db
    .selectFrom('vip_rewards')
    .select(['level', 'status'])
    .where('user_id', '=', id)
    .orderBy('level')
    .execute();
const rollBack = async (betId: string) => {
  const clerk = await app.as({ permissions: ['bet.rollback'] });
  const { status } = await clerk.call('POST', `/admin/bets/${betId}/rollback`, {
    body: { reason: 'a test' },
  });
  expect(status).toBe(201);
  await countRewards(app);
};

test('rewards a first bet of 100,001 dollars at the rates of level 0, and pays the rewards of levels 1 to 3 once', async () => {
  const player = await app.newPlayer({ usdt: 200_000 });
  await bet(player, '100001');
  expect(await rewardsOf(player)).toMatchObject([
    {
      own_usd: 10_000_100_000_000n,
      edge_ppm: 10_000,
      vip_level: 0,
      instant: 5_000_050_000n,
      daily: 2_000_020_000n,
      weekly: 2_000_020_000n,
      monthly: 1_000_010_000n,
      affiliate_user_id: null,
      reversed_place: null,
    },
  ]);
  expect((await player.call('GET', '/user/me')).body.vipLevel).toBe(3);
  const before = Number(await cashOf(player));
  await Promise.all(Array.from({ length: 10 }, () => payLevels(app.services, player.id)));
  expect(Number(await cashOf(player)) - before).toBe(100);
  const { body: notes } = await player.call('GET', '/notifications');
  expect(notes.map((note: any) => [note.type, note.payload.level ?? note.payload.amount])).toEqual([
    ['PROMO', '50'],
    ['PROMO', '40'],
    ['PROMO', '10'],
    ['VIP', 3],
  ]);
  expect(await app.services.rollover.remaining(app.db, player.id)).toBeGreaterThan(0n);
});

test('keeps a level after a rollback, and pays its reward once after the player has wagered enough again', async () => {
  const player = await app.newPlayer({ usdt: 100_000 });
  const first = await bet(player, '12000');
  await rollBack(first);
  await payLevels(app.services, player.id);
  expect(await levels(player)).toEqual([{ level: 1, status: 'OWED' }]);
  expect((await player.call('GET', '/user/me')).body.vipLevel).toBe(1);
  expect(await rewardsOf(player)).toMatchObject([{ vip_level: 0, reversed_place: expect.any(BigInt) }]);
  const second = await bet(player, '11000');
  expect(await rewardsOf(player)).toMatchObject([
    {},
    { vip_level: 1, instant: 605_000_000n, reversed_place: null },
  ]);
  await payLevels(app.services, player.id);
  expect(await levels(player)).toEqual([{ level: 1, status: 'PAID' }]);
  await rollBack(second);
  await bet(player, '13000');
  await payLevels(app.services, player.id);
  const grants = await app.db
    .selectFrom('promo_grants')
    .select('source_key')
    .where('user_id', '=', player.id)
    .execute();
  expect(grants).toEqual([{ source_key: `vip:${player.id}:1` }]);
});

test('writes no job and no event when a bet settles', async () => {
  const player = await app.newPlayer({ usdt: 10 });
  const written = async () => {
    const { rows } = await sql<{ events: number; jobs: number }>`
      select (select count(*)::int from events where user_id = ${player.id}) as events,
        (select count(*)::int from graphile_worker._private_jobs where payload ->> 'userId' = ${String(player.id)}) as jobs`.execute(
      app.db,
    );
    return rows[0];
  };
  const before = await written();
  const { body } = await betOnDice(player, { betAmount: '1' });
  expect(await written()).toEqual(before);
  const { rows } =
    await sql`select 1 from graphile_worker._private_jobs where payload::text like ${`%"${body.betId}"%`}`.execute(
      app.db,
    );
  expect(rows).toEqual([]);
  await countRewards(app);
  expect(await rewardsOf(player)).toMatchObject([{ bet_id: BigInt(body.betId), own_usd: 100_000_000n }]);
});

test('skips the level reward, without an event, if the player is self-excluded when the reward is due', async () => {
  const player = await app.newPlayer({ usdt: 100_000 });
  await betOnDice(player, { betAmount: '12000' });
  const excludeUntil = new Date(Date.now() + 400 * 86_400_000).toISOString();
  expect(
    (await player.call('POST', '/user-limits/self-exclusion', { body: { excludeUntil } })).status,
  ).toBeLessThan(300);
  await countRewards(app);
  await payLevels(app.services, player.id);
  expect(await levels(player)).toEqual([{ level: 1, status: 'SKIPPED' }]);
  const events = await app.db.selectFrom('events').select('name').where('user_id', '=', player.id).execute();
  const names = events.map(({ name }) => name);
  expect(names.filter((name) => ['vip.level', 'rakeback.accrued'].includes(name))).toEqual([]);
});

test('uses the rates that applied when the bet was placed, even if they change before the bet is counted', async () => {
  const player = await app.newPlayer({ usdt: 1000 });
  const admin = await app.as('superadmin');
  const setInstant = async (instantBp: number) =>
    expect(
      (await callByTwo(admin, 'PATCH', '/admin/config/COMMON', { body: { rakeback: { instantBp } } })).status,
    ).toBe(200);
  await betOnDice(player, { betAmount: '100' });
  await setInstant(250);
  await betOnDice(player, { betAmount: '100' });
  await setInstant(500);
  await countRewards(app);
  expect((await rewardsOf(player)).map(({ instant }) => instant)).toEqual([5_000_000n, 2_500_000n]);
});

/** Lowers the rate of rakeback while another transaction holds a lock that the change needs, and makes the other calls while it waits. */
async function changeLate(instantBp: number, lock: RawBuilder<unknown>, ...calls: (() => Promise<Answer>)[]) {
  const admin = await app.as('superadmin');
  const change = () => admin.call('PATCH', '/admin/config/COMMON', { body: { rakeback: { instantBp } } });
  const [changed] = await inTurn(app, (tx) => lock.execute(tx), change, ...calls);
  expect(changed!.status).toBe(200);
  await countRewards(app);
  const { rows } = await sql<{ changedAt: Date }>`
    select changed_at as "changedAt" from site_config_history where code = 'COMMON' order by version desc limit 1`.execute(
    app.db,
  );
  return rows[0]!.changedAt;
}

test('dates a change of the rates after all bets that were counted by the previous ones', async () => {
  const player = await app.newPlayer({ usdt: 1000 });
  let placedAt = new Date();
  const changedAt = await changeLate(400, sql`lock table site_config in exclusive mode`, async () => {
    const answer = await betOnDice(player, { betAmount: '100' });
    placedAt = (await betTimes(player))[0]!;
    await countRewards(app);
    return answer;
  });
  expect((await rewardsOf(player)).map(({ instant }) => instant)).toEqual([5_000_000n]);
  expect(placedAt.getTime()).toBeLessThanOrEqual(changedAt.getTime());
});

test('counts no bet between the time of a change of the rates and its commit', async () => {
  const player = await app.newPlayer({ usdt: 1000 });
  const changedAt = await changeLate(
    300,
    sql`select 1 from admin_audit_head for update`,
    () => betOnDice(player, { betAmount: '100' }),
    async () => {
      await app.services.rewards.catchUp();
      return { status: 200, body: null } as Answer;
    },
  );
  expect((await betTimes(player))[0]!.getTime()).toBeGreaterThanOrEqual(changedAt.getTime());
  expect((await rewardsOf(player)).map(({ instant }) => instant)).toEqual([3_000_000n]);
});

test('computes commission from the stake, the house edge, the commission rate and the divisor', async () => {
  const admin = await app.as('superadmin');
  const [owner, referral] = [await newRealPlayer(app), await newRealPlayer(app, { usdt: 10_000 })];
  await app.db.insertInto('affiliates').values({ user_id: owner.id, referral_count: 1 }).execute();
  await app.db
    .insertInto('affiliate_codes')
    .values({ key: 'e3', code: 'E3', user_id: owner.id, users_count: 1 })
    .execute();
  const row = { user_id: referral.id, affiliate_user_id: owner.id, code_key: 'e3', is_held: false };
  await app.db.insertInto('referrals').values(row).execute();
  const setLevel = (least: number) =>
    app.db
      .updateTable('users')
      .set({ custom_min_affiliate_level: least })
      .where('id', '=', owner.id)
      .execute();
  const setDivisor = async (divisor: number) =>
    expect((await callByTwo(admin, 'PATCH', '/admin/config/AFFILIATES', { body: { divisor } })).status).toBe(
      200,
    );
  await setLevel(3);
  await setDivisor(2);
  const first = await bet(referral, '1000');
  await setDivisor(1);
  await setLevel(2);
  const { body } = await betOnDice(referral, { betAmount: '333.33' });
  await sql`update bets set edge_ppm = 66700 where id = ${BigInt(body.betId)}`.execute(app.db);
  await countRewards(app);
  expect((await rewardsOf(referral)).map((reward) => reward.affiliate_usd)).toEqual([
    50_000_000n,
    166_748_332n,
  ]);
  const earned = async () =>
    (
      await app.db
        .selectFrom('affiliates')
        .select(['earned_usd', 'wagered_usd'])
        .where('user_id', '=', owner.id)
        .execute()
    )[0];
  expect(await earned()).toEqual({ earned_usd: '216748332', wagered_usd: '133333000000' });
  await rollBack(first);
  expect(await earned()).toEqual({ earned_usd: '166748332', wagered_usd: '33333000000' });
});
