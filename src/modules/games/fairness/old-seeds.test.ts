import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { type Player, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { HOUSE_BETS } from '../../../../test/kit/games/house.ts';
import { rotateOldSeeds } from './seeds.ts';

const app = fixture(() => startApp({ env: { SEED_PAIR_BETS: '20', SEED_PAIR_IDLE_MINUTES: '10' } }));

const play = (player: Player, count: number) =>
  player.call('POST', '/casino/games/house/dice/series', { body: { ...HOUSE_BETS.dice, count } });
const seeds = async ({ call }: Player) => (await call('GET', '/fairness/seeds')).body;
/** Changes the time of the player's bets to `minutes` ago. */
const rest = ({ id }: Player, minutes: number) =>
  sql`update bets set created_at = now() - ${minutes} * interval '1 minute' where user_id = ${id}`.execute(
    app.db,
  );

test('rotates the used seed pair of an inactive player, keeps the client seed and reveals the old server seed', async () => {
  const player = await app.newPlayer({ usdt: 100 });
  await player.call('POST', '/fairness/seeds/rotate', { body: { clientSeed: 'mine, for good' } });
  await play(player, 20);
  const before = await seeds(player);
  await rest(player, 11);
  await rotateOldSeeds(app.services);
  expect(await seeds(player)).toMatchObject({
    serverSeedHash: before.nextServerSeedHash,
    clientSeed: 'mine, for good',
    nonce: 0,
  });
  const { body } = await player.call('GET', '/fairness/seeds/history');
  expect(body.data[0]).toMatchObject({ serverSeedHash: before.serverSeedHash, lastNonce: 19 });
  expect((await play(player, 1)).status).toBe(201);
});

test('does not rotate the seed pairs of players with few bets, recent bets or an open round', async () => {
  const [fresh, busy, open] = [
    await app.newPlayer({ usdt: 100 }),
    await app.newPlayer({ usdt: 100 }),
    await app.newPlayer({ usdt: 100 }),
  ];
  await play(fresh, 19);
  for (const player of [busy, open]) await play(player, 20);
  await open.call('POST', '/casino/games/house/mines/play', {
    body: { currencyId: 'USDT', betAmount: '1', gridCellsCount: 25, bombsCount: 1 },
  });
  for (const player of [fresh, open]) await rest(player, 11);
  await rest(busy, 9);
  const before = [await seeds(fresh), await seeds(busy), await seeds(open)];
  await rotateOldSeeds(app.services);
  expect([await seeds(fresh), await seeds(busy), await seeds(open)]).toEqual(before);
});
