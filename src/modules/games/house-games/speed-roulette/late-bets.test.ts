import { beforeAll, expect, test } from 'vitest';
import type { Player } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import { betLate } from '../../../../../test/kit/games/late-bets.ts';
import { startSpeedRoulette } from '../../../../../test/kit/games/speed-roulette.ts';

const players: Player[] = [];
const app = fixture(startSpeedRoulette);
beforeAll(async () => {
  for (let i = 0; i < 10; i++) players.push(await app.newPlayer({ usdt: 100 }));
});

test('accepts exactly the bets that are timestamped before the cut-off, out of 200 bets at each of 3 cut-offs, and settles them', async () => {
  const { accepted, refused } = await betLate(app, players, 3, 200);
  expect(accepted + refused).toBe(600);
  expect(accepted).toBeGreaterThan(0);
  expect(refused).toBeGreaterThan(0);
});
