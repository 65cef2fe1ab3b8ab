/** Staff rollbacks of bets with bonus money, for each state of the grant. Reconcile runs when the app stops. */
import { beforeAll, describe, expect, test } from 'vitest';
import { PATIENCE, type Player, startApp } from '../../../../test/kit/app.ts';
import { deposit } from '../../../../test/kit/engagement/promo.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { grantBonus, lose, moneyOf, win } from '../../../../test/kit/money/bonus.ts';
import { grantsOf, percentageFor } from '../../../../test/kit/money/grants.ts';
import { formatUnits, units } from '../../../platform/money.ts';

const app = fixture(() => startApp({ env: PATIENCE }));
const clerk = fixture(() => app.as({ permissions: ['bet.rollback', 'bet.read'] }));
let on: ReturnType<typeof grantsOf>;
beforeAll(() => {
  on = grantsOf(app);
});

const rollBack = (betId: string) =>
  clerk.call('POST', `/admin/bets/${betId}/rollback`, { body: { reason: 'The round was void.' } });
const turnoverOf = ({ id }: Player) => app.services.rollover.remaining(app.db, id);

test('restores the stake, payout and wagering of an active grant', async () => {
  const player = await app.newPlayer({ usdt: 3 });
  const grant = await grantBonus(app, player, { amount: '50', required: '500' });
  const { betId } = await win(app, player, '10');
  expect(await moneyOf(app, player, grant)).toMatchObject({
    cash: units('7.5'),
    bonus: units('60.5'),
    done: units('10'),
  });
  const { status, body } = await rollBack(betId);
  expect([status, body.bonusGrantId]).toEqual([201, String(grant)]);
  expect(await moneyOf(app, player, grant)).toMatchObject({
    cash: units('3'),
    bonus: units('50'),
    done: 0n,
    status: 'ACTIVE',
  });
});

test('writes off a rolled-back payout that later bets have lost, and continues the grant with the returned stake', async () => {
  const player = await app.newPlayer({ usdt: 0.01 });
  const grant = await grantBonus(app, player, { amount: '10', required: '500' });
  const { betId } = await win(app, player, '10');
  const { bonus } = await moneyOf(app, player, grant);
  await lose(app, player, '20');
  expect(await moneyOf(app, player, grant)).toMatchObject({ status: 'ACTIVE' });
  expect((await rollBack(betId)).status).toBe(201);
  const left = bonus - units('20') + units('0.025');
  const { written_off } = await app.db
    .selectFrom('promo_grants')
    .select('written_off')
    .where('id', '=', grant)
    .executeTakeFirstOrThrow();
  expect(left < units('10')).toBe(true);
  expect(written_off > 0n).toBe(true);
  expect(await moneyOf(app, player, grant)).toMatchObject({ bonus: 0n, status: 'LOST' });
});

test('reverses the conversion of a completed grant, and requires the player to wager the missing amount again', async () => {
  const player = await app.newPlayer({ usdt: 0.01 });
  const grant = await grantBonus(app, player, { amount: '10', required: '10' });
  const { betId } = await win(app, player, '10');
  const before = await moneyOf(app, player, grant);
  expect(before).toMatchObject({ bonus: 0n, status: 'COMPLETED' });
  const turnover = await turnoverOf(player);
  expect((await rollBack(betId)).status).toBe(201);
  const after = await moneyOf(app, player, grant);
  expect(after).toMatchObject({ bonus: 0n, done: 0n, status: 'COMPLETED' });
  // One cent of the stake was cash and made a profit of 0.015. The conversion paid the bonus stake and a profit of 14.985.
  expect(before.cash - after.cash).toBe(units('15'));
  expect((await turnoverOf(player)) - turnover).toBe(units('10'));
});

test.each([
  ['as far as its cap leaves room', 100, '2.5'],
  ['all of it', null, '5'],
])('converts the returned stake of a completed grant to cash: %s', async (_, cap, converted) => {
  const player = await app.newPlayer({ usdt: 0.01 });
  const terms = { amount: '10', required: '15', maxWithdrawalMultiplierE2: cap };
  const grant = await grantBonus(app, player, terms);
  const { betId } = await lose(app, player, '5.01');
  await win(app, player, '5');
  await lose(app, player, '5');
  expect(await on.state(grant)).toMatchObject({ status: 'COMPLETED', converted: '7.5', forfeited: '0' });
  const turnover = await turnoverOf(player);
  expect((await rollBack(betId)).status).toBe(201);
  expect(await on.state(grant)).toMatchObject({
    converted: formatUnits(units('7.5') + units(converted)),
    forfeited: formatUnits(units('5') - units(converted)),
  });
  expect(await moneyOf(app, player, grant)).toMatchObject({
    cash: units('7.51') + units(converted),
    done: units('10'),
  });
  expect((await turnoverOf(player)) - turnover).toBe(units('5'));
});

test('rejects a rollback without moving money when the converted amount has been spent', async () => {
  const player = await app.newPlayer({ usdt: 0.01 });
  const grant = await grantBonus(app, player, { amount: '10', required: '10' });
  const { betId } = await win(app, player, '10');
  await lose(app, player, '20');
  const before = await moneyOf(app, player, grant);
  const { status, body } = await rollBack(betId);
  expect([status, body.code]).toEqual([400, 'INSUFFICIENT_BALANCE']);
  expect(await moneyOf(app, player, grant)).toEqual(before);
});

