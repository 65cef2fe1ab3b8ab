/** Bets with bonus money: which money stakes are taken from, which balance payouts go to, and how much counts towards wagering. */
import { expect, test } from 'vitest';
import { betOnDice, PATIENCE, type Player, startApp, type TestApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { act, lay } from '../../../../test/kit/games/blackjack.ts';
import { diceIdOf, diceRequest, startSettlement } from '../../../../test/kit/games/settlement.ts';
import { grantBonus, lose, moneyOf, win } from '../../../../test/kit/money/bonus.ts';
import { transaction } from '../../../platform/database/db.ts';
import { units } from '../../../platform/money.ts';

const app = fixture(() => startApp({ env: PATIENCE }));

test('stakes cash before bonus, splits payouts like stakes, and counts stakes towards the wagering requirement', async () => {
  const player = await app.newPlayer({ usdt: 10 });
  const grant = await grantBonus(app, player, { amount: '50', required: '500' });
  await lose(app, player, '7');
  expect(await moneyOf(app, player, grant)).toEqual({
    cash: units('3'),
    bonus: units('50'),
    done: units('7'),
    status: 'ACTIVE',
  });
  const { betId } = await win(app, player, '10');
  expect(await moneyOf(app, player, grant)).toMatchObject({
    cash: units('7.5'),
    bonus: units('60.5'),
    done: units('17'),
  });
  const bet = await app.db
    .selectFrom('bonus_bets')
    .selectAll()
    .where('bet_id', '=', BigInt(betId))
    .executeTakeFirstOrThrow();
  expect(bet).toMatchObject({
    grant_id: grant,
    bonus_staked: units('7'),
    bonus_paid: units('17.5'),
    counted: units('10'),
  });
});

test('converts the bonus up to its cap with the bet that completes the wagering requirement', async () => {
  const player = await app.newPlayer({ usdt: 10 });
  const grant = await grantBonus(app, player, {
    amount: '50',
    required: '60',
    maxWithdrawalMultiplierE2: 60,
  });
  await lose(app, player, '30');
  expect(await moneyOf(app, player, grant)).toMatchObject({ cash: 0n, bonus: units('30'), status: 'ACTIVE' });
  await win(app, player, '30');
  // The player has 75 in bonus money and may keep 0.6 × 50 of it.
  expect(await moneyOf(app, player, grant)).toMatchObject({
    cash: units('30'),
    bonus: 0n,
    done: units('60'),
    status: 'COMPLETED',
  });
  const { status } = await player.call('POST', '/accounting/to-vault', {
    body: { currencyId: 'USDT', amount: '30' },
  });
  expect(status).toBe(201);
});

test('pays rounds that end late to cash if the grant was completed, and to the promo account otherwise', async () => {
  const games = { perGame: { dice: 100 } };
  for (const isWagered of [true, false]) {
    const player = await app.newPlayer({ usdt: 0.01 });
    const grant = await grantBonus(app, player, { amount: '50', required: '10', games });
    expect((await lay(player, '5h 6d 7c Ts Kh')).status).toBe(201);
    if (isWagered) await lose(app, player, '10');
    else
      await transaction(app.db, (tx) =>
        app.services.grants.end(tx, grant, { status: 'FORFEITED', reason: 'TEST' }),
      );
    const before = await moneyOf(app, player, grant);
    expect(before).toMatchObject({ bonus: 0n, status: isWagered ? 'COMPLETED' : 'FORFEITED' });
    // A hand of 11 loses unless the player draws a card. With the king the hand is 21.
    expect((await act(player, 'HIT')).status).toBe(201);
    const after = await moneyOf(app, player, grant);
    expect(after.bonus).toBe(0n);
    // Each stake of ten paid 20, of which 9.99 was bonus money.
    const [cash, bonus] = [units('0.02'), units('19.98')];
    expect(after.cash - before.cash).toBe(isWagered ? cash + bonus : cash);
    const { has_grant } = await app.db
      .selectFrom('players')
      .select('has_grant')
      .where('user_id', '=', player.id)
      .executeTakeFirstOrThrow();
    expect(has_grant).toBe(false);
  }
});

test('places new bets with cash only, while an open round prevents a grant from expiring', async () => {
  const player = await app.newPlayer({ usdt: 1 });
  const grant = await grantBonus(app, player, { amount: '50', required: '500', validityHours: 1 });
  expect((await lay(player, '5h 6d 7c Ts Kh')).status).toBe(201);
  // Makes the grant older in the database, and therefore in every cache.
  await app.db
    .updateTable('promo_grants')
    .set({ expires_at: new Date(Date.now() - 1000) })
    .where('id', '=', grant)
    .execute();
  await app.db
    .updateTable('players')
    .set((eb) => ({ grants_version: eb('grants_version', '+', 1) }))
    .where('user_id', '=', player.id)
    .execute();
  const refused = await betOnDice(player, { betAmount: '1' });
  expect([refused.status, refused.body.code]).toEqual([400, 'INSUFFICIENT_BALANCE']);
  // A hand of 11 loses to 17. When its last open bet ends, the grant expires.
  expect((await act(player, 'STAND')).status).toBe(201);
  await expect
    .poll(async () => {
      await app.services.grants.settleDue();
      return (await moneyOf(app, player, grant)).status;
    })
    .toBe('EXPIRED');
});

test('rejects a stake above cash and bonus and changes nothing', async () => {
  const player = await app.newPlayer({ usdt: 3 });
  const grant = await grantBonus(app, player, { amount: '5', required: '50' });
  const before = await moneyOf(app, player, grant);
  const { status, body } = await betOnDice(player, { betAmount: '8.01' });
  expect([status, body.code]).toEqual([400, 'INSUFFICIENT_BALANCE']);
  expect(await moneyOf(app, player, grant)).toEqual(before);
  await lose(app, player, '8');
  // The last bet used up the balance, so the grant is lost.
  expect(await moneyOf(app, player, grant)).toMatchObject({ cash: 0n, bonus: 0n, status: 'LOST' });
});

test('rejects a stake above the maximum bet and records the rejection on the grant', async () => {
  const player = await app.newPlayer({ usdt: 100 });
  const grant = await grantBonus(app, player, { amount: '50', required: '500', maxBetUsd: '5' });
  const refused = await betOnDice(player, { betAmount: '5.01' });
  expect([refused.status, refused.body.code]).toEqual([403, 'PROMO_MAX_BET']);
  expect(refused.body.details).toEqual({ grantId: String(grant), maxBetUsd: '5' });
  await lose(app, player, '5');
  const { refused_bets } = await app.db
    .selectFrom('promo_grants')
    .select('refused_bets')
    .where('id', '=', grant)
    .executeTakeFirstOrThrow();
  expect(refused_bets).toBe(1);
  expect(await moneyOf(app, player, grant)).toMatchObject({ cash: units('95'), done: units('5') });
});

test('uses only cash and applies no maximum bet in an excluded game, and counts other games partially towards wagering', async () => {
  const player = await app.newPlayer({ usdt: 20 });
  const games = { perGame: { dice: 0, limbo: 12.5 } };
  const grant = await grantBonus(app, player, { amount: '50', required: '500', maxBetUsd: '5', games });
  await lose(app, player, '10');
  expect(await moneyOf(app, player, grant)).toMatchObject({
    cash: units('10'),
    bonus: units('50'),
    done: 0n,
  });
  const tooMuch = await betOnDice(player, { betAmount: '10.01' });
  expect(tooMuch.body.code).toBe('INSUFFICIENT_BALANCE');
  const body = { currencyId: 'USDT', betAmount: '4', multiplier: 2 };
  expect((await player.call('POST', '/casino/games/house/limbo/bet', { body })).status).toBe(201);
  expect(await moneyOf(app, player, grant)).toMatchObject({ bonus: units('50'), done: units('0.5') });
  const { data } = (await player.call('GET', '/bets')).body;
  const none = { grantId: String(grant), staked: '0' };
  expect(data.map(({ bonus }: any) => bonus)).toEqual([
    { ...none, counted: '0.5', notCounted: null },
    { ...none, counted: '0', notCounted: 'GAME' },
  ]);
});

test('shows the player and staff how much of each bet counted towards wagering, or why it did not count', async () => {
  const player = await app.newPlayer({ usdt: 10 });
  const clerk = await app.as({ permissions: ['bet.read', 'bet.rollback'] });
  const before = await lose(app, player, '1');
  const games = { perGame: { dice: 50, blackjack: 50 } };
  const grant = await grantBonus(app, player, { amount: '50', required: '500', games });
  const none = { grantId: String(grant), staked: '0', counted: '0' };
  const counting = await lose(app, player, '12');
  const voided = await lose(app, player, '5');
  expect(
    (await clerk.call('POST', `/admin/bets/${voided.betId}/rollback`, { body: { reason: 'a test' } })).status,
  ).toBe(201);
  expect((await lay(player, '5h 6d 7c Ts Kh')).status).toBe(201);
  const open = (await player.call('GET', '/bets?status=CREATED')).body.data;
  expect(open.map(({ bonus }: any) => bonus)).toEqual([{ ...none, staked: '10', notCounted: 'OPEN' }]);
  await transaction(app.db, (tx) =>
    app.services.grants.end(tx, grant, { status: 'FORFEITED', reason: 'TEST' }),
  );
  expect((await act(player, 'STAND')).status).toBe(201);

  const own = (await player.call('GET', '/bets')).body.data;
  const seen = (await clerk.call('POST', '/admin/bets', { body: { where: { userId: player.id } } })).body
    .data;
  const back = { ...none, staked: '5', notCounted: 'ROLLED_BACK' };
  const bonusOf = (rows: any[]) => Object.fromEntries(rows.map(({ id, bonus }) => [id, bonus]));
  const settled = {
    [before.betId]: null,
    [counting.betId]: { ...none, staked: '3', counted: '6', notCounted: null },
    [open[0].id]: { ...none, staked: '10', notCounted: 'GRANT_ENDED' },
  };
  expect(bonusOf(own)).toEqual(settled);
  expect(bonusOf(seen)).toEqual({ ...settled, [voided.betId]: back });
});

test('ignores a grant in another currency', async () => {
  const player = await app.newPlayer({ usdt: 10 });
  const grant = await grantBonus(app, player, { amount: '1', required: '10', currencyId: 'BTC' });
  const { body } = await betOnDice(player, { betAmount: '10.01' });
  expect(body.code).toBe('INSUFFICIENT_BALANCE');
  await lose(app, player, '10');
  expect(await moneyOf(app, player, grant)).toMatchObject({ cash: 0n, bonus: units('1'), done: 0n });
});

test('splits each stake of a round when it is placed, and splits the payout in proportion to all stakes', async () => {
  const player = await app.newPlayer({ usdt: 4 });
  const grant = await grantBonus(app, player, { amount: '50', required: '500' });
  // The player has 11 and the dealer 17. The double draws a king.
  expect((await lay(player, '5h 6d 7c Ts Kh')).status).toBe(201);
  expect(await moneyOf(app, player, grant)).toMatchObject({ cash: 0n, bonus: units('44'), done: 0n });
  expect((await act(player, 'DOUBLE')).status).toBe(201);
  // A stake of 20, including 4 in cash, pays 40.
  expect(await moneyOf(app, player, grant)).toMatchObject({
    cash: units('8'),
    bonus: units('66'),
    done: units('20'),
  });
});

test('uses only cash to raise the stake and to pay out when a round started before the grant', async () => {
  const player = await app.newPlayer({ usdt: 15 });
  expect((await lay(player, '5h 6d 7c Ts Kh')).status).toBe(201);
  const grant = await grantBonus(app, player, { amount: '50', required: '500' });
  const refused = await act(player, 'DOUBLE');
  expect([refused.status, refused.body.code]).toEqual([400, 'INSUFFICIENT_BALANCE']);
  // A hand of 11 loses to 17.
  expect((await act(player, 'STAND')).status).toBe(201);
  expect(await moneyOf(app, player, grant)).toMatchObject({ cash: units('5'), bonus: units('50'), done: 0n });
});

test('returns the stakes of a void round to their sources and does not count them towards wagering', async () => {
  const player = await app.newPlayer({ usdt: 1 });
  const grant = await grantBonus(app, player, { amount: '50', required: '500' });
  const { rounds, games } = app.services;
  const asked = {
    by: { userId: player.id, ip: '127.0.0.1', idempotencyKey: undefined },
    game: games.get('mines'),
  };
  const answer = () => ({});
  const body = { currencyId: 'USDT', betAmount: '10' };
  await rounds.start({ ...asked, body, begin: () => ({ state: {} }), answer });
  expect(await moneyOf(app, player, grant)).toMatchObject({ cash: 0n, bonus: units('41') });
  await rounds.act({ ...asked, body: {}, act: () => ({ state: {}, end: 'void' }), answer });
  expect(await moneyOf(app, player, grant)).toMatchObject({ cash: units('1'), bonus: units('50'), done: 0n });
});

test("keeps many players' grants separate in a batch that needs more than one id block", async () => {
  const players = await Promise.all(Array.from({ length: 60 }, () => app.newPlayer({ usdt: 1 })));
  const grants = await Promise.all(
    players.map((player) => grantBonus(app, player, { amount: '100', required: '5000' })),
  );
  const answers = await Promise.all(
    players.flatMap((player) => Array.from({ length: 8 }, () => betOnDice(player, { betAmount: '2' }))),
  );
  expect(answers.every(({ status }) => status === 201)).toBe(true);
  for (const [i, player] of players.entries())
    expect(await moneyOf(app, player, grants[i]!)).toMatchObject({ done: units('16') });
});

test('uses no ids outside its block for a batch of cached players', async () => {
  const players: Player[] = [];
  while (players.length < 250)
    players.push(...(await Promise.all(Array.from({ length: 25 }, () => app.newPlayer({ usdt: 0.5 })))));
  for (const player of players) await grantBonus(app, player, { amount: '50', required: '5000' });
  const before = await app.sql<{ id: bigint }>`select last_value as id from ledger_ids`.execute(app.db);
  // Nearly every bet wins, so there is always both cash and bonus money for the next stake.
  const often = { betAmount: '1', threshold: 98, above: false };
  for (let i = 0; i < 4; i++) {
    const answers = await Promise.all(players.map((player) => betOnDice(player, often)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
  }
  const { rows } = await app.sql<{ n: number }>`
    select count(*)::int as n from ledger_lines
    where id > ${before.rows[0]!.id} and kind in ('bet.stake', 'bet.payout') and id / 1024 <> entry_id / 1024`.execute(
    app.db,
  );
  expect(rows).toEqual([{ n: 0 }]);
});

test('invalidates cached players when a grant starts or ends, or when another process places a bet', async () => {
  const two = await startApp({ database: app.database });
  try {
    const player = await app.newPlayer({ usdt: 5 });
    const elsewhere = { ...player, call: bound(two, player) };
    await lose(app, player, '1');
    await lose(app, player, '1');
    const grant = await grantBonus(app, player, { amount: '50', required: '500' });
    await lose(app, player, '4');
    expect(await moneyOf(app, player, grant)).toMatchObject({
      cash: 0n,
      bonus: units('49'),
      done: units('4'),
    });
    await lose(app, player, '4');
    await lose(two, elsewhere, '5');
    await lose(app, player, '10');
    expect(await moneyOf(app, player, grant)).toMatchObject({
      cash: 0n,
      bonus: units('30'),
      done: units('23'),
    });
    await transaction(app.db, (tx) =>
      app.services.grants.end(tx, grant, { status: 'FORFEITED', reason: 'TEST' }),
    );
    for (const { call } of [player, elsewhere]) {
      const { status, body } = await betOnDice({ ...player, call }, { betAmount: '1' });
      expect([status, body.code]).toEqual([400, 'INSUFFICIENT_BALANCE']);
    }
  } finally {
    await two.stop();
  }
});

test('splits each stake and counts it towards wagering once when two processes settle bets of the same players', async () => {
  const two = await startApp({ database: app.database });
  try {
    const players = await Promise.all(Array.from({ length: 10 }, () => app.newPlayer({ usdt: 5 })));
    const grants = await Promise.all(
      players.map((player) => grantBonus(app, player, { amount: '1000', required: '50000' })),
    );
    const answers = await Promise.all(
      players.flatMap((player) =>
        Array.from({ length: 30 }, (_, i) => {
          const call = i % 2 === 0 ? player.call : bound(two, player);
          return betOnDice({ ...player, call }, { betAmount: '2' });
        }),
      ),
    );
    expect(answers.every(({ status }) => status === 201)).toBe(true);
    for (const [i, player] of players.entries())
      expect(await moneyOf(app, player, grants[i]!)).toMatchObject({ done: units('60') });
  } finally {
    await two.stop();
  }
});

const bound = (process: TestApp, { token }: Player): Player['call'] =>
  ((method: string, path: string, options = {}) =>
    process.call(method, path, { token, ...options })) as Player['call'];

test("returns a bet's response even when its grant cannot be settled after the commit", async () => {
  const player = await app.newPlayer({ usdt: 0.01 });
  const grant = await grantBonus(app, player, { amount: '50', required: '1' });
  const failing = () => {
    throw new Error('grants fail');
  };
  const settlement = startSettlement(app, 'failing-grants', {
    grants: { ...app.services.betGrants, noteProgress: failing, settle: failing },
  });
  try {
    const answer = await settlement.settle(diceRequest(player.id, await diceIdOf(app)));
    expect(answer).toHaveProperty('betId');
  } finally {
    await settlement.close();
  }
  await app.services.grants.settleDue();
  expect((await moneyOf(app, player, grant)).status).toBe('COMPLETED');
});
