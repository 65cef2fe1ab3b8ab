import { beforeAll, expect, test } from 'vitest';
import { betOnDice, type Player, startApp } from '../../../../test/kit/app.ts';
import { fixture } from '../../../../test/kit/fixture.ts';
import { meanwhile } from '../../../../test/kit/meanwhile.ts';

let others: Player[];
const app = fixture(startApp);
const hot = fixture(() => app.newPlayer({ usdt: 100_000 }));
beforeAll(async () => {
  others = await Promise.all(Array.from({ length: 16 }, () => app.newPlayer({ usdt: 10_000 })));
});

const ROUNDS = 11;
const BETS_EACH = 18;
const HOT = 48;

const bet = async (player: Player) =>
  expect((await betOnDice(player, { betAmount: '0.01' })).status).toBe(201);

/** Returns the milliseconds that each bet of the other players took. Each player waits for the response before placing the next bet. */
async function playOthers(): Promise<number[]> {
  const times: number[] = [];
  const playOne = async (player: Player) => {
    for (let i = 0; i < BETS_EACH; i++) {
      const began = performance.now();
      await bet(player);
      times.push(performance.now() - began);
    }
  };
  await Promise.all(others.map(playOne));
  return times;
}

/** Measures the same while another player bets in many windows. Each window places its next bet after the previous response. */
const beside = (bettors: readonly Player[]): Promise<number[]> =>
  meanwhile(
    playOthers,
    bettors.map((player) => () => bet(player)),
  );

const p99 = (times: number[]): number => times.sort((a, b) => a - b)[Math.floor(times.length * 0.99)]!;
const median = (values: number[]): number => values.sort((a, b) => a - b)[values.length >> 1]!;

/** Measures how much a hot row slows down other players. Both runs have the same load, from 48 windows of one player or from 48 players. */
test('keeps the p99 latency of 16 other players within twice its normal value while one player bets from 48 clients', async () => {
  const crowd = await Promise.all(Array.from({ length: HOT }, () => app.newPlayer({ usdt: 10_000 })));
  await playOthers();
  const ratios: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const alone = p99(await beside(crowd));
    const hotRow = p99(await beside(Array.from({ length: HOT }, () => hot)));
    ratios.push(hotRow / alone);
  }
  console.log(
    `p99 beside one hot player over p99 beside ${HOT} players: ${ratios.map((r) => r.toFixed(2)).join(' ')}`,
  );
  expect(median(ratios)).toBeLessThanOrEqual(2);
}, 180_000);
