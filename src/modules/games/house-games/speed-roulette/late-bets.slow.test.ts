import { beforeAll, expect, test } from 'vitest';
import type { Player } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import { betLate } from '../../../../../test/kit/late-bets.ts';
import { startSpeedRoulette } from '../../../../../test/kit/speed-roulette.ts';

const players: Player[] = [];
const app = fixture(startSpeedRoulette);
beforeAll(async () => {
  for (let i = 0; i < 40; i++) players.push(await app.newPlayer({ usdt: 1000 }));
});

test('M15 10,000 late bets aimed at 50 cut-offs: accepted when stamped before it and no other, none after the draw, none unsettled', async () => {
  const { accepted, refused } = await betLate(app, players, 50, 200);
  expect(accepted + refused).toBe(10_000);
  expect(accepted).toBeGreaterThan(500);
  expect(refused).toBeGreaterThan(1000);
}, 900_000);