test("restarts a lost grant with the returned stake and the grant's remaining time", async () => {
  const player = await app.newPlayer({ usdt: 5 });
  const grant = await grantBonus(app, player, { amount: '10', required: '500', validityHours: 24 });
  const first = await expiryOf(grant);
  const { betId } = await lose(app, player, '15');
  expect(await moneyOf(app, player, grant)).toMatchObject({ cash: 0n, status: 'LOST' });
  expect((await rollBack(betId)).status).toBe(201);
  expect(await moneyOf(app, player, grant)).toMatchObject({
    cash: units('5'),
    bonus: units('10'),
    done: 0n,
    status: 'ACTIVE',
  });
  expect(await expiryOf(grant)).toEqual(first);
  await lose(app, player, '15');
  expect(await moneyOf(app, player, grant)).toMatchObject({ cash: 0n, bonus: 0n, status: 'LOST' });
});

test('puts a restarted grant first in the queue, regardless of when the grants were issued', async () => {
  const player = await app.newPlayer({ usdt: 5 });
  const [first, second] = [await on.issue(percentageFor(player)), await on.issue(percentageFor(player))];
  const lost = await grantBonus(app, player, { amount: '10', required: '500' });
  await deposit(app, player, '1');
  await deposit(app, player, '1');
  const { betId } = await lose(app, player, '17');
  const statuses = async () => {
    const rows = await Promise.all([lost, first!, second!].map(on.row));
    return rows.map(({ status }) => status);
  };
  expect(await statuses()).toEqual(['LOST', 'ACTIVE', 'PENDING']);
  expect((await rollBack(betId)).status).toBe(201);
  expect(await statuses()).toEqual(['PENDING', 'ACTIVE', 'PENDING']);
  expect(await on.row(lost)).toMatchObject({ to_start: units('10'), bonus_balance: 0n });
  await on.end(first!);
  expect(await statuses()).toEqual(['ACTIVE', 'FORFEITED', 'PENDING']);
  expect(await moneyOf(app, player, lost)).toMatchObject({ bonus: units('10'), done: 0n });
});

describe('a lost grant stays lost', () => {
  const lost = async (terms: { validityHours?: number } = {}) => {
    const player = await app.newPlayer({ usdt: 5 });
    const grant = await grantBonus(app, player, { amount: '10', required: '500', ...terms });
    const { betId } = await lose(app, player, '15');
    return { player, grant, betId };
  };

  test('keeps a lost grant lost after its expiry', async () => {
    const { player, grant, betId } = await lost({ validityHours: 24 });
    await on.set(grant, { expires_at: new Date(0) });
    await staysLost(player, { grant, betId });
  });

  test('keeps a lost grant lost when its player is banned', async () => {
    const { player, grant, betId } = await lost();
    const boss = await app.as('superadmin');
    const body = { banReason: 'a test' };
    expect((await boss.call('PATCH', `/admin/user/${player.id}/ban`, { body })).status).toBe(200);
    await staysLost(player, { grant, betId });
  });

  test('keeps a lost grant lost when its player is self-excluded', async () => {
    const { player, grant, betId } = await lost();
    const excluded = await player.call('POST', '/user-limits/self-exclusion', { body: { durationDays: 1 } });
    expect(excluded.status).toBe(201);
    await staysLost(player, { grant, betId });
  });

  async function staysLost(player: Player, { grant, betId }: { grant: bigint; betId: string }) {
    expect((await rollBack(betId)).status).toBe(201);
    expect(await moneyOf(app, player, grant)).toMatchObject({
      cash: units('5'),
      bonus: 0n,
      done: 0n,
      status: 'LOST',
    });
    expect(await on.row(grant)).toMatchObject({ to_start: 0n, forfeited: units('10') });
  }
});

test.each([
  ['given up', 'FORFEITED'],
  ['cancelled', 'CANCELLED'],
  ['over in time', 'EXPIRED'],
] as const)('moves no player money for a grant that was %s', async (_, status) => {
  const player = await app.newPlayer({ usdt: 0.01 });
  const grant = await grantBonus(app, player, { amount: '20', required: '500' });
  const [lost, won] = [await lose(app, player, '5'), await win(app, player, '10')];
  await on.end(grant, { status, reason: 'TEST' });
  const { cash } = await moneyOf(app, player, grant);
  for (const { betId } of [won, lost]) expect((await rollBack(betId)).status).toBe(201);
  // One cent of the lost stake was cash, and the rollback returns it.
  expect(await moneyOf(app, player, grant)).toMatchObject({
    cash: cash + units('0.01'),
    bonus: 0n,
    status,
  });
});

test('pays nothing twice when a rollback runs concurrently with the bet that completes the grant', async () => {
  for (let i = 0; i < 10; i++) {
    const player = await app.newPlayer({ usdt: 0.01 });
    const grant = await grantBonus(app, player, { amount: '20', required: '10' });
    const { betId } = await lose(app, player, '5.01');
    const [back, , ...again] = await Promise.all([
      rollBack(betId),
      lose(app, player, '5'),
      rollBack(betId),
      rollBack(betId),
    ]);
    expect([back, ...again].map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409, 409]);
    await on.settle(grant);
    const { status, cash, bonus } = await moneyOf(app, player, grant);
    const { converted } = await on.state(grant);
    // A rollback before the grant is completed reduces the wagered amount, so the grant stays active. After a later rollback, the returned
    // stake is converted too.
    expect([status, converted]).toEqual(status === 'ACTIVE' ? ['ACTIVE', '0'] : ['COMPLETED', '15']);
    expect([cash + bonus, status === 'ACTIVE' || bonus === 0n]).toEqual([units('15.01'), true]);
  }
});

const expiryOf = async (id: bigint) =>
  (
    await app.db
      .selectFrom('promo_grants')
      .select('expires_at')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
  ).expires_at;
