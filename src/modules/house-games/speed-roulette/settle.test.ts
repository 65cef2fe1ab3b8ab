import { afterAll, beforeAll, expect, test } from 'vitest';
import { cashOf, startApp, type TestApp } from '../../../../test/kit/app.ts';
import { type Outside, startOutside } from '../../../../test/kit/outside.ts';
import { keepSeeds, placeDirectly, turnUntil } from '../../../../test/kit/speed-roulette.ts';
import { type Color, colorOf, multiplierOf } from './rules.ts';

let outside: Outside;
let app: TestApp;
beforeAll(async () => {
  outside = await startOutside();
  app = await startApp({ env: { ...outside.env, SPEED_ROULETTE_CHAIN_LENGTH: '2500' } });
  await keepSeeds(app, () => outside.findBlocks(5));
});
afterAll(async () => {
  await app.stop();
  await outside.close();
});

test('a round: bets are settled', async () => {
  const players = await Promise.all([1, 2, 3].map(() => app.newPlayer({ usdt: 100 })));
  await turnUntil(app, 'BETTING');
  const colors: Color[] = ['RED', 'BLACK', 'GREEN'];
  await placeDirectly(
    app.db,
    players.flatMap(({ id: userId }) => colors.map((color) => ({ userId, color }))),
  );
  const { number } = await turnUntil(app, 'RESULT');
  const won = multiplierOf(colorOf(number!), number!);
  for (const player of players) expect(await cashOf(player)).toBe(String(97n + won));
});
