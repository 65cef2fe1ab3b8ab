import { beforeAll, expect, test } from 'vitest';
import type { Player } from '../../../../../test/kit/app.ts';
import { fixture } from '../../../../../test/kit/fixture.ts';
import { betLate } from '../../../../../test/kit/games/late-bets.ts';
import { startSpeedRoulette } from '../../../../../test/kit/games/speed-roulette.ts';
import { isFull } from '../../../../../test/kit/length.ts';

/** The number of betting phases whose end is tested. */
const CUT_OFFS = isFull ? 50 : 10;
const BETS = 200;

const players: Player[] = [];
const app = fixture(startSpeedRoulette);
beforeAll(async () => {
  for (let i = 0; i < 40; i++) players.push(await app.newPlayer({ usdt: 1000 }));
});

test('accepts exactly the bets that are timestamped before the cut-off of their round, and settles them', async () => {
  const { accepted, refused } = await betLate(app, players, CUT_OFFS, BETS);
  expect(accepted + refused).toBe(CUT_OFFS * BETS);
  expect(accepted).toBeGreaterThan(10 * CUT_OFFS);
  expect(refused).toBeGreaterThan(20 * CUT_OFFS);
}, 900_000);
