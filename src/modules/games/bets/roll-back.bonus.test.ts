/** Bets with bonus money that staff rolls back, by what has become of their grant. Reconcile runs when the app stops. */
import { expect, test } from 'vitest';
import { type Player, startApp } from '../../../../test/kit/app.ts';
import { grantBonus, lose, moneyOf, win } from '../../../../test/kit/bonus.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { transaction } from '../../../platform/db.ts';
import { units } from '../../../platform/money.ts';

const app = fixture(startApp);
const clerk = fixture(() => app.as({ permissions: ['bet.rollback', 'bet.read'] }));

const rollBack = (betId: string) =>
  clerk.call('POST', `/admin/bets/${betId}/rollback`, { body: { reason: 'The round was void.' } });
const turnoverOf = ({ id }: Player) => app.services.rollover.remaining(app.db, id);

test('E1 of an active grant: stake and payout as if the bet had not been made, what it counted too', async () => {
  const player = await app.newPlayer({ usdt: 100 });
  const grant = await grantBonus(app, player, { amount: '50', required: '500' });
  for (let i = 0; i < 9; i++) await lose(app, player, '10');
  await lose(app, player, '7');
  const { betId } = await win(app, player, '10');
  expect(await moneyOf(app, player, grant)).toMatchObject({
    cash: units('7.5'),
    bonus: units('60.5'),
    done: units('107'),
  });
  const { status, body } = await rollBack(betId);
  expect([status, body.bonusGrantId]).toEqual([201, String(grant)]);
  expect(await moneyOf(app, player, grant)).toMatchObject({
    cash: units('3'),
    bonus: units('50'),
    done: units('97'),
    status: 'ACTIVE',
  });
});

test('a payout that was lost since is written off, and the grant goes on with the stake', async () => {
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

test('of a completed grant what was converted is taken back, and what falls below the turnover has to be wagered', async () => {
  const player = await app.newPlayer({ usdt: 0.01 });
  const grant = await grantBonus(app, player, { amount: '10', required: '10' });
  const { betId } = await win(app, player, '10');
  const before = await moneyOf(app, player, grant);
  expect(before).toMatchObject({ bonus: 0n, status: 'COMPLETED' });
  const turnover = await turnoverOf(player);
  expect((await rollBack(betId)).status).toBe(201);
  const after = await moneyOf(app, player, grant);
  expect(after).toMatchObject({ bonus: 0n, done: 0n, status: 'COMPLETED' });
  // Cash paid a cent of the stake and got its share; of the bonus 14.985 more than its stake had been converted.
  expect(before.cash - after.cash).toBe(units('15'));
  expect((await turnoverOf(player)) - turnover).toBe(units('10'));
});

test('what was converted and is spent: refused, and nothing moves', async () => {
  const player = await app.newPlayer({ usdt: 0.01 });
  const grant = await grantBonus(app, player, { amount: '10', required: '10' });
  const { betId } = await win(app, player, '10');
  await lose(app, player, '20');
  const before = await moneyOf(app, player, grant);
  const { status, body } = await rollBack(betId);
  expect([status, body.code]).toEqual([400, 'INSUFFICIENT_BALANCE']);
  expect(await moneyOf(app, player, grant)).toEqual(before);
});

test('of a lost grant the stake starts again, with the time that was left', async () => {
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

test('of a grant that was given up nothing comes back to the player', async () => {
  const player = await app.newPlayer({ usdt: 5 });
  const grant = await grantBonus(app, player, { amount: '20', required: '500' });
  const { betId } = await lose(app, player, '15');
  await transaction(app.db, (tx) =>
    app.services.grants.end(tx, grant, { status: 'FORFEITED', reason: 'TEST' }),
  );
  expect((await rollBack(betId)).status).toBe(201);
  expect(await moneyOf(app, player, grant)).toMatchObject({
    cash: units('5'),
    bonus: 0n,
    status: 'FORFEITED',
  });
});

const expiryOf = async (id: bigint) =>
  (
    await app.db
      .selectFrom('promo_grants')
      .select('expires_at')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
  ).expires_at;
